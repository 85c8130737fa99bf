"""Simulated captures against their truth: see capture.sh."""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

import numpy

import photo_cameras
import photo_surface

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/measurements/capture.md"
# Name, description, options of the example.
CASES = [
    ("steady", "recorded poses, depth, 8 ms", ["--tracking", "recorded", "--depth"]),
    ("blurred", "recorded poses, depth, 33 ms", ["--tracking", "recorded", "--depth", "--exposure", "0.033"]),
    ("inertial", "own tracking, no depth, 8 ms", []),
]
# Pixels of motion blur up to which a shot counts as sharp.
SHARP = 1.5


def capture(case, options, arguments):
    """Figures of one capture; its photos are in the folder `shots`."""
    out = options.out / case
    for name in ("shots", "truth"):
        subprocess.run(["rm", "-rf", out / name], check=True)
    command = [options.example, "-o", out / "shots", "--truth", out / "truth", "--width", options.width, *arguments]
    begin = time.time()
    text = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout
    (out / "log.txt").write_text(text)
    figures = json.loads(text.splitlines()[-1])
    blur = numpy.array(figures["blur"])
    passes = re.findall(r"^pass \d+: (\d+) shots", text, re.M)
    return {
        "shots": figures["shots"], "pass": int(passes[0]) if passes else None, "sharp": float((blur <= SHARP).mean()) if len(blur) else 0,
        "blur": float(numpy.median(blur)) if len(blur) else 0, "box": figures.get("box"), "object": figures["object"], "state": figures["state"],
        "directions": figures["directions"], "seconds": time.time() - begin,
    }


def reconstruct(folder, photos, options):
    """F-scores of the model of some photos against the true surface."""
    out = folder / "model"
    out.mkdir(parents=True, exist_ok=True)
    command = [options.vitrine, "reconstruct", photos, "-o", out / "model.glb", "--detail", "reduced", "--colmap", out / "colmap"]
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if result.returncode:
        return {"error": (result.stderr.strip().splitlines() or ["no message"])[-1]}
    true = photo_cameras.truth(folder / "truth")
    poses, true_from_model = photo_cameras.compare(photo_cameras.colmap(out / "colmap"), true)
    score = photo_surface.score(out / "model.glb", folder / "truth" / "truth.obj", true.values(), true_from_model)
    return {"registered": poses["registered"], "photos": len(true), "f": score["at 0.5"]["f"], "scale": true_from_model[0]}


def row(cells):
    return "| " + " | ".join(cells) + " |"


def tables(captures, models):
    lines = [row(["case", "shots", "of the first pass", "sharp, %", "median blur, px", "directions, %", "box, mm", "state"]), row(["---"] * 8)]
    for case, text, _ in CASES:
        if case in captures:
            c = captures[case]
            box = " × ".join(str(round(1000 * side)) for side in c["box"]) if c["box"] else "-"
            first = str(c["pass"]) if c["pass"] else "-"
            cells = [f"{case}: {text}", str(c["shots"]), first, f"{100 * c['sharp']:.0f}", f"{c['blur']:.2f}", f"{100 * c['directions']:.0f}", box, c["state"]]
            lines.append(row(cells))
    if models:
        lines += ["", row(["photos", "registered", "F at 0.5 %", "scale (true = 1)"]), row(["---"] * 4)]
        for name, m in models.items():
            lines.append(row([name, "-", m["error"], "-"] if "error" in m else [name, f"{m['registered']} of {m['photos']}", f"{m['f']:.3f}", f"{m['scale']:.3f}"]))
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=[case for case, _, _ in CASES])
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--reconstruct", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--example", type=pathlib.Path, default=ROOT / ".build/release/CaptureObject")
    parser.add_argument("--vitrine", type=pathlib.Path, default=ROOT / ".build/release/vitrine")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out/quality/capture")
    options = parser.parse_args()
    if not options.example.exists():
        sys.exit(f"error: {options.example}: build it by `make build`")
    captures, models = {}, {}
    for case, _, arguments in CASES:
        if options.only in (None, case):
            (options.out / case).mkdir(parents=True, exist_ok=True)
            captures[case] = capture(case, options, arguments)
            if options.reconstruct:
                models[case] = reconstruct(options.out / case, options.out / case / "shots", options)
    if options.reconstruct:
        even = options.out / "hand-picked"
        subprocess.run(["rm", "-rf", even], check=True)
        command = [options.example, "-o", even / "shots", "--truth", even / "truth", "--width", options.width, "--even", 28]
        subprocess.run(list(map(str, command)), check=True)
        models["hand-picked"] = reconstruct(even, even / "shots", options)
    lines = tables(captures, models)
    print("\n".join(lines))
    if options.write:
        text = PAGE.read_text()
        begin, end = text.index("<!-- tables -->"), text.index("<!-- end -->")
        PAGE.write_text(text[:begin] + "<!-- tables -->\n" + "\n".join(lines) + "\n" + text[end:])


if __name__ == "__main__":
    main()
