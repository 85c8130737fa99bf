"""PSNR over processor time of our path tracer and of Cycles: `scripts/quality/cycles.sh --help`.

Materials differ, so each renderer's images are compared with its own converged image, from other samples; and all with that of Cycles.
"""

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

import metrics
import renderer
from documents import write_section
from path_traced import scenes

ROOT = Path(__file__).resolve().parents[2]
SIZE = (320, 240)
SAMPLES = [4, 16, 64]
PROGRAMS = ["vitrine", "cycles"]


def vitrine(program, data, scene, image, samples):
    """Returns the processor seconds of the whole program."""
    usage = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    before = usage()
    renderer.render(
        program, data / "gltf" / scene["model"], data / "environments" / scene["environment"], image, quality="path", samples=samples,
        size=f"{SIZE[0]}x{SIZE[1]}", orbit=scene["orbit"], target=scene["target"], fov=scene["fov"],
        environment_rotation=scene["rotation"], background="environment", tonemap="none",
    )
    return usage() - before


def cycles(data, scene, folder, read, converged):
    """Renders all images of a scene; returns the processor seconds of rendering by image, without loading the model."""
    numbers = lambda text: [float(x) for x in text.split(",")]
    task = dict(
        model=str(data / "gltf" / scene["model"]), environment=str(data / "environments" / scene["environment"]), rotation=float(scene["rotation"]),
        orbit=numbers(scene["orbit"]), target=numbers(scene["target"]), fov=float(scene["fov"]), size=SIZE, samples=SAMPLES, converged=converged,
        folder=str(folder), read=[str(path) for path in read],
    )
    command = ["blender", "-b", "--python-use-system-env", "--python-exit-code", "1", "--python", str(Path(__file__).with_name("cycles_curve.py")), "--", json.dumps(task)]
    # Blender's Python imports our NumPy.
    environment = dict(os.environ, PYTHONPATH=str(Path(numpy.__file__).parents[1]))
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    if result.returncode != 0:
        sys.exit(f"error: quality: blender: {result.stdout[-500:]}{result.stderr[-2000:]}")
    words = [line.split() for line in result.stdout.splitlines() if line.startswith("seconds ")]
    return {name: float(seconds) for _, name, seconds in words}


def measure(program, data, table, scene, folder, converged):
    """(program, samples) → processor seconds, PSNR against its own converged image, and against that of Cycles."""
    name = Path(scene["picture"]).stem
    seconds = {}
    images = {samples: folder / f"vitrine-{samples}.exr" for samples in [*SAMPLES, SAMPLES[-1] + converged]}
    for samples, image in images.items():
        seconds["vitrine", samples] = vitrine(program, data, scene, image, samples)
    theirs = cycles(data, scene, folder, images.values(), converged)
    pixels = lambda name: numpy.load(folder / f"{name}.npy").astype(numpy.float64)
    # A render continues where a shorter one stops: what the long one has more than the longest short one is independent of all short ones.
    total = SAMPLES[-1] + converged
    ours = (total * pixels(f"vitrine-{total}") - SAMPLES[-1] * pixels(f"vitrine-{SAMPLES[-1]}")) / converged
    shown = lambda image: numpy.round(metrics.encoded(image))
    references = {"vitrine": shown(ours), "cycles": shown(pixels("cycles-converged"))}
    mask = metrics.read_mask(table.parent / scene["mask"])
    step = mask.shape[1] // SIZE[0]
    mask = mask[step // 2 :: step, step // 2 :: step]
    result = {}
    for who in PROGRAMS:
        for samples in SAMPLES:
            time = seconds["vitrine", samples] if who == "vitrine" else theirs[f"cycles-{samples}"]
            image = shown(pixels(f"{who}-{samples}"))
            scores = [metrics.score(image, reference, mask) for reference in (references[who], references["cycles"])]
            result[who, samples] = (time, scores[0].psnr, scores[1].psnr)
            print(f"{name:24} {who:8} {samples:4} samples {time:7.2f} s  {scores[0].psnr:6.2f} dB  against Cycles {scores[1].psnr:6.2f} dB", flush=True)
    between = metrics.score(references["vitrine"], references["cycles"], mask)
    print(f"{name:24} converged images: {between.psnr:6.2f} dB, energy {between.energy:.3f}", flush=True)
    result["between"] = between.psnr
    metrics.side_by_side(references["vitrine"], references["cycles"], metrics.difference_image(references["vitrine"], references["cycles"])).save(
        folder.parent / f"{name}-converged.png"
    )
    return result


def seconds_for(curve, target):
    """Processor seconds for a PSNR: interpolated, or extrapolated from the last two, in decibels over the logarithm of the time."""
    for (t0, p0), (t1, p1) in zip(curve, curve[1:]):
        if p1 >= target or (t1, p1) == curve[-1]:
            return math.exp(math.log(t0) + (target - p0) / (p1 - p0) * (math.log(t1) - math.log(t0)))


def curve(result, who):
    return [result[who, samples][:2] for samples in SAMPLES]


def time_ratio(result):
    """Processor time of Cycles divided by ours, for the PSNR that Cycles has with most samples."""
    target = result["cycles", SAMPLES[-1]][1]
    return seconds_for(curve(result, "cycles"), target) / seconds_for(curve(result, "vitrine"), target)


def markdown(results):
    header = ["scene"]
    for who in ("Vitrine", "Cycles"):
        header += [f"{who}, {samples} samples: s" + "; dB" for samples in SAMPLES]
    header += ["same PSNR: time of Cycles ÷ ours", f"against Cycles' image, {SAMPLES[-1]} samples, dB", "converged images, dB"]
    lines = [header, ["---"] + ["---:"] * (len(header) - 1)]
    for name, result in results.items():
        cells = [f"{result[who, samples][0]:.1f}; {result[who, samples][1]:.1f}" for who in PROGRAMS for samples in SAMPLES]
        lines.append([name, *cells, f"{time_ratio(result):.2f}", f"{result['vitrine', SAMPLES[-1]][2]:.1f}", f"{result['between']:.1f}"])
    if len(results) > 1:
        mean = math.exp(sum(math.log(time_ratio(result)) for result in results.values()) / len(results))
        lines.append(["*geometric mean*"] + [""] * (2 * len(SAMPLES)) + [f"*{mean:.2f}*", "", ""])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def plot(results):
    """An SVG: a small plot per scene, PSNR over processor seconds (logarithmic); ours solid, Cycles dashed."""
    columns, width, height, gap = 4, 200, 150, 46
    rows = -(-len(results) // columns)
    points = [point for result in results.values() for who in PROGRAMS for point in curve(result, who)]
    low, high = (math.floor(min(p for _, p in points) / 5) * 5, math.ceil(max(p for _, p in points) / 5) * 5)
    first, last = (math.floor(math.log10(min(t for t, _ in points))), math.ceil(math.log10(max(t for t, _ in points))))
    x = lambda t: (math.log10(t) - first) / (last - first) * width
    y = lambda p: (high - p) / (high - low) * height
    total = (columns * (width + gap) + gap, rows * (height + gap + 20) + 50)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total[0]} {total[1]}" font-family="sans-serif" font-size="11">',
        f'<rect width="{total[0]}" height="{total[1]}" fill="#fff"/>',
        f'<text x="{gap}" y="20" font-size="13">PSNR in dB against the own converged image, over processor seconds. '
        '<tspan fill="#0a58ca">Vitrine, solid</tspan>; <tspan fill="#b35900">Cycles, dashed</tspan></text>',
    ]
    for index, (name, result) in enumerate(results.items()):
        left, top = gap + index % columns * (width + gap), 60 + index // columns * (height + gap + 20)
        out.append(f'<g transform="translate({left},{top})"><text x="0" y="-8" font-weight="bold">{name}</text>')
        for p in range(low, high + 1, 5):
            out.append(f'<path d="M0 {y(p):.1f}H{width}" stroke="#ddd"/><text x="-6" y="{y(p) + 4:.1f}" text-anchor="end">{p}</text>')
        for exponent in range(first, last + 1):
            t = 10**exponent
            out.append(f'<path d="M{x(t):.1f} 0V{height}" stroke="#ddd"/><text x="{x(t):.1f}" y="{height + 15}" text-anchor="middle">{t:g}</text>')
        for who, color, dashes in [("vitrine", "#0a58ca", ""), ("cycles", "#b35900", ' stroke-dasharray="5 3"')]:
            line = " ".join(f"{x(t):.1f},{y(p):.1f}" for t, p in curve(result, who))
            out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"{dashes}/>')
            out += [f'<circle cx="{x(t):.1f}" cy="{y(p):.1f}" r="3" fill="{color}"/>' for t, p in curve(result, who)]
        out.append("</g>")
    return "\n".join([*out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(prog="scripts/quality/cycles.sh", description="Compares noise over processor time with Blender's Cycles.")
    parser.add_argument("--vitrine", default=ROOT / ".build/release/vitrine", help="the program (default: .build/release/vitrine)")
    parser.add_argument("--data", default=os.environ.get("VITRINE_DATA", ROOT / "../shared/data"), help="default: $VITRINE_DATA, else ../shared/data")
    parser.add_argument("--out", default=ROOT / "out/quality/cycles", help="where images and the plot go (default: out/quality/cycles)")
    parser.add_argument("--only", help="only scenes with this in their name")
    parser.add_argument("--converged", type=int, default=256, help="samples of the converged images, none of them in the images compared with them (default: 256)")
    parser.add_argument("--write", action="store_true", help="put table and plot into docs/")
    options = parser.parse_args()
    data, out = Path(options.data).resolve(), Path(options.out)
    table = data / "gltf/path-traced/pictures.csv"
    if not table.exists():
        sys.exit(f"error: {table}: not there. Set VITRINE_DATA to the folder that holds gltf/ and environments/")
    out.mkdir(parents=True, exist_ok=True)
    results = {}
    for scene in scenes(table):
        name = Path(scene["picture"]).stem
        if options.only and options.only not in name:
            continue
        with tempfile.TemporaryDirectory(dir=out) as folder:
            results[name] = measure(options.vitrine, data, table, scene, Path(folder), options.converged)
    print("\n" + markdown(results))
    (out / "cycles.svg").write_text(plot(results))
    if options.write:
        write_section(ROOT / "docs/measurements/image-quality.md", "cycles", markdown(results))
        (ROOT / "docs/images/cycles.svg").write_text(plot(results))


main()
