#!/usr/bin/env python3
"""Chooses photos to show beside the model, all around it, and copies them.   demo-matches.py OUTDIR PHOTOS

Reads OUTDIR/transforms.json; writes OUTDIR/match-N-photo.EXT and OUTDIR/matches.json, and prints a line per photo: number, name, image size.
"""
import json
import math
import pathlib
import shutil
import sys

out, photos = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
cameras = json.loads((out / "transforms.json").read_text())
frames = []
for frame in cameras["frames"]:
    name = pathlib.PurePath(frame["file_path"]).name
    files = [photos / frame["file_path"], photos / name]
    file = next((f for f in files if f.is_file()), None)
    # What a browser doesn't show isn't shown.
    if file is None or file.suffix.lower() not in (".jpg", ".jpeg", ".png", ".webp"):
        continue
    pose = frame["transform_matrix"]
    frames.append((math.atan2(pose[0][3], pose[2][3]), name, file, frame.get("w", cameras.get("w")), frame.get("h", cameras.get("h"))))

# The camera's height above the model changes from photo to photo: four directions are enough to see it all.
chosen = []
for quarter in range(4):
    want = quarter * math.pi / 2
    rest = [f for f in frames if f not in chosen]
    if rest:
        chosen.append(min(rest, key=lambda f: (abs(math.remainder(f[0] - want, 2 * math.pi)), f[1])))
matches = []
for number, (_, name, file, width, height) in enumerate(chosen):
    copy = f"match-{number}-photo{file.suffix.lower()}"
    shutil.copyfile(file, out / copy)
    scale = 640 / max(width, height)
    print(number, name, f"{round(width * scale)}x{round(height * scale)}", sep="\t")
    matches.append({"photo": copy, "model": f"match-{number}.png", "name": name})
(out / "matches.json").write_text(json.dumps({"matches": matches, "placed": len(cameras["frames"])}))
