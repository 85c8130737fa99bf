"""Scores our pictures of the scenes in a pictures.csv against the path tracer's; see metrics.py for the measures."""

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


def scenes(table):
    with open(table, newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def measure(scene, table, picture_path, out):
    name = Path(scene["picture"]).stem
    reference = metrics.read_picture(table.parent / scene["picture"])
    mask = metrics.read_mask(table.parent / scene["mask"])
    picture = metrics.read_picture(picture_path)
    difference = metrics.difference_picture(picture, reference) * mask[..., None] + 127.5 * ~mask[..., None]
    metrics.side_by_side(reference, picture, difference).save(out / f"{name}-compared.png")
    return Row(name, metrics.score(picture, reference, mask), metrics.score(picture, reference, metrics.without_border(mask)))


def run(program, data, table, out, only=None, pictures=None, msaa=4):
    """Draws and scores every scene. With `pictures`, a folder of NAME.png that another program made, nothing is drawn."""
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for scene in scenes(table):
        name = Path(scene["picture"]).stem
        if only and only not in name:
            continue
        picture = (Path(pictures) if pictures else out) / f"{name}.png"
        if pictures and not picture.exists():
            continue
        if not pictures:
            renderer.render(
                program, data / "gltf" / scene["model"], data / "environments" / scene["environment"], picture,
                size=scene["size"], orbit=scene["orbit"], target=scene["target"], fov=scene["fov"],
                environment_rotation=scene["rotation"], background="environment", tonemap="none", msaa=msaa,
            )
        row = measure(scene, table, picture, out)
        print(f"{row.name:32} {row.whole.psnr:6.2f} dB  ssim {row.whole.ssim:.4f}  energy {row.whole.energy:.3f}", flush=True)
        rows.append(row)
    return rows


def markdown(rows):
    lines = [
        "| picture | PSNR, dB | SSIM | energy | PSNR without the outline |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        w = row.whole
        lines.append(f"| {row.name} | {w.psnr:.2f} | {w.ssim:.4f} | {w.energy:.3f} | {row.inner.psnr:.2f} |")
    if len(rows) > 1:
        mean = lambda value: sum(value(row) for row in rows) / len(rows)
        lines.append(
            f"| *mean* | *{mean(lambda r: r.whole.psnr):.2f}* | *{mean(lambda r: r.whole.ssim):.4f}* "
            f"| *{mean(lambda r: r.whole.energy):.3f}* | *{mean(lambda r: r.inner.psnr):.2f}* |"
        )
    return "\n".join(lines)
