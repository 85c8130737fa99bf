"""Noise over processor time: Vitrine's path tracer and Blender's Cycles, each against its own converged image. Writes a table and a plot (SVG).

curve.py VITRINE DATA OUT [--size WxH] [--reference N] [SCENE ...]

Both are given the same scenes of path-traced/pictures.csv with their own materials. PSNR is that of 8-bit sRGB values over the object's pixels. The error of
N samples against a reference of R is corrected for the reference's own: our N samples are the first of the reference's (factor 1 − N/R), Cycles' have another
seed (factor 1 + N/R). Processor time of Vitrine: the command's, without that of one sample, which is mostly reading; of Cycles: around the render call, without
that of one sample.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
from PIL import Image

SAMPLES = [1, 4, 16, 64]


def encoded(linear):
    clipped = numpy.clip(linear, 0, 1)
    return 255 * numpy.where(clipped <= 0.0031308, 12.92 * clipped, 1.055 * clipped ** (1 / 2.4) - 0.055)


def ours(program, model, scene, environment, size, folder, samples):
    command = [program, "render", model, "-o", f"{folder}/vitrine-{samples}.exr", "--quality", "path", "--samples", str(samples), "--size", size,
               "--environment", environment, f"--orbit={scene['orbit']}", f"--target={scene['target']}", "--fov", scene["fov"],
               f"--environment-rotation={scene['rotation']}", "--tonemap", "none", "--background", "environment"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(message.decode())
    return usage.ru_utime + usage.ru_stime


def measure(program, data, scene, size, reference):
    name = Path(scene["picture"]).stem
    model, environment = str(data / "gltf" / scene["model"]), str(data / "environments" / scene["environment"])
    width, height = (int(x) for x in size.split("x"))
    mask = Image.open(data / "gltf/path-traced" / scene["mask"]).convert("L").resize((width, height))
    inside = numpy.asarray(mask) > 127
    with tempfile.TemporaryDirectory() as folder:
        times = {("vitrine", n): ours(program, model, scene, environment, size, folder, n) for n in [reference, *SAMPLES]}
        script = Path(__file__).parent / "curve_cycles.py"
        packages = str(Path(numpy.__file__).parents[1])
        run = subprocess.run(
            ["blender", "-b", "--python-use-system-env", "--python", str(script), "--", model, environment, scene["orbit"], scene["target"], scene["fov"],
             str(width), str(height), folder, str(reference), *(str(n) for n in SAMPLES)],
            capture_output=True, text=True, env={**os.environ, "PYTHONPATH": packages})
        for line in run.stdout.splitlines():
            if line.startswith("cycles "):
                _, count, seconds = line.split()
                times[("cycles", int(count))] = float(seconds)
        if ("cycles", SAMPLES[-1]) not in times:
            sys.exit(run.stdout[-2000:] + run.stderr[-2000:])
        rows = []
        for who, sign in (("vitrine", -1), ("cycles", 1)):
            # Blender's rows go up.
            read = lambda n: encoded(numpy.load(f"{folder}/{who}-{n}.npy")[::-1])[inside]
            truth = read(reference)
            for n in SAMPLES[1:]:
                error = ((read(n) - truth) ** 2).mean() / (1 + sign * n / reference)
                rows.append((name, who, n, times[(who, n)] - times[(who, 1)], 10 * numpy.log10(255**2 / error)))
    return rows


def seconds_for(rows, psnr):
    """Of a program, by interpolation along the logarithm of time."""
    points = sorted((r[4], numpy.log(max(r[3], 1e-3))) for r in rows)
    return float(numpy.exp(numpy.interp(psnr, [p[0] for p in points], [p[1] for p in points])))


def plot(rows, path):
    width, height, left, bottom = 640, 400, 60, 50
    times, levels = [r[3] for r in rows], [r[4] for r in rows]
    low, high = numpy.log10(min(times)) - 0.1, numpy.log10(max(times)) + 0.1
    least, most = 5 * int(min(levels) // 5), 5 * int(max(levels) // 5 + 1)
    x = lambda t: left + (numpy.log10(t) - low) / (high - low) * (width - left - 20)
    y = lambda p: height - bottom - (p - least) / (most - least) * (height - bottom - 20)
    colors = {"vitrine": "#0060c0", "cycles": "#d06000"}
    dashes = ["", "6 4", "2 3", "8 3 2 3"]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">'
             f'<rect width="{width}" height="{height}" fill="white"/>']
    for level in range(least, most + 1, 5):
        parts.append(f'<path d="M{left} {y(level):.1f}H{width - 20}" stroke="#ddd"/><text x="{left - 8}" y="{y(level) + 4:.1f}" text-anchor="end">{level} dB</text>')
    for exponent in range(int(numpy.ceil(low * 3 - 0.01)), int(high * 3) + 1):
        t = 10 ** (exponent / 3)
        parts.append(f'<path d="M{x(t):.1f} 20V{height - bottom}" stroke="#ddd"/><text x="{x(t):.1f}" y="{height - bottom + 18}" text-anchor="middle">{t:.2g} s</text>')
    names = list(dict.fromkeys(r[0] for r in rows))
    for index, name in enumerate(names):
        for who in colors:
            points = [r for r in rows if r[0] == name and r[1] == who]
            line = " ".join(f"{x(r[3]):.1f},{y(r[4]):.1f}" for r in points)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colors[who]}" stroke-width="2" stroke-dasharray="{dashes[index % 4]}"/>')
            parts += [f'<circle cx="{x(r[3]):.1f}" cy="{y(r[4]):.1f}" r="3" fill="{colors[who]}"/>' for r in points]
        parts.append(f'<path d="M{left + 12} {34 + 16 * index}h30" stroke="#333" stroke-width="2" stroke-dasharray="{dashes[index % 4]}"/>'
                     f'<text x="{left + 48}" y="{38 + 16 * index}">{name}</text>')
    for index, (who, color) in enumerate((("Vitrine", colors["vitrine"]), ("Cycles 3.4", colors["cycles"]))):
        parts.append(f'<text x="{left + 180}" y="{38 + 16 * index}" fill="{color}" font-weight="bold">{who}</text>')
    parts.append(f'<text x="{(left + width) / 2:.0f}" y="{height - 8}" text-anchor="middle">processor time</text></svg>')
    path.write_text("\n".join(parts) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--size", default="320x240")
    parser.add_argument("--reference", type=int, default=1024)
    parser.add_argument("scenes", nargs="*", default=["duck-venice", "helmet-esplanade"])
    options = parser.parse_args()
    rows = []
    with open(options.data / "gltf/path-traced/pictures.csv", newline="") as file:
        for scene in csv.DictReader(file, delimiter=";"):
            if Path(scene["picture"]).stem in options.scenes:
                rows += measure(options.program, options.data, scene, options.size, options.reference)
    print("| scene | program | samples | processor s | PSNR, dB |\n| --- | --- | ---: | ---: | ---: |")
    for name, who, n, seconds, psnr in rows:
        print(f"| {name} | {who} | {n} | {seconds:.2f} | {psnr:.2f} |")
    for name in dict.fromkeys(r[0] for r in rows):
        theirs = [r for r in rows if r[0] == name and r[1] == "cycles"]
        level = sorted(r[4] for r in theirs)[1]
        both = [seconds_for([r for r in rows if r[0] == name and r[1] == who], level) for who in ("vitrine", "cycles")]
        print(f"{name}, {level:.1f} dB: Vitrine {both[0]:.2f} s, Cycles {both[1]:.2f} s, ratio {both[0] / both[1]:.2f}")
    plot(rows, options.out)


main()
