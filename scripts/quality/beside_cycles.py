"""Puts images of a model by Vitrine's renderers and by Cycles side by side: `scripts/quality/beside_cycles.sh`. Blender runs this file, too."""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def numbers(text):
    return [float(part) for part in text.split(",")]


def trace():
    """Within Blender: the model, and a white floor that shows its shadow and the background around."""
    sys.path.insert(0, str(Path(__file__).parent))
    import bpy
    import cycles_scene
    import numpy

    task = json.loads(sys.argv[sys.argv.index("--") + 1])
    scene = cycles_scene.load(task["model"])
    cycles_scene.light(scene, task["environment"])
    cycles_scene.look(scene, task["orbit"], task["target"], task["fov"])
    if task["ground"]:
        corners = [o.matrix_world @ cycles_scene.Vector(c) for o in scene.objects if o.type == "MESH" for c in o.bound_box]
        extent = max((a - b).length for a in corners for b in corners)
        bpy.ops.mesh.primitive_plane_add(size=40 * extent, location=(0, 0, min(c.z for c in corners)))
        bpy.context.object.is_shadow_catcher = True
        scene.render.film_transparent, scene.render.image_settings.color_mode = True, "RGBA"
    cycles_scene.trace(scene, task["image"], task["size"], task["samples"])
    image = bpy.data.images.load(task["image"])
    rows = numpy.array(image.pixels[:], numpy.float32).reshape(image.size[1], image.size[0], 4)[::-1]
    # Over white.
    numpy.save(task["pixels"], rows[..., :3] + (1 - rows[..., 3:]) if task["ground"] else rows[..., :3])


def main():
    import metrics
    import numpy
    from PIL import Image

    parser = argparse.ArgumentParser(prog="scripts/quality/beside_cycles.sh")
    parser.add_argument("model", type=Path)
    parser.add_argument("environment", type=Path)
    parser.add_argument("--orbit", default="30,15,3")
    parser.add_argument("--target", default="0,0,0")
    parser.add_argument("--samples", type=int, default=128)
    parser.add_argument("--size", default="480x480")
    parser.add_argument("--ground", action="store_true")
    parser.add_argument("--vitrine", default=ROOT / ".build/release/vitrine")
    options = parser.parse_args()
    for path in (options.model, options.environment):
        if not path.is_file():
            sys.exit(f"error: {path}: no such file")
    if not shutil.which("blender"):
        sys.exit("error: blender is not installed: sudo apt-get install -y blender")
    out = ROOT / "out/quality/beside"
    out.mkdir(parents=True, exist_ok=True)
    name, fov = options.model.stem, 30
    shared = dict(size=options.size, orbit=options.orbit, target=options.target, fov=fov, tonemap="none")
    shared["background"] = "color:#FFFFFF" if options.ground else "environment"
    ours = []
    for kind, extra in [("still", {}), ("path", dict(quality="path", samples=options.samples))]:
        image = out / f"{name}-{kind}.png"
        command = [options.vitrine, "render", options.model, "-o", image, "--environment", options.environment] + ["--ground"] * options.ground
        command += [f"--{key}={value}" for key, value in {**shared, **extra}.items()]
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
        ours.append(metrics.read_image(image))
    pixels = out / f"{name}-cycles.npy"
    task = dict(
        model=str(options.model.resolve()), environment=str(options.environment.resolve()), orbit=numbers(options.orbit), target=numbers(options.target), fov=fov,
        size=[int(side) for side in options.size.split("x")], samples=options.samples, ground=options.ground, image=str(out / f"{name}-cycles.exr"), pixels=str(pixels),
    )
    command = ["blender", "-b", "--python-use-system-env", "--python-exit-code", "1", "--python", __file__, "--", json.dumps(task)]
    # Blender's Python imports our NumPy.
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(Path(numpy.__file__).parents[1])})
    if result.returncode != 0:
        sys.exit(f"error: quality: blender: {result.stdout[-500:]}{result.stderr[-2000:]}")
    ours.append(metrics.encoded(numpy.load(pixels)))
    sheet = numpy.concatenate([numpy.clip(image, 0, 255).round().astype(numpy.uint8) for image in ours], axis=1)
    Image.fromarray(sheet).save(out / f"{name}.png")
    print(out / f"{name}.png")


if "--python" in sys.argv:
    trace()
else:
    main()
