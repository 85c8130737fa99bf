"""Draws the scenes of reference-pictures/scenarios.csv beside what other renderers made of them.

Their environments are not there, so colours differ and are not scored. Only the shape must agree: the silhouettes (alpha over one half)
are compared by intersection over union, and the sheets are for people.
"""

import csv
from pathlib import Path

import numpy
from PIL import Image, ImageDraw

import renderer

# The model that stands in for the scenario's own path, where the folder has it under another name.
MODELS = {
    "khronos-DamagedHelmet": "DamagedHelmet/glTF/DamagedHelmet.gltf",
    "khronos-Avocado": "Avocado/glTF/Avocado.gltf",
    "khronos-FlightHelmet": "bevy-FlightHelmet/FlightHelmet.gltf",
    "khronos-NormalTangentTest": "NormalTangentTest/glTF-Binary/NormalTangentTest.glb",
    "khronos-TextureTransformTest": "textureTransform/TextureTransformTest.gltf",
    "khronos-ClearCoatTest": "ClearCoat-glTF/ClearCoatTest.gltf",
}
ENVIRONMENT = "studio.exr"
TILE = 384


def silhouette(image):
    return numpy.asarray(image.convert("RGBA").resize((512, 512), Image.BOX))[..., 3] > 127


def over_white(image):
    white = Image.new("RGBA", image.size, (255, 255, 255, 255))
    return Image.alpha_composite(white, image.convert("RGBA")).convert("RGB").resize((TILE, TILE), Image.LANCZOS)


def sheet(tiles, path, columns=4):
    rows = -(-len(tiles) // columns)
    image = Image.new("RGB", (columns * TILE, rows * (TILE + 20)), "white")
    draw = ImageDraw.Draw(image)
    for i, (label, tile) in enumerate(tiles):
        x, y = i % columns * TILE, i // columns * (TILE + 20)
        image.paste(tile, (x, y + 20))
        draw.text((x + 4, y + 4), label, fill="black")
    image.save(path)


def run(program, data, out, only=None):
    """Returns (name, lowest and median IoU with the others' silhouettes, how many others), and writes the sheets."""
    out.mkdir(parents=True, exist_ok=True)
    folder = data / "gltf" / "reference-pictures"
    results = []
    for scene in csv.DictReader(open(folder / "scenarios.csv")):
        name = scene["name"]
        model = MODELS.get(name)
        others = sorted((folder / name).glob("*.webp")) if model else []
        if not others or (only and only not in name):
            continue
        ours = out / f"{name}.png"
        renderer.render(
            program, data / "gltf" / model, data / "environments" / ENVIRONMENT, ours, size="768x768",
            orbit=f"{scene['theta_deg']},{90 - float(scene['phi_deg']):g},{scene['radius']}",
            target=f"{scene['target_x']},{scene['target_y']},{scene['target_z']}", fov=scene["vfov_deg"], background="transparent",
        )
        image = Image.open(ours)
        tiles, overlaps = [("vitrine", over_white(image))], []
        for path in others:
            other = Image.open(path)
            if other.size[0] != other.size[1]:
                continue  # One thumbnail has another shape.
            a, b = silhouette(image), silhouette(other)
            overlaps.append((a & b).sum() / (a | b).sum())
            label = path.name.removesuffix("-golden.thumb.webp")
            tiles.append((f"{label}, IoU {overlaps[-1]:.3f}", over_white(other)))
        sheet(tiles, out / f"{name}-sheet.png")
        results.append((name, min(overlaps), float(numpy.median(overlaps)), len(overlaps)))
        print(f"{name:32} IoU of silhouettes: lowest {min(overlaps):.4f}, median {results[-1][2]:.4f} of {len(overlaps)}", flush=True)
    return results


def markdown(results):
    lines = ["| scene | others | lowest IoU | median IoU |", "| --- | ---: | ---: | ---: |"]
    lines += [f"| {name} | {count} | {low:.4f} | {median:.4f} |" for name, low, median, count in results]
    return "\n".join(lines)
