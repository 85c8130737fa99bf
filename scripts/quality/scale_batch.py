#!/usr/bin/env python3
"""Many small objects with models in one run, some of them broken.

    scripts/quality/scale_batch.py VITRINE OUT [--objects 45]

Renders 14 photos of the demonstration's object (320 × 240), and makes a folder of objects: N with these photos, and five broken ones (two photos, none,
photos cut off, text files, copies of one photo). Runs `vitrine reconstruct --batch` with models of 2,000 triangles on it, twice.
Prints the objects by state, the reasons of failures, whether all models have the same bytes, elapsed and processor seconds, the largest peak memory, and the
largest error of the time left after the first tenth as a share of the whole time: by the clock, and as if other programs had slowed the run down evenly.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import time_left  # noqa: E402

OPTIONS = ["--detail", "custom", "--triangles", "2000", "--texture-size", "1k", "--maps", "diffuse", "--threads", "2", "--memory", "2"]


def make_photos(vitrine, work):
    subprocess.run([sys.executable, ROOT / "scripts/make-demo-model.py", work / "egg.glb"], check=True, stdout=subprocess.DEVNULL)
    size = ["--photoset", "14", "--rings", "18,40", "--table", "--size", "320x240", "--fov", "40", "--samples", "1"]
    subprocess.run([vitrine, "render", work / "egg.glb", "-o", work / "set", *size], check=True, stdout=subprocess.DEVNULL)
    return sorted((work / "set/images").iterdir())


def make_objects(photos, folder, count):
    def add(name):
        (folder / name).mkdir(parents=True)
        return folder / name

    for number in range(count):
        place = add(f"object-{number:02}")
        for photo in photos:
            os.link(photo, place / photo.name)
    place = add("broken-two")
    for photo in photos[:2]:
        os.link(photo, place / photo.name)
    add("broken-empty")
    place = add("broken-cut")
    for photo in photos:
        (place / photo.name).write_bytes(photo.read_bytes()[:900])
    place = add("broken-text")
    for number in range(5):
        (place / f"{number}.txt").write_text("not a photo")
    place = add("broken-copies")
    for number in range(4):
        shutil.copy(photos[0], place / f"{number}{photos[0].suffix}")


def run(vitrine, objects, out):
    command = [vitrine, "reconstruct", objects, "--batch", "-o", str(out / "{name}.glb"), "--json", *OPTIONS]
    begin = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    samples, results = [], []
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "object":
            results.append(event)
            samples.append((time.monotonic() - begin, time_left.processor_seconds(process.pid), event.get("remaining_s")))
    # The last line of its statistics, before it is reaped.
    status = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT).si_status
    work = time_left.processor_seconds(process.pid)
    total = time.monotonic() - begin
    process.wait()
    by_clock, even = time_left.after_first_tenth([sample for sample in samples if sample[2] is not None], total, work)
    print(f"exit code {status}, {total:.0f} s, {work:.1f} processor seconds, {len(results)} objects were made")
    if by_clock and even:
        print(f"time left: {100 * max(by_clock):.0f} % by the clock, {100 * max(even):.0f} % if slowed down evenly")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vitrine", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--objects", type=int, default=45)
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    (options.out / "models").mkdir(parents=True)
    vitrine = options.vitrine.resolve()
    make_objects(make_photos(vitrine, options.out), options.out / "objects", options.objects)
    run(vitrine, options.out / "objects", options.out / "models")
    summary = json.loads((options.out / "models/batch.json").read_text())
    objects = summary["objects"]
    for state in ("complete", "failed", "waiting"):
        print(f"{state}: {sum(o['state'] == state for o in objects)}")
    for item in objects:
        if item["state"] != "complete":
            print(f"  {item['name']}: {item.get('reason')}")
    # The file has the object's name.
    models = {(options.out / "models" / f"{o['name']}.glb").read_bytes().replace(o["name"].encode(), b"") for o in objects if o["state"] == "complete"}
    print(f"{len(models)} different models, {max(o.get('triangles') or 0 for o in objects)} triangles, peak memory at most {max(o.get('peak_memory_mb') or 0 for o in objects):.0f} MB")
    print("the same command again:")
    run(vitrine, options.out / "objects", options.out / "models")


if __name__ == "__main__":
    main()
