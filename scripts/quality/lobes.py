"""Scores our picture of each lobe against Blender's Cycles: rows of spheres in an environment, made here. See lobes.sh.

What Blender 3.4's glTF importer reads is compared: base, metal, clearcoat, transmission with volume. An index of refraction
changes only what it refracts there, not what it reflects.
"""

import argparse
import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy

import metrics
import renderer
from documents import write_section

ROOT = Path(__file__).resolve().parents[2]
ROUGHNESSES = [0.0, 0.2, 0.5, 0.9]

# Names are rows of the table: pbrMetallicRoughness, then extensions.
LOBES = {
    "dielectric": ({"metallicFactor": 0, "baseColorFactor": [0.5, 0.05, 0.08, 1]}, {}),
    "metal": ({"metallicFactor": 1, "baseColorFactor": [0.9, 0.6, 0.25, 1]}, {}),
    "clearcoat": ({"metallicFactor": 0, "baseColorFactor": [0.5, 0.05, 0.08, 1]}, {"KHR_materials_clearcoat": {"clearcoatFactor": 1}}),
    "specular 0": ({"metallicFactor": 0, "baseColorFactor": [0.1, 0.15, 0.3, 1]}, {"KHR_materials_specular": {"specularFactor": 0}}),
    "glass, ior 1.5": (
        {"metallicFactor": 0},
        {"KHR_materials_transmission": {"transmissionFactor": 1}, "KHR_materials_volume": {"thicknessFactor": 2}, "KHR_materials_ior": {"ior": 1.5}},
    ),
}


def sphere(rings=64, segments=128):
    theta = numpy.linspace(0, numpy.pi, rings + 1)[:, None]
    phi = numpy.linspace(0, 2 * numpy.pi, segments + 1)[None]
    points = numpy.stack([numpy.sin(theta) * numpy.sin(phi), numpy.cos(theta) + 0 * phi, numpy.sin(theta) * numpy.cos(phi)], -1).reshape(-1, 3)
    a = (numpy.arange(rings)[:, None] * (segments + 1) + numpy.arange(segments)[None]).reshape(-1)
    row = segments + 1
    triangles = numpy.concatenate([numpy.stack([a, a + row, a + row + 1], 1), numpy.stack([a, a + row + 1, a + 1], 1)])
    return points.astype("<f4"), triangles.astype("<u2")


def write_model(path, base, extensions):
    """A row of spheres of radius 1, one a roughness."""
    points, triangles = sphere()
    binary = points.tobytes() + triangles.tobytes()
    materials, meshes, nodes = [], [], []
    for index, roughness in enumerate(ROUGHNESSES):
        extra = json.loads(json.dumps(extensions))
        material = {"pbrMetallicRoughness": {**base, "roughnessFactor": roughness}}
        if "KHR_materials_clearcoat" in extra:
            # The coat has the roughness of the row; below it is dull.
            extra["KHR_materials_clearcoat"]["clearcoatRoughnessFactor"] = roughness
            material["pbrMetallicRoughness"]["roughnessFactor"] = 0.8
        if extra:
            material["extensions"] = extra
        materials.append(material)
        meshes.append({"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 0}, "indices": 1, "material": index}]})
        nodes.append({"mesh": index, "translation": [2.2 * (index - (len(ROUGHNESSES) - 1) / 2), 0, 0]})
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(len(nodes)))}], "nodes": nodes, "meshes": meshes,
        "materials": materials, "extensionsUsed": list(extensions),
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": len(points), "min": [-1, -1, -1], "max": [1, 1, 1]},
            {"bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": triangles.size},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": points.nbytes, "target": 34962},
            {"buffer": 0, "byteOffset": points.nbytes, "byteLength": triangles.nbytes, "target": 34963},
        ],
        "buffers": [{"byteLength": len(binary)}],
    }
    if not extensions:
        del document["extensionsUsed"]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    header = struct.pack("<III", 0x46546C67, 2, 12 + 8 + len(text) + 8 + len(binary))
    path.write_bytes(header + struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary)


SIZE, FOV, DISTANCE = (512, 128), 30, 4.8


def mask():
    """The spheres' pixels, worked out: inside a sphere's outline as the camera sees it."""
    width, height = SIZE
    scale = numpy.tan(numpy.radians(FOV / 2))
    y, x = numpy.mgrid[0:height, 0:width]
    rays = numpy.stack([(2 * (x + 0.5) / width - 1) * scale * width / height, (1 - 2 * (y + 0.5) / height) * scale, -numpy.ones_like(x, float)], -1)
    rays /= numpy.linalg.norm(rays, axis=-1, keepdims=True)
    seen = numpy.zeros((height, width), bool)
    for index in range(len(ROUGHNESSES)):
        center = numpy.array([2.2 * (index - (len(ROUGHNESSES) - 1) / 2), 0, -DISTANCE])
        along = rays @ center
        seen |= (center @ center - along**2 < 0.97) & (along > 0)
    return seen


def reference(script, model, environment, picture, samples):
    if picture.exists():
        return
    command = [
        "blender", "-b", "--python-use-system-env", "--python", str(script), "--", str(model), str(environment), str(picture), "--size", "%dx%d" % SIZE,
        f"--orbit=0,0,{DISTANCE}", "--target=0,0,0", "--fov", str(FOV), "--spp", str(samples),
    ]
    # Debian's Blender comes without NumPy: ours serves where both are of one Python version.
    packages = str(Path(numpy.__file__).parents[1])
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": packages})
    if not picture.exists():
        sys.exit(f"error: blender drew nothing:\n{(result.stdout + result.stderr)[-600:]}")


def main():
    parser = argparse.ArgumentParser(prog="scripts/quality/lobes.sh", description=__doc__.split("\n")[0])
    parser.add_argument("--vitrine", default=ROOT / ".build/release/vitrine")
    parser.add_argument("--data", default=os.environ.get("VITRINE_DATA", ROOT / "../shared/data"), help="holds environments/; ../tools beside it")
    parser.add_argument("--environment", default="venice_sunset_1k.hdr")
    parser.add_argument("--out", default=ROOT / "out/quality/lobes")
    parser.add_argument("--samples", type=int, default=128, help="of the path tracer")
    parser.add_argument("--only")
    parser.add_argument("--write", action="store_true", help="put the table into docs/quality.md")
    options = parser.parse_args()
    out, environment = Path(options.out), Path(options.data) / "environments" / options.environment
    script = Path(options.data) / "../tools/cycles_reference.py"
    if not shutil.which("blender") or not environment.exists() or not script.exists():
        print(f"skipped: needs blender (Debian package), {environment} and {script}")
        return
    out.mkdir(parents=True, exist_ok=True)
    shown, rows = mask(), []
    for name, (base, extensions) in LOBES.items():
        if options.only and options.only not in name:
            continue
        stem = name.replace(" ", "-").replace(",", "")
        model, truth, picture = out / f"{stem}.glb", out / f"{stem}-cycles.png", out / f"{stem}.png"
        write_model(model, base, extensions)
        reference(script, model, environment, truth, options.samples)
        renderer.render(
            options.vitrine, model, environment, picture, size="%dx%d" % SIZE, orbit=f"0,0,{DISTANCE}", target="0,0,0", fov=FOV,
            background="environment", tonemap="none", occlusion="map",
        )
        ours, theirs = metrics.read_picture(picture), metrics.read_picture(truth)
        metrics.side_by_side(theirs, ours, metrics.difference_picture(ours, theirs)).save(out / f"{stem}-compared.png")
        score = metrics.score(ours, theirs, shown)
        columns = []
        for index in range(len(ROUGHNESSES)):
            part = shown.copy()
            part[:, : SIZE[0] * index // 4] = False
            part[:, SIZE[0] * (index + 1) // 4 :] = False
            columns.append(metrics.score(ours, theirs, part).psnr)
        rows.append((name, score, columns))
        print(f"{name:16} {score.psnr:6.2f} dB  energy {score.energy:.3f}  " + "  ".join(f"{c:.1f}" for c in columns), flush=True)
    header = ["lobe", "PSNR, dB", "energy", *(f"roughness {r}" for r in ROUGHNESSES)]
    lines = [header, ["---"] + ["---:"] * (len(header) - 1)]
    lines += [[n, f"{s.psnr:.1f}", f"{s.energy:.3f}", *(f"{c:.1f}" for c in columns)] for n, s, columns in rows]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    print("\n" + table)
    if options.write:
        write_section(ROOT / "docs/quality.md", "lobes", table)


main()
