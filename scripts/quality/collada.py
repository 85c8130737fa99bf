"""Draws COLLADA's conformance files and compares them with the blessed images: `scripts/quality/collada.sh --help`.

The blessed images come from programs of 2006 that lit surfaces with encoded numbers, so shades between light and dark differ from ours, which
are lit with linear light. Only what the format defines must agree: which pixels are covered (intersection over union of pixels that are not
black), and where things are and what colour they have. Two measures, on images of 256 pixels:

shape   intersection over union of the pixels where a channel is over 12 of 255, both images
tone    over the pixels where the largest channel is over 40 in both images: the mean of |a - b| of the channels, 0...1, after brightness is
        taken out, by dividing each colour by its largest channel

A file passes with shape >= 0.95 and tone <= 0.10; a file whose blessed image is black passes when ours is. Where several images were
blessed, the nearest counts. Of animations the first, the middle and the last of 15 frames are compared. Their times are written nowhere and differ
from file to file, so each is compared with ours at many times, then at more around the nearest, which counts: that shows whether the motion passes
through the same poses, not when.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import numpy
from PIL import Image, ImageDraw

from documents import write_section

ROOT = Path(__file__).resolve().parents[2]
SIZE = 256
SHAPE, TONE = 0.95, 0.10


def blessed(document):
    """The images that belong to a document: one, or the frames of its animation."""
    folder = document.parent / "Blessed"
    frames = sorted(folder.glob("animations/*/*.png"))
    return frames if frames else sorted(folder.glob("png/*.png"))


def read(path):
    image = Image.open(path).convert("RGB")
    return numpy.asarray(image.resize((SIZE, SIZE), Image.BOX if image.size[0] > SIZE else Image.NEAREST), numpy.float64)


def camera(program, document):
    """The camera to look through: the one that is called main, else the first."""
    text = document.read_text(encoding="utf-8", errors="replace")
    for name in ("mainCamera", "testCamera"):
        if f'name="{name}"' in text or f'id="{name}"' in text:
            return name
    return "0"


def draw(program, document, image, time=None, camera="0"):
    # A file without lights was shown in their programs' own; ours is the studio.
    strength = 0 if "instance_light" in document.read_text(encoding="utf-8", errors="replace") else 1
    command = [
        program, "render", str(document), "-o", str(image), f"--size={SIZE}x{SIZE}", f"--camera={camera}", f"--environment-intensity={strength}",
        "--background=color:#000000", "--tonemap=none", "--occlusion=map", "--samples=4",
    ]
    if time is not None:
        command += ["--animation=0", f"--time={time:g}"]
    result = subprocess.run(command, capture_output=True, text=True)
    return None if result.returncode == 0 else result.stderr.strip().splitlines()[-1:] or ["failed"]


def chroma(image):
    return image / numpy.maximum(image.max(axis=2, keepdims=True), 1)


def score(ours, theirs):
    a, b = ours.max(axis=2) > 12, theirs.max(axis=2) > 12
    union = (a | b).sum()
    if union == 0:
        return 1.0, 0.0
    bright = (ours.max(axis=2) > 40) & (theirs.max(axis=2) > 40)
    tone = float(numpy.abs(chroma(ours) - chroma(theirs)).mean(axis=2)[bright].mean()) if bright.any() else 0.0
    return float((a & b).sum() / union), tone


def sheet(rows, path, columns=6):
    if not rows:
        return
    tile, label = 128, 24
    height = -(-len(rows) // columns) * (tile + label)
    image = Image.new("RGB", (columns * (2 * tile + 8), height), "white")
    pen = ImageDraw.Draw(image)
    for index, (name, theirs, ours, shape, tone, passed) in enumerate(rows):
        x, y = index % columns * (2 * tile + 8), index // columns * (tile + label)
        pen.text((x + 1, y), name[-40:], fill="black" if passed else "red")
        pen.text((x + 1, y + 11), f"shape {shape:.3f} tone {tone:.3f}", fill="black" if passed else "red")
        for offset, pixels in ((0, theirs), (tile, ours)):
            image.paste(Image.fromarray(pixels.astype(numpy.uint8)).resize((tile, tile)), (x + offset, y + label))
    image.save(path)


# Moments of an animation that are drawn, over its first five seconds; and how often the step around the nearest is halved.
MOMENTS, HALVINGS = 21, 5


def rank(measured):
    (shape, tone), ours, theirs = measured
    return min(shape, 1 - tone), shape


def nearest(ours, theirs):
    """The score of the pair that is nearest, and the pair."""
    pairs = [(score(a, b), a, b) for a in ours for b in theirs]
    return max(pairs, key=rank)


def compare(options, document, images, name):
    """A list of (shape, tone, ours, theirs), one for each image that counts; or what went wrong."""
    is_moving = images[0].parent.parent.name == "animations"
    look = camera(options.vitrine, document)
    drawn = {}

    def at(time):
        """Our image at a time; a list of errors."""
        nonlocal look
        if time not in drawn:
            path = Path(options.out) / (name.replace("/", "-") + ("" if time is None else f"-{time:g}") + ".png")
            failure = draw(options.vitrine, document, path, time, look)
            if failure and look != "0":
                look = "0"
                failure = draw(options.vitrine, document, path, time, look)
            drawn[time] = failure or read(path)
        return drawn[time]

    step = 5 / (MOMENTS - 1)
    times = [step * moment for moment in range(MOMENTS)] if is_moving else [None]
    for time in times:
        if isinstance(at(time), list):
            return at(time)
    wanted = [[images[index]] for index in (0, len(images) // 2, len(images) - 1)] if is_moving else [images]
    found = []
    for likes in wanted:
        likes = [read(like) for like in likes]
        best = max(((nearest([at(time)], likes), time) for time in times), key=lambda pair: rank(pair[0]))
        for halving in range(1, HALVINGS + 1) if is_moving else ():
            if best[0][0][0] >= SHAPE and best[0][0][1] <= TONE:
                break
            around = [best[1] + sign * step / 2**halving for sign in (-1, 1)]
            pairs = [(nearest([at(time)], likes), time) for time in around if time >= 0 and not isinstance(at(time), list)]
            best = max([best] + pairs, key=lambda pair: rank(pair[0]))
        (shape, tone), ours, theirs = best[0]
        found.append((shape, tone, ours, theirs))
    return found


def run(options, cases):
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    results, tiles = [], []
    for document, images in cases:
        name = str(document.parent.relative_to(options.cts))
        found = compare(options, document, images, name)
        failure = None if isinstance(found[0], tuple) else found[0]
        scores = [] if failure else found
        worst = (min((f[0] for f in scores), default=0.0), max((f[1] for f in scores), default=1.0))
        for shape, tone, ours, theirs in scores:
            tiles.append((name, theirs, ours, shape, tone, shape >= SHAPE and tone <= TONE))
        passed = failure is None and worst[0] >= SHAPE and worst[1] <= TONE
        results.append((name, worst, passed, failure))
        print(f"{'ok  ' if passed else 'FAIL'} shape {worst[0]:.3f} tone {worst[1]:.3f} {name} {failure or ''}", flush=True)
    sheet(tiles, out / "sheet.png")
    sheet([t for t in tiles if not t[5]] or tiles[:1], out / "failures.png")
    return results


def markdown(results):
    passed = sum(r[2] for r in results)
    lines = [f"{passed} of {len(results)} files pass.", "", "| not passed | shape | tone |", "| --- | ---: | ---: |"]
    lines += [f"| `{name}` | {w[0]:.3f} | {w[1]:.3f} |" for name, w, ok, _ in results if not ok]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="scripts/quality/collada.sh", description="Compares COLLADA's conformance files with their blessed images.")
    parser.add_argument("--vitrine", default=ROOT / ".build/release/vitrine", help="the program (default: .build/release/vitrine)")
    parser.add_argument("--data", default=os.environ.get("VITRINE_DATA", ROOT / "../shared/data"), help="default: $VITRINE_DATA, else ../shared/data")
    parser.add_argument("--out", default=ROOT / "out/quality/collada", help="where the images go (default: out/quality/collada)")
    parser.add_argument("--only", help="only files with this in their path")
    parser.add_argument("--stills", action="store_true", help="leave the animations out, which take most of the time")
    parser.add_argument("--write", action="store_true", help="put the table into docs/measurements/files.md")
    options = parser.parse_args()
    options.cts = Path(options.data) / "dae/cts"
    if not options.cts.exists():
        sys.exit(f"error: {options.cts}: not there. Set VITRINE_DATA to the folder that holds dae/")
    if not Path(options.vitrine).exists():
        sys.exit(f"error: {options.vitrine}: not there. Build it: make build")
    cases = []
    for document in sorted(options.cts.rglob("*.dae")):
        # Beside it lie files that it refers to; the one named like its folder is the case.
        images = blessed(document)
        others = [d for d in document.parent.glob("*.dae")]
        if not images or (len(others) > 1 and document.stem != document.parent.name):
            continue
        if options.only and options.only not in str(document):
            continue
        if options.stills and images[0].parent.parent.name == "animations":
            continue
        cases.append((document, images))
    results = run(options, cases)
    print("\n" + markdown(results))
    if options.write:
        write_section(ROOT / "docs/measurements/files.md", "collada", markdown(results))


main()
