#!/usr/bin/env python3
"""Photo sets of an object that is turned over between passes, with exact truth, and the score of a model made from them.

    flips.py make FOLDER [--passes upright,side,head] [--photos 18] [--size 480x360] [--no-table] [--vitrine COMMAND]
    flips.py score FOLDER MODEL.obj POSES.json [--json]

`make` renders the sample owl in each pose on the same patterned table: FOLDER/images/NUMBER.jpg in the order of the passes, cameras.json and
truth.obj in the frame of the upright object, and passes.json with the pass of each photo. `score` aligns the model by the cameras' centres
and prints accuracy, completeness and F-score at 0.25, 0.5 and 1 % of the object's diagonal over the whole surface, the same for the third
of it that faces down when the object is upright, and the number of pieces and open edges. Needs numpy and scipy.
"""
import argparse
import json
import math
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import photo_truth


def turn(axis, degrees):
    axis, angle = np.asarray(axis, float) / np.linalg.norm(axis), math.radians(degrees)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


# Of the table in metres, the same for all poses.
TABLE_SIDE = 0.6
# Table from object: how the object lies in each pass.
POSES = {
    "upright": np.eye(3),
    "side": turn((0, 1, 0), 40) @ turn((1, 0, 0), -90),
    "head": turn((0, 1, 0), 110) @ turn((0, 0, 1), 172),
    "moved": turn((0, 1, 0), 70),
}


def turned(model, rotation):
    """The bytes of a GLB whose root nodes are turned."""
    data = model.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    content, rest = json.loads(data[20 : 20 + length]), data[20 + length :]
    scene = content["scenes"][content.get("scene", 0)]
    matrix = np.eye(4)
    matrix[:3, :3] = rotation
    content["nodes"].append({"name": "Pose", "matrix": matrix.T.ravel().tolist(), "children": scene["nodes"]})
    scene["nodes"] = [len(content["nodes"]) - 1]
    text = json.dumps(content, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + rest
    return struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body


def make(arguments):
    out = Path(arguments.folder)
    shutil.rmtree(out, ignore_errors=True)
    (out / "images").mkdir(parents=True)
    names, cameras = [], []
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        run = lambda *command: subprocess.run([arguments.vitrine, *map(str, command)], check=True, stdout=subprocess.DEVNULL)
        if arguments.model:
            model = Path(arguments.model)
        else:
            run("sample", work / "sample", "--only", "model")
            model = work / "sample" / "owl.glb"
        for index, name in enumerate(arguments.passes.split(",")):
            pose = POSES[name]
            (work / "pose.glb").write_bytes(turned(model, pose))
            table = [] if arguments.no_table else ["--table", "--table-side", TABLE_SIDE]
            rings = ["--rings", arguments.rings] if arguments.rings else []
            run(
                "render", work / "pose.glb", "-o", work / "set", "--photoset", arguments.photos, *table, *rings, "--size", arguments.size, "--fov", 40,
                "--samples", 6, "--environment-rotation", 0)
            if index == 0:
                # The frame of the truth is that of the first pass.
                first = pose
                shutil.copy(work / "set" / "truth.obj", out / "truth.obj")
            # The renderer's motion in addition to the turn: none, if it does not move the model.
            for camera in json.loads((work / "set" / "cameras.json").read_text())["cameras"]:
                number = f"{len(cameras):03d}.jpg"
                source = next((work / "set" / "images").glob(Path(camera["image"]).stem + ".*"))
                assert source.suffix == ".jpg", source
                shutil.copy(source, out / "images" / number)
                rotation = np.array(camera["R"]) @ pose @ first.T
                cameras.append({**camera, "image": "images/" + number, "R": rotation.tolist()})
                names.append(name)
            shutil.rmtree(work / "set")
    convention = "x ~ K(RX+t), OpenCV axes, frame of the object as it stands in the first pass, metres"
    (out / "cameras.json").write_text(json.dumps({"convention": convention, "cameras": cameras}, indent=1))
    (out / "passes.json").write_text(json.dumps({Path(c["image"]).name: n for c, n in zip(cameras, names)}, indent=1))
    print(f"{out}: {len(cameras)} photos in {len(arguments.passes.split(','))} passes")


def score(arguments):
    result = photo_truth.score(arguments.folder, arguments.model, arguments.poses)
    print(json.dumps(result)) if arguments.json else photo_truth.show(result)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
commands = parser.add_subparsers(required=True)
maker = commands.add_parser("make")
maker.add_argument("folder")
maker.add_argument("--passes", default="upright,side,head")
maker.add_argument("--photos", type=int, default=18)
maker.add_argument("--size", default="480x360")
maker.add_argument("--rings")
maker.add_argument("--model", help="a GLB; default: the sample owl")
maker.add_argument("--no-table", action="store_true")
maker.add_argument("--vitrine", default=".build/release/vitrine")
maker.set_defaults(run=make)
scorer = commands.add_parser("score")
scorer.add_argument("folder")
scorer.add_argument("model")
scorer.add_argument("poses")
scorer.add_argument("--json", action="store_true")
scorer.set_defaults(run=score)
parsed = parser.parse_args()
parsed.run(parsed)
