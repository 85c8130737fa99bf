"""Run by Blender, see cycles.sh: renders a scene with several numbers of samples, prints the processor seconds of each, and stores the pixels of all images.

A JSON object: model, environment, rotation, orbit, target, fov, size, samples (a list), converged (samples of the last image, which has another seed),
folder (for NAME.exr), read (more .exr files).
"""

import json
import os
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).parent))
from cycles_scene import light, load, look, pixels, trace


def main():
    task = json.loads(sys.argv[sys.argv.index("--") + 1])
    scene = load(task["model"])
    light(scene, task["environment"], task["rotation"])
    look(scene, task["orbit"], task["target"], task["fov"])
    folder = Path(task["folder"])
    files = [Path(path) for path in task["read"]]
    for seed, samples in [(0, n) for n in task["samples"]] + [(1, task["converged"])]:
        path = folder / f"cycles-{'converged' if seed else samples}.exr"
        before = sum(os.times()[:2])
        trace(scene, str(path), task["size"], samples, seed)
        print(f"seconds {path.stem} {sum(os.times()[:2]) - before:.2f}", flush=True)
        files.append(path)
    for path in files:
        numpy.save(path.with_suffix(".npy"), pixels(str(path))[::-1].astype(numpy.float32))


main()
