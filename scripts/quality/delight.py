#!/usr/bin/env python3
"""How much of the photos' light `vitrine reconstruct --delight` removes from the base colour, compared with a known base colour.

    delight.py [--out FOLDER] [--model MODEL.glb] [--environment FILE.hdr] [--on-turntable] [--vitrine COMMAND]

Renders 24 photos of the model under the environment, reconstructs them with known cameras with and without --delight, and draws both models and
the original without light from six of the cameras. Prints the median and the 90 % quantile of the error of luminance as a natural logarithm, after
one factor for the whole model. Needs numpy and ffmpeg; the environment is one of the data folder ($VITRINE_DATA, else ../shared/data).
"""
import argparse
import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("VITRINE_DATA", ROOT / "../shared/data"))


def pixels(path):
    """Linear luminance and coverage of a PNG."""
    size = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", path], check=True, capture_output=True, text=True)
    width, height = map(int, size.stdout.strip().split(","))
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgba", "-"], check=True, capture_output=True)
    image = np.frombuffer(raw.stdout, np.uint8).reshape(height, width, 4) / 255
    color = np.where(image[..., :3] <= 0.04045, image[..., :3] / 12.92, ((image[..., :3] + 0.055) / 1.055) ** 2.4)
    return color @ [0.2126, 0.7152, 0.0722], image[..., 3] > 0.99


def draw(run, model, cameras, names, folder, size):
    """By name, as `pixels` does; size: rows and columns."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        run(
            "render", model, "-o", folder / f"{name}.png", "--photo-camera", f"{cameras},{name}", "--debug", "base-color", "--background",
            "transparent", "--samples", 4, "--size", f"{size[1]}x{size[0]}", "--occlusion", "map")
    return [pixels(folder / f"{name}.png") for name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "out/quality/delight")
    parser.add_argument("--model", type=Path, help="a GLB; default: the sample owl")
    parser.add_argument("--environment", type=Path, default=DATA / "environments/quarry_01_1k.hdr")
    parser.add_argument("--on-turntable", action="store_true", help="the model turns in the light")
    parser.add_argument("--size", default="480x480")
    parser.add_argument("--threads", default=1)
    parser.add_argument("--vitrine", default=ROOT / ".build/release/vitrine")
    options = parser.parse_args()
    out = options.out
    run = lambda *command: subprocess.run([options.vitrine, *map(str, command)], check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    if options.model is None:
        run("sample", out / "sample", "--only", "model")
    model = options.model or out / "sample/owl.glb"
    turning = ["--on-turntable"] if options.on_turntable else []
    run(
        "render", model, "-o", out / "set", "--photoset", 24, "--size", options.size, "--environment", options.environment, "--background", "color:#404040",
        "--samples", 6, *turning)
    cameras = out / "set/cameras.json"
    names = [Path(c["image"]).stem for c in json.loads(cameras.read_text())["cameras"]][2::4]
    width, height = map(int, options.size.split("x"))
    truth = draw(run, model, cameras, names, out / "truth", (height, width))
    print("| base colour | median | 90 % |")
    print("| --- | ---: | ---: |")
    for name, extra in (("of the photos", []), ("--delight", ["--delight"])):
        result = out / name.strip("-").replace(" ", "-")
        # The model stands on the origin, with its cameras in --transforms.
        run(
            "reconstruct", out / "set/images", "-o", f"{result}.glb", "--transforms", f"{result}.json", "--cameras", cameras, "--detail", "preview",
            "--threads", options.threads, *extra)
        logs = []
        for (wanted, covered), (found, seen) in zip(truth, draw(run, f"{result}.glb", Path(f"{result}.json"), names, result, truth[0][0].shape)):
            both = covered & seen & (wanted > 1e-4) & (found > 1e-4)
            logs.append(np.log(found[both] / wanted[both]))
        error = np.concatenate(logs)
        error = np.abs(error - np.median(error))
        print(f"| {name} | {np.median(error):.3f} | {np.quantile(error, 0.9):.3f} |", flush=True)


main()
