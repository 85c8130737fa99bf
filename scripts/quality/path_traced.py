"""Scores our images of the scenes in a pictures.csv against the path tracer's; see metrics.py for the measures."""

import csv
from dataclasses import dataclass
from pathlib import Path

import metrics
import renderer


@dataclass
class Row:
    name: str
    whole: metrics.Score
    inner: metrics.Score
    # One frame with four samples per pixel, as in a window.
    frame: metrics.Score | None = None


def scenes(table):
    with open(table, newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def measure(scene, table, image_path, out):
    name = Path(scene["picture"]).stem
    reference = metrics.read_image(table.parent / scene["picture"])
    mask = metrics.read_mask(table.parent / scene["mask"])
    image = metrics.read_image(image_path)
    difference = metrics.difference_image(image, reference) * mask[..., None] + 127.5 * ~mask[..., None]
    metrics.side_by_side(reference, image, difference).save(out / f"{name}-compared.png")
    return Row(name, metrics.score(image, reference, mask), metrics.score(image, reference, metrics.without_border(mask)))


def draw(program, data, scene, image, **options):
    renderer.render(
        program, data / "gltf" / scene["model"], data / "environments" / scene["environment"], image,
        size=scene["size"], orbit=scene["orbit"], target=scene["target"], fov=scene["fov"],
        environment_rotation=scene["rotation"], background="environment", tonemap="none", **options,
    )


def run(program, data, table, out, only=None, images=None, path_samples=None):
    """Draws and scores every scene. With `images`, a folder of NAME.png that another program made, nothing is drawn. With `path_samples`, our own path tracer
    draws."""
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for scene in scenes(table):
        name = Path(scene["picture"]).stem
        if only and only not in name:
            continue
        image = (Path(images) if images else out) / f"{name}.png"
        if images and not image.exists():
            continue
        if path_samples:
            draw(program, data, scene, image, quality="path", samples=path_samples)
        elif not images:
            draw(program, data, scene, image)
            draw(program, data, scene, out / f"{name}-frame.png", msaa=4)
        row = measure(scene, table, image, out)
        if not images and not path_samples:
            reference, mask = metrics.read_image(table.parent / scene["picture"]), metrics.read_mask(table.parent / scene["mask"])
            row.frame = metrics.score(metrics.read_image(out / f"{name}-frame.png"), reference, mask)
        print(f"{row.name:32} {row.whole.psnr:6.2f} dB  ssim {row.whole.ssim:.4f}  energy {row.whole.energy:.3f}" + (f"  one frame {row.frame.psnr:6.2f} dB" if row.frame else ""), flush=True)
        rows.append(row)
    return rows


def markdown(rows):
    header = ["image", "PSNR, dB", "SSIM", "energy", "PSNR without the outline", "one frame, MSAA 4×: PSNR", "SSIM", "energy"]
    values = [
        [r.whole.psnr, r.whole.ssim, r.whole.energy, r.inner.psnr] + ([r.frame.psnr, r.frame.ssim, r.frame.energy] if r.frame else [None] * 3) for r in rows
    ]
    formats = [".2f", ".4f", ".3f", ".2f", ".2f", ".4f", ".3f"]
    cells = lambda row: [format(value, f) if value is not None else "" for value, f in zip(row, formats)]
    lines = [header, ["---"] + ["---:"] * 7] + [[r.name, *cells(v)] for r, v in zip(rows, values)]
    if len(rows) > 1:
        means = [sum(column) / len(column) if None not in column else None for column in zip(*values)]
        lines.append(["*mean*", *(f"*{cell}*" if cell else "" for cell in cells(means))])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
