"""Run by Blender, see curve.py: traces a model in Cycles with several numbers of samples and prints `SAMPLES PROCESSOR-SECONDS` of each; the first is the
reference, with another seed. Afterwards reads the EXR files of `vitrine render` in the folder. Writes all images as NAME.npy.

MODEL ENVIRONMENT ORBIT TARGET FOV WIDTH HEIGHT FOLDER REFERENCE-SAMPLES SAMPLES...
"""

import resource
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).parent))
import cycles_scene


def seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    model, environment, orbit, target, fov, width, height, folder, *samples = sys.argv[sys.argv.index("--") + 1 :]
    scene = cycles_scene.load(model, environment, cycles_scene.numbers(orbit), cycles_scene.numbers(target), float(fov))
    for index, count in enumerate(samples):
        path = f"{folder}/cycles-{count}.exr"
        before = seconds()
        cycles_scene.trace(scene, path, (int(width), int(height)), int(count), seed=1 if index == 0 else 0)
        print(f"cycles {count} {seconds() - before:.3f}", flush=True)
    for path in Path(folder).glob("*.exr"):
        numpy.save(path.with_suffix(".npy"), cycles_scene.pixels(str(path)))


main()
