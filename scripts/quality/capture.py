"""Simulated captures against their truth: see capture.sh."""

import argparse
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import numpy
import trimesh

import photo_cameras
import photo_surface
import photo_truth

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/measurements/capture.md"
DATA = pathlib.Path(os.environ.get("VITRINE_DATA", ROOT / "../shared/data"))
DUCK = ["--model", DATA / "gltf/Duck/glTF-Binary/Duck.glb", "--side", "0.16"]
AVOCADO = ["--model", DATA / "gltf/Avocado/glTF/Avocado.gltf", "--side", "0.14"]
# Name, description, options of the example.
CASES = [
    ("steady", "owl, recorded poses, depth", ["--tracking", "recorded", "--depth"]),
    ("blurred", "owl, recorded poses, depth, exposure 33 ms", ["--tracking", "recorded", "--depth", "--exposure", "0.033"]),
    ("owl", "owl, own tracking", []),
    ("duck", "duck, own tracking", DUCK),
    ("avocado", "avocado, own tracking", AVOCADO),
    ("owl-small", "owl, own tracking, images 320 wide", ["--width", "320"]),
    ("duck-small", "duck, own tracking, images 320 wide", ["--width", "320", *DUCK]),
    ("avocado-small", "avocado, own tracking, images 320 wide", ["--width", "320", *AVOCADO]),
    ("light", "owl, own tracking, exposure ± 1 stop", ["--light", "1"]),
    ("lost", "owl, own tracking, lens covered 14 to 16 s", ["--covered", "14..16"]),
    ("restless", "owl, recorded poses, too far, close, beside, fast; feedback ignored", ["--tracking", "recorded", "--walk", "restless", "--passes", "2", "--ignore-feedback"]),
    ("corrected", "the same mistakes, feedback followed", ["--tracking", "recorded", "--walk", "restless"]),
    ("hasty", "as blurred, feedback ignored", ["--tracking", "recorded", "--depth", "--exposure", "0.033", "--ignore-feedback"]),
]
# Pixels of motion blur up to which a shot counts as sharp.
SHARP = 1.5
# Feedback with a true counterpart: the name in the log, the limit, and whether the feedback begins above it. See CaptureThresholds.
FEEDBACK = {
    "objectTooFar": ("size", 0.25, False), "objectTooClose": ("size", 1.3, True), "outOfFieldOfView": ("offset", 0.6, True),
    "movingTooFast": ("blur", 3, True), "environmentTooDark": ("dark", 0.5, True)}
# The limit for silence, where the feedback also begins below its own: a shot that waits for stillness.
FEEDBACK_SILENT = {"movingTooFast": SHARP}
# The states of a capture without cancellation.
STATES = ["ready", "detecting", "capturing", "finishing", "completed"]
# Of `CaptureDial`: its directions, and the degrees on either side of a shot that count as covered.
DIRECTIONS, REACH = 24, 8.5


def capture(case, options, arguments):
    """Figures of one capture; its photos are in the folder `shots`."""
    out = options.out / case
    for name in ("shots", "truth", "log.txt"):
        subprocess.run(["rm", "-rf", out / name], check=True)
    command = [options.example, "-o", out / "shots", "--truth", out / "truth", *arguments]
    begin = time.time()
    text = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout
    (out / "log.txt").write_text(text)
    return evaluate(out, arguments) | {"seconds": time.time() - begin}


def evaluate(out, arguments):
    """Figures of a capture from its log and its truth."""
    text = (out / "log.txt").read_text()
    figures = json.loads(text.splitlines()[-1])
    blur = numpy.array(figures["blur"])
    passes = re.findall(r"^pass \d+: (\d+) shots", text, re.M)
    frames = [json.loads(line) for line in (out / "truth/session.jsonl").read_text().splitlines()]
    covered = [float(t) for t in arguments[arguments.index("--covered") + 1].split("..")] if "--covered" in arguments else [0, 0]
    for frame in frames:
        frame["dark"] = float(covered[0] <= frame["time"] < covered[1])
    surface = trimesh.load(out / "truth/truth.obj", force="mesh", process=False).vertices
    boxes = [(f["time"], outward(f["box"], surface)) for f in frames if "box" in f]
    tracked = [f["time"] for f in frames if f["tracking"] == "normal"]
    capturing = [f["time"] for f in frames if f["state"] == "capturing"]
    started = [error for t, error in boxes if capturing and t >= capturing[0]]
    states = [state for state, _ in itertools.groupby(f["state"].split("(")[0] for f in frames)]
    # The log has a line for each frame: the last states may have none.
    as_expected = states == [s for s in STATES if s in states] and "capturing" in states and figures["state"] == STATES[-1]
    return {
        "true directions": true_directions(out, frames, surface), "states": figures["state"] if as_expected else ", ".join([*states, figures["state"]]),
        "untracked shots": sum(b["shots"] - a["shots"] for a, b in itertools.pairwise(frames) if b["tracking"] != "normal"),
        "shots": figures["shots"], "pass": int(passes[0]) if passes else None, "sharp": float((blur <= SHARP).mean()) if len(blur) else 0,
        "blur": float(numpy.median(blur)) if len(blur) else 0, "object": figures["object"],
        "directions": figures["directions"], "flippable": next((f["flippable"] for f in frames[::-1] if "flippable" in f), None),
        "found": boxes[0][0] - tracked[0] if boxes else None, "start": started[0] if started else None, "end": boxes[-1][1] if boxes else None,
        "feedback": {name: truthful(frames, name) for name in FEEDBACK},
    }


def true_directions(out, frames, surface):
    """The share of the dial's directions that the shots cover by the true cameras and the true centre of the object, from the box's front."""
    box = next((f["box"] for f in frames[::-1] if "box" in f), None)
    if box is None:
        return 0
    center, axes = (surface.min(0) + surface.max(0)) / 2, numpy.array(box["axes"])
    middles = (numpy.arange(DIRECTIONS) + 0.5) * 360 / DIRECTIONS
    covered = numpy.zeros(DIRECTIONS, bool)
    for camera in photo_cameras.truth(out / "truth").values():
        x, y, z = axes @ (camera.center - center)
        turn = numpy.abs(numpy.degrees(numpy.arctan2(x, z)) % 360 - middles)
        covered |= numpy.minimum(turn, 360 - turn) * numpy.hypot(x, z) / numpy.linalg.norm([x, y, z]) <= REACH
    return float(covered.mean())


def outward(box, surface):
    """How far each of the six sides of a box is outside of the surface, metres: negative if it cuts it."""
    local = (surface - box["center"]) @ numpy.array(box["axes"]).T
    half = numpy.array(box["size"]) / 2
    return numpy.concatenate([local.min(0) + half, half - local.max(0)])


def truthful(frames, name):
    """The frames that certainly should and should not have a feedback, and in how many it is right."""
    key, limit, above = FEEDBACK[name]
    result = {"should": 0, "said": 0, "should not": 0, "silent": 0}
    for index, frame in enumerate(frames):
        # For the last second beyond the limit and its hysteresis.
        recent = [f for f in frames[max(0, index - 40):index + 1] if f["time"] > frame["time"] - 1]
        # A covered camera is not tracked: its box has no position in the room.
        if any(f["state"] != "capturing" or "box" not in f and key != "dark" for f in recent) or len(recent) < 10:
            continue
        raw = numpy.array([f[key] for f in recent])
        values, silent = raw / limit, raw / FEEDBACK_SILENT.get(name, limit)
        said = name in frame["feedback"]
        # An object at the edge has no size.
        if key == "size" and any(f["offset"] > 0.45 for f in recent):
            continue
        if (values > 1.2).all() if above else (values < 1 / 1.2).all():
            result["should"] += 1
            result["said"] += said
        elif (silent < 1 / 1.25).all() if above else (silent > 1.25).all():
            result["should not"] += 1
            result["silent"] += not said
    return result


def reconstruct(folder, photos, options):
    """F-scores of the model of some photos against the true surface."""
    out = folder / "model"
    out.mkdir(parents=True, exist_ok=True)
    command = [
        options.vitrine, "reconstruct", photos, "-o", out / "model.glb", "-o", out / "model.obj", "--detail", options.detail, "--colmap", out / "colmap",
        "--report", out / "report.html"]
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if result.returncode:
        return {"error": (result.stderr.strip().splitlines() or ["no message"])[-1]}
    true = photo_cameras.truth(folder / "truth")
    poses, true_from_model = photo_cameras.compare(photo_cameras.colmap(out / "colmap"), true)
    surface = folder / "truth" / "truth.obj"
    score = photo_surface.score(out / "model.glb", surface, true.values(), true_from_model)
    refined = photo_surface.score(out / "model.glb", surface, true.values(), photo_truth.registered(out / "model.obj", surface, true_from_model))
    return {
        "registered": poses["registered"], "photos": len(true), "position": poses["position_percent"], "f": score["at 0.5"]["f"],
        "refined": refined["at 0.5"]["f"], "scale": true_from_model[0]}


def row(cells):
    return "| " + " | ".join(cells) + " |"


def millimetres(values):
    return "-" if values is None else f"{1000 * numpy.mean(numpy.abs(values)):.0f} ({1000 * min(values):+.0f} to {1000 * max(values):+.0f})"


def tables(captures, models):
    heads = ["case", "found after, s", "box at the start, mm", "box at the end, mm", "shots", "of the first pass", "sharp, %", "median blur, px", "directions, %", "by truth, %", "shots without tracking", "flippable", "state"]
    lines = [row(heads), row(["---"] * len(heads))]
    for case, text, _ in CASES:
        if case not in captures:
            continue
        c = captures[case]
        found = "never" if c["found"] is None else f"{c['found']:.1f}"
        sides = [found, millimetres(c["start"]), millimetres(c["end"])]
        flippable = {True: "yes", False: "no", None: "-"}[c["flippable"]]
        rest = [str(c["shots"]), str(c["pass"] or "-"), f"{100 * c['sharp']:.0f}", f"{c['blur']:.2f}", f"{100 * c['directions']:.0f}"]
        rest += [f"{100 * c['true directions']:.0f}", str(c["untracked shots"]), flippable, c["states"]]
        lines.append(row([f"{case}: {text}", *sides, *rest]))
    lines += ["", row(["case", *FEEDBACK]), row(["---"] * (1 + len(FEEDBACK)))]
    for case in captures:
        cells = [f"{f['said']} of {f['should']}, silent {f['silent']} of {f['should not']}" for f in captures[case]["feedback"].values()]
        lines.append(row([case, *cells]))
    if models:
        heads = ["photos", "registered", "camera positions, %", "F at 0.5 %, aligned by cameras", "F at 0.5 %, by surfaces", "scale (true = 1)"]
        lines += ["", row(heads), row(["---"] * len(heads))]
        for name, m in models.items():
            if "error" in m:
                lines.append(row([name, m["error"], *["-"] * 4]))
                continue
            figures = [f"{m['position']:.3f}", f"{m['f']:.3f}", f"{m['refined']:.3f}", f"{m['scale']:.3f}"]
            lines.append(row([name, f"{m['registered']} of {m['photos']}", *figures]))
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append", choices=[case for case, _, _ in CASES] + ["hand-picked"])
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--reconstruct", action="store_true")
    parser.add_argument("--detail", default="preview")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--example", type=pathlib.Path, default=ROOT / ".build/release/CaptureObject")
    parser.add_argument("--vitrine", type=pathlib.Path, default=ROOT / ".build/release/vitrine")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out/quality/capture")
    options = parser.parse_args()
    if not options.example.exists():
        sys.exit(f"error: {options.example}: build it by `make build`")
    captures, models = {}, {}
    for case, _, arguments in CASES:
        if options.only is None or case in options.only:
            (options.out / case).mkdir(parents=True, exist_ok=True)
            done = options.keep and (options.out / case / "log.txt").exists()
            captures[case] = evaluate(options.out / case, arguments) if done else capture(case, options, arguments)
            if options.reconstruct:
                models[case] = reconstruct(options.out / case, options.out / case / "shots", options)
    if options.reconstruct and (options.only is None or "hand-picked" in options.only):
        even = options.out / "hand-picked"
        subprocess.run(["rm", "-rf", even], check=True)
        command = [options.example, "-o", even / "shots", "--truth", even / "truth", "--even", 24]
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
