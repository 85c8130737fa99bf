#!/usr/bin/env python3
"""Difficult photo sets with exact truth: turntables, bases, objects with holes, plain plaster, photos that contradict each other.

    cases.py list
    cases.py make CASE FOLDER [--photos N] [--size WxH] [--backgrounds A.jpg,B.jpg] [--vitrine COMMAND]
    cases.py score FOLDER MODEL.obj POSES.json [--json]
    cases.py run [CASE ...] [--out FOLDER] [--detail preview] [--threads 1] [--extra "OPTIONS"]

`make` renders FOLDER/images, cameras.json and truth.obj. `run` makes each set unless it is there, reconstructs it and prints a row of a table.
Turntables stand in front of photographs: by default two of the data folder ($VITRINE_DATA, else ../shared/data). Needs numpy, scipy, ffmpeg.
"""
import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import photo_models as models
import photo_truth

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("VITRINE_DATA", ROOT / "../shared/data"))
# Fronts of buildings and rooms: much texture everywhere.
BACKGROUNDS = ["photosets/strecha-fountain-P11/images/0000.jpg", "photosets/fox/images/0001.jpg"]


@dataclass
class Case:
    """A photo set."""

    parts: object
    about: str
    photos: int = 24
    size: str = "480x360"
    rings: str = "15,40"
    # Options of `vitrine render`.
    look: list = field(default_factory=list)
    # The number of photographs behind a turntable; each stands behind one ring.
    backgrounds: int = 0
    reverses: bool = False
    # Changes the photos or cameras after rendering.
    change: object = None
    # Options of `vitrine reconstruct`.
    extra: list = field(default_factory=list)


class Work:
    """The temporary folder and the command of a run."""

    def __init__(self, vitrine, folder):
        self.vitrine, self.folder = vitrine, Path(folder)

    def run(self, *arguments):
        subprocess.run([self.vitrine, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    def owl(self):
        path = self.folder / "sample" / "owl.glb"
        if not path.exists():
            self.run("sample", self.folder / "sample", "--only", "model")
        return models.from_glb(path)


# MARK: Models


def owl(work):
    return [work.owl()]


def height(part):
    return part.positions[:, 1].max() - part.positions[:, 1].min()


def standing(work, radius, thickness, texture, is_wanted=True, sinks=0.002):
    """The owl on a round slab; radius and thickness relative to the owl's height."""
    figure = work.owl()
    tall = height(figure)
    radius, thickness = radius * tall, thickness * tall
    figure = figure.moved(shift=(0, thickness - sinks if is_wanted else thickness, 0))
    slab = models.cylinder(radius, thickness)
    slab.texture, slab.is_wanted = texture, is_wanted
    return [figure, slab]


def plinth(work):
    return standing(work, 0.42, 0.3, models.speckled(3, (40, 50, 66), (190, 205, 214)))


def plain_disc(work):
    figure, slab = standing(work, 0.6, 0.03, None, is_wanted=False)
    # It turns with the figure.
    slab.is_wanted = True
    return [figure, slab]


def textured_disc(work):
    return standing(work, 0.6, 0.06, models.speckled(5, (52, 66, 44), (206, 214, 178)))


def block(work):
    part = models.box((0.2, 0.12, 0.14))
    part.texture = models.speckled(7)
    return [part]


def egg(work):
    """Smooth and convex: a bias of the surface shows as a size."""
    turns = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 33)
    # Narrower at the top, the lowest point on y = 0.
    part = models.lathe([(abs(0.05 * np.cos(a)) * (1 - 0.12 * np.sin(a)) if abs(a) < 1.57 else 0, 0.065 + 0.065 * np.sin(a)) for a in turns], 128)
    part.texture = models.speckled(17)
    return [part]


def mug(work):
    """Open at the top, with a handle."""
    body = models.lathe([(0, 0), (0.036, 0), (0.042, 0.01), (0.042, 0.096), (0.038, 0.096), (0.038, 0.012), (0, 0.01)])
    turns = np.linspace(-0.5 * np.pi - 0.35, 0.5 * np.pi + 0.35, 49)
    path = np.stack([0.044 + 0.026 * np.cos(turns), 0.05 + 0.03 * np.sin(turns), 0 * turns], 1)
    handle = models.tube(path, 0.0055)
    body.texture, handle.texture = models.speckled(11, (30, 60, 90), (230, 228, 214)), models.speckled(12, (30, 60, 90), (230, 228, 214), 512)
    return [body, handle]


def chair(work):
    """Four legs, a seat and a back: 0.45 m wide."""
    texture = models.speckled(13, (70, 40, 24), (214, 170, 118))
    parts = [models.box((0.45, 0.04, 0.45)).moved(shift=(0, 0.42, 0)), models.box((0.45, 0.3, 0.035)).moved(shift=(0, 0.6, -0.2075))]
    legs = [models.box((0.045, 0.425, 0.045), 6).moved(shift=(x, 0, z)) for x in (-0.2, 0.2) for z in (-0.2, 0.2)]
    rails = [models.box((0.04, 0.2, 0.03), 6).moved(shift=(x, 0.45, -0.2075)) for x in (-0.18, 0.18)]
    for part in parts + legs + rails:
        part.texture = texture
    return parts + legs + rails


def plaster(work):
    """The bust of the data folder, without its paint."""
    part = models.from_obj(DATA / "photosets/bust36/truth.obj")
    part.color = (0.75, 0.74, 0.72)
    return [part]


def plaster_owl(work):
    part = work.owl()
    part.texture, part.color = None, (0.75, 0.74, 0.72)
    return [part]


# MARK: Sets whose photos contradict their cameras


def turned_halfway(work, out, case):
    """Half of the photos show the object turned by 70°, their cameras do not."""
    mixed(work, out, case, models.rotation((0, 1, 0), 70), (0, 0, 0))


def pushed_halfway(work, out, case):
    """Half of the photos show the object a fifth of its size further."""
    mixed(work, out, case, np.eye(3), (0.03, 0, 0))


def mixed(work, out, case, rotation, shift):
    parts = case.parts(work)
    moved = [part.moved(rotation, shift) for part in parts]
    # Invisible specks at the corners of both: the cameras and the table of a rendering depend on its bounds.
    places = np.concatenate([part.positions for part in parts + moved])
    specks = [models.box((1e-6, 1e-6, 1e-6), 1).moved(shift=corner) for corner in (places.min(0), places.max(0))]
    for name, objects, folder in (("still", parts, out), ("moved", moved, work.folder / "moved")):
        glb = work.folder / f"{name}.glb"
        models.write_glb(glb, objects + specks)
        shutil.rmtree(folder / "images", ignore_errors=True)
        render(work, glb, folder, case)
    names = sorted(p.name for p in (out / "images").iterdir())
    for name in names[len(names) // 2 :]:
        shutil.copy(work.folder / "moved" / "images" / name, out / "images" / name)


def mirrored_half(work, out, case):
    names = sorted(p.name for p in (out / "images").iterdir())
    for name in names[len(names) // 2 :]:
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-i", out / "images" / name, "-vf", "hflip", "-q:v", "2", work.folder / name], check=True)
        shutil.copy(work.folder / name, out / "images" / name)


TABLE = ["--table"]
BLACK = ["--background", "color:#000000", "--noise", "1"]
CASES = {
    "facades": Case(owl, "owl on a turntable, a photograph behind each ring", 48, backgrounds=2),
    "facades-reversed": Case(owl, "the photographs in the other order", 48, backgrounds=2, reverses=True),
    "facade": Case(owl, "one photograph behind both rings", backgrounds=1),
    "plain-disc": Case(plain_disc, "owl on a visible plain disc that turns, one photograph", backgrounds=1),
    "textured-disc": Case(textured_disc, "owl on a textured disc that turns with it, one photograph", backgrounds=1),
    "plinth-turntable": Case(plinth, "owl and plinth on a turntable, two photographs", backgrounds=2),
    "plinth-table": Case(plinth, "owl and plinth on a large table", look=TABLE),
    "plinth-backdrop": Case(plinth, "owl and plinth before a plain backdrop"),
    "block-table": Case(block, "a box on a large table", look=TABLE),
    "egg": Case(egg, "an egg on a table", look=TABLE, rings="30"),
    "egg-rings": Case(egg, "the same, two rings", look=TABLE),
    "mug": Case(mug, "a mug with a handle on a table", look=TABLE),
    "chair": Case(chair, "a chair on a patterned floor", look=TABLE, rings="8,30,55", photos=36),
    "plaster": Case(plaster, "plaster bust on black, 22.5° apart", 16, "640x480", "20", ["--on-turntable", *BLACK]),
    "plaster-still": Case(plaster, "the same, light at rest around the bust", 16, "640x480", "20", BLACK),
    "plaster-owl": Case(plaster_owl, "plaster owl on black, 22.5° apart", 16, "640x480", "20", BLACK),
    "plaster-owl-table": Case(plaster_owl, "the same on a patterned table", 16, "640x480", "20", TABLE),
    "turned": Case(owl, "turned by 70° after half of the photos, cameras given", look=TABLE, change=turned_halfway),
    "pushed": Case(owl, "pushed by a fifth of its size after half of the photos, cameras given", look=TABLE, change=pushed_halfway),
    "mirrored": Case(owl, "half of the photos mirrored, cameras given", look=TABLE, change=mirrored_half),
}


def render(work, model, folder, case):
    look = list(case.look)
    if case.backgrounds:
        look += ["--on-turntable", "--background", "transparent", "--photo-format", "png", "--noise", 0]
    work.run(
        "render", model, "-o", folder, "--photoset", case.photos, "--rings", case.rings, "--size", case.size, "--fov", 40, "--samples", 6, "--occlusion", "map",
        *look)


def compose(folder, out, case, backgrounds):
    """Puts the photographs behind the transparent renderings, with the noise of a camera."""
    width, height = map(int, case.size.split("x"))
    files = sorted(folder.glob("*.png"))
    random = np.random.default_rng(17)
    for ring, photograph in enumerate(backgrounds):
        own = files[ring * len(files) // len(backgrounds) : (ring + 1) * len(files) // len(backgrounds)]
        first = int(own[0].stem)
        over = f"[0]scale={width}:{height}:force_original_aspect_ratio=increase,crop={width}:{height}[b];[b][1]overlay=format=rgb"
        raw = subprocess.run(
            ["ffmpeg", "-v", "error", "-loop", "1", "-i", photograph, "-start_number", str(first), "-i", folder / "%03d.png", "-filter_complex", over,
             "-frames:v", str(len(own)), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], check=True, capture_output=True).stdout
        frames = np.frombuffer(raw, np.uint8).reshape(len(own), height, width, 3)
        noisy = np.clip(frames + random.normal(0, 1.5, frames.shape) + 0.5, 0, 255).astype(np.uint8)
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", case.size, "-i", "-", "-start_number", str(first), "-q:v", "2",
             "-pix_fmt", "yuvj444p", out / "%03d.jpg"], input=noisy.tobytes(), check=True)


def make(name, out, vitrine, photos=None, size=None, backgrounds=None):
    case = CASES[name]
    case.photos, case.size = photos or case.photos, size or case.size
    out = Path(out)
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Work(vitrine, folder)
        parts = case.parts(work)
        models.write_glb(work.folder / "model.glb", parts)
        render(work, work.folder / "model.glb", out, case)
        models.write_truth(out / "truth.obj", visible(parts))
        if case.backgrounds:
            shutil.move(out / "images", work.folder / "renderings")
            (out / "images").mkdir()
            chosen = (backgrounds or [DATA / b for b in BACKGROUNDS])[: case.backgrounds]
            compose(work.folder / "renderings", out / "images", case, chosen[::-1] if case.reverses else chosen)
            cameras = json.loads((out / "cameras.json").read_text())
            for camera in cameras["cameras"]:
                camera["image"] = str(Path(camera["image"]).with_suffix(".jpg"))
            (out / "cameras.json").write_text(json.dumps(cameras, indent=1))
        if case.change:
            case.change(work, out, case)


def visible(parts):
    """Without the contact between a figure and the slab under it."""
    from scipy.spatial import ConvexHull, Delaunay

    wanted = [part for part in parts if part.is_wanted]
    if len(wanted) != 2 or parts[0].positions[:, 1].min() < 1e-4:
        return wanted
    figure, slab = wanted
    top = slab.positions[:, 1].max()
    foot = figure.positions[figure.positions[:, 1] < top + 1e-3][:, [0, 2]]
    outline = Delaunay(foot[ConvexHull(foot).vertices])
    covered = lambda p: (np.abs(p[:, 1] - top) < 1e-6) & (outline.find_simplex(p[:, [0, 2]]) >= 0)
    return [models.without(figure, lambda p: p[:, 1] < top + 1e-6), models.without(slab, covered)]


def run(options):
    print("| case | photos | used | rotation, ° | camera, % | F at 0.5 % | F at 1 % | pieces, open edges | contradicting | processor, s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in options.cases or CASES:
        folder = Path(options.out) / name
        if not (folder / "truth.obj").exists():
            make(name, folder, options.vitrine)
        case, out = CASES[name], folder / "result"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        given = ["--cameras", folder / "cameras.json"] if case.change else []
        command = [
            options.vitrine, "reconstruct", folder / "images", "-o", out / "model.obj", "-o", out / "model.glb", "--poses", out / "poses.json",
            "--detail", options.detail, "--threads", options.threads, "--checkpoint", out / "checkpoint", "--json", *given, *case.extra,
            *options.extra.split()]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(out / "log.txt", "w") as log:
            done = subprocess.run(list(map(str, command)), stdout=log, stderr=subprocess.STDOUT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if not options.keep:
            shutil.rmtree(out / "checkpoint", ignore_errors=True)
        lines = [json.loads(line) for line in (out / "log.txt").read_text().splitlines() if line.startswith("{")]
        if done.returncode:
            print(f"| {name} | failed: {(out / 'log.txt').read_text().splitlines()[-1][:200]}", flush=True)
            continue
        r = photo_truth.score(folder, out / "model.obj", out / "poses.json")
        (out / "score.json").write_text(json.dumps(r))
        final = next(line for line in reversed(lines) if line.get("event") == "result")
        against = ", ".join(str(round(m.get("contradicting_photos", 0))) for m in final.get("models", [])[:1])
        print(
            f"| {name} | {r['of']} | {r['photos']} | {r.get('camera_degrees', 0):.2f} | {r['camera_percent']:.2f} | {r['at 0.5']['f']:.3f} | "
            f"{r['at 1.0']['f']:.3f} | {r['pieces']}, {r['open_edges']} | {against} | {seconds:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    vitrine = {"default": ROOT / ".build/release/vitrine"}
    lister = commands.add_parser("list")
    lister.set_defaults(act=lambda o: [print(f"{name:18} {case.about}") for name, case in CASES.items()])
    maker = commands.add_parser("make")
    maker.add_argument("case", choices=CASES)
    maker.add_argument("folder")
    maker.add_argument("--photos", type=int)
    maker.add_argument("--size")
    maker.add_argument("--backgrounds", type=lambda text: text.split(","))
    maker.add_argument("--vitrine", **vitrine)
    maker.set_defaults(act=lambda o: make(o.case, o.folder, o.vitrine, o.photos, o.size, o.backgrounds))
    scorer = commands.add_parser("score")
    scorer.add_argument("folder")
    scorer.add_argument("model")
    scorer.add_argument("poses")
    scorer.add_argument("--json", action="store_true")
    scorer.set_defaults(act=lambda o: print_score(photo_truth.score(o.folder, o.model, o.poses), o.json))
    runner = commands.add_parser("run")
    runner.add_argument("cases", nargs="*")
    runner.add_argument("--out", default=ROOT / "out/quality/cases")
    runner.add_argument("--detail", default="preview")
    runner.add_argument("--threads", default=1)
    runner.add_argument("--extra", default="")
    runner.add_argument("--keep", action="store_true", help="keep the checkpoints")
    runner.add_argument("--vitrine", **vitrine)
    runner.set_defaults(act=run)
    options = parser.parse_args()
    unknown = [c for c in getattr(options, "cases", []) if c not in CASES]
    if unknown:
        sys.exit(f"error: no case {unknown[0]}: cases.py list")
    options.act(options)


def print_score(result, as_json):
    print(json.dumps(result)) if as_json else photo_truth.show(result)


main()
