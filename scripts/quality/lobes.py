"""Scores our image of each lobe against two references; see lobes.sh.

exact   The published lobe in light from all around, integrated here (lobe_truth.py): exact Fresnel terms, films by wavelengths, everything that is
        scattered between microfacets, paths through glass.
Cycles  Blender's path tracer, where its importer reads the extension and its surface has the lobe.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import radiance_image
import lobe_rows
import lobe_truth
import metrics
import numpy
import renderer
from documents import write_section
from lobe_light import Light
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]


def draw_ours(program, row, environment, folder):
    model, image = folder / f"{row.stem}.glb", folder / f"{row.stem}.png"
    lobe_rows.write_model(model, row)
    renderer.render(
        program, model, environment, image, size="%dx%d" % lobe_truth.SIZE, orbit=f"0,0,{lobe_truth.DISTANCE}", target="0,0,0", fov=lobe_truth.FOV,
        background="environment", tonemap="none", occlusion="map",
    )
    return metrics.read_image(image)


def draw_exact(row, light, samples, folder):
    """As 8-bit values, and the noise that is left in them, in decibels."""
    kept = folder / f"{row.stem}-exact.npz"
    if not kept.exists():
        radiance, error = lobe_truth.image(row, light, samples)
        numpy.savez(kept, radiance=radiance, error=error)
    stored = numpy.load(kept)
    image = metrics.encoded(stored["radiance"])
    mask = numpy.logical_or.reduce(lobe_truth.masks())
    off = metrics.encoded(stored["radiance"] + stored["error"]) - image
    Image.fromarray(image.round().astype(numpy.uint8)).save(folder / f"{row.stem}-exact.png")
    return image.round(), 10 * numpy.log10(255**2 / max((off[mask] ** 2).mean(), 1e-9))


def draw_cycles(row, script, environment, samples, folder):
    """One sphere at a time, so that none mirrors its neighbours, put together."""
    kept = folder / f"{row.stem}-cycles.png"
    if not kept.exists():
        whole = numpy.zeros((lobe_truth.SIZE[1], lobe_truth.SIZE[0], 3))
        for index, mask in enumerate(lobe_truth.masks()):
            with tempfile.TemporaryDirectory() as temporary:
                model, image = Path(temporary) / "sphere.glb", Path(temporary) / "sphere.png"
                lobe_rows.write_model(model, row, only=index)
                trace(script, model, environment, image, samples)
                whole[mask] = metrics.read_image(image)[mask]
        Image.fromarray(whole.astype(numpy.uint8)).save(kept)
    return metrics.read_image(kept)


def trace(script, model, environment, image, samples):
    command = [
        "blender", "-b", "--python-use-system-env", "--python", str(script), "--", str(model), str(environment), str(image),
        "--size", "%dx%d" % lobe_truth.SIZE, f"--orbit=0,0,{lobe_truth.DISTANCE}", "--target=0,0,0", "--fov", str(lobe_truth.FOV), "--spp", str(samples),
    ]
    # Debian's Blender comes without NumPy: ours serves where both are of one Python version.
    packages = str(Path(numpy.__file__).parents[1])
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": packages})
    if not image.exists():
        sys.exit(f"error: blender drew nothing:\n{(result.stdout + result.stderr)[-600:]}")


def compare(path, reference, ours, mask):
    """Reference, ours, difference below each other."""
    shown = mask[..., None]
    parts = [reference * shown, ours * shown, metrics.difference_image(ours, reference) * shown + 127.5 * ~shown]
    Image.fromarray(numpy.concatenate([numpy.clip(p, 0, 255).astype(numpy.uint8) for p in parts])).save(path)


def scores(ours, reference, masks):
    whole = metrics.score(ours, reference, numpy.logical_or.reduce(masks))
    return whole, [metrics.score(ours, reference, mask) for mask in masks]


def tables(results):
    header = ["lobe", "four spheres", "PSNR, dB", "energy", "each sphere: PSNR", "each sphere: energy", "Cycles: PSNR", "energy", "Cycles against exact"]
    lines = [header, ["---", "---"] + ["---:"] * (len(header) - 2)]
    for row, (whole, parts), cycles, between, _ in results:
        what = f"{row.what} {', '.join(f'{value:g}' for value in row.values)}"
        cells = [row.name, what, f"{whole.psnr:.1f}", f"{whole.energy:.3f}"]
        cells += [", ".join(f"{p.psnr:.1f}" for p in parts), ", ".join(f"{p.energy:.2f}" for p in parts)]
        cells += [f"{cycles.psnr:.1f}", f"{cycles.energy:.3f}", f"{between.psnr:.1f} ({between.energy:.2f})"] if cycles else ["", "", ""]
        lines.append(cells)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main():
    parser = argparse.ArgumentParser(prog="scripts/quality/lobes.sh", description=__doc__.split("\n")[0])
    parser.add_argument("--vitrine", default=ROOT / ".build/release/vitrine")
    parser.add_argument("--data", default=os.environ.get("VITRINE_DATA", ROOT / "../shared/data"), help="holds environments/; ../tools beside it")
    parser.add_argument("--environment", default="venice_sunset_1k.hdr")
    parser.add_argument("--out", default=ROOT / "out/quality/lobes")
    parser.add_argument("--samples", type=int, default=256, help="a pixel, of both references; those that are there are not drawn again")
    parser.add_argument("--only", help="rows whose name has this in it")
    parser.add_argument("--exact-only", action="store_true", help="without Cycles")
    parser.add_argument("--write", action="store_true", help="put the table into docs/measurements/image-quality.md")
    options = parser.parse_args()
    out, environment = Path(options.out), Path(options.data) / "environments" / options.environment
    script = Path(options.data) / "../tools/cycles_reference.py"
    if not environment.exists():
        print(f"skipped: needs {environment}")
        return
    traces = not options.exact_only and shutil.which("blender") and script.exists()
    if not traces and not options.exact_only:
        print(f"without Cycles: needs blender (Debian package) and {script}")
    out.mkdir(parents=True, exist_ok=True)
    light, masks, results = Light(radiance_image.read(environment)), lobe_truth.masks(), []
    mask = numpy.logical_or.reduce(masks)
    for row in lobe_rows.ROWS:
        if options.only and options.only not in row.name:
            continue
        ours = draw_ours(options.vitrine, row, environment, out)
        exact, noise = draw_exact(row, light, options.samples, out)
        compare(out / f"{row.stem}-compared.png", exact, ours, mask)
        whole, parts = scores(ours, exact, masks)
        cycles = between = None
        if traces and row.cycles:
            traced = draw_cycles(row, script, environment, options.samples, out)
            compare(out / f"{row.stem}-cycles-compared.png", traced, ours, mask)
            cycles, between = metrics.score(ours, traced, mask), metrics.score(traced, exact, mask)
        results.append((row, (whole, parts), cycles, between, noise))
        each = "  ".join(f"{p.psnr:.1f} ({p.energy:.2f})" for p in parts)
        beside = f"  Cycles {cycles.psnr:.1f} ({cycles.energy:.2f}), it against exact {between.psnr:.1f} ({between.energy:.2f})" if cycles else ""
        print(f"{row.name:16} {whole.psnr:6.2f} dB  energy {whole.energy:.3f}  {each}  noise {noise:.0f} dB{beside}", flush=True)
    table = tables(results)
    print("\n" + table)
    if options.write:
        write_section(ROOT / "docs/measurements/image-quality.md", "lobes", table)


main()
