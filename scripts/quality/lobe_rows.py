"""Which lobes are compared: four spheres each, as glTF materials, and a model file of them."""

import json
import struct
from dataclasses import dataclass, field

import numpy

SPACING = 2.2
COUNT = 4


@dataclass
class Row:
    name: str
    # What differs from sphere to sphere, and its four values.
    what: str
    values: list
    materials: list
    # Blender's importer reads it and Cycles has the lobe.
    cycles: bool = False
    extensions: list = field(default_factory=list)

    @property
    def stem(self):
        return "".join(c if c.isalnum() else "-" for c in self.name)


def row(name, what, values, material, cycles=False):
    """`material` makes the glTF material of a value: metallic-roughness numbers, then extensions without their prefix."""
    materials, used = [], []
    for value in values:
        base, extensions = material(value)
        entry = {"pbrMetallicRoughness": base}
        if extensions:
            entry["extensions"] = {f"KHR_materials_{key}": content for key, content in extensions.items()}
        materials.append(entry)
        used += entry.get("extensions", {}).keys()
    return Row(name, what, values, materials, cycles, sorted(set(used)))


def plastic(roughness, color=(0.5, 0.05, 0.08)):
    return {"metallicFactor": 0, "roughnessFactor": roughness, "baseColorFactor": [*color, 1]}


def metal(roughness, color=(0.9, 0.6, 0.25)):
    return {"metallicFactor": 1, "roughnessFactor": roughness, "baseColorFactor": [*color, 1]}


def glass(roughness, ior=1.5, volume=None, **more):
    body = {"thicknessFactor": 2, **(volume or {})}
    return {"metallicFactor": 0, "roughnessFactor": roughness}, {"transmission": {"transmissionFactor": 1}, "volume": body, "ior": {"ior": ior}, **more}


def film(ior, thickness):
    sizes = {"iridescenceThicknessMinimum": thickness, "iridescenceThicknessMaximum": thickness}
    return {"iridescence": {"iridescenceFactor": 1, "iridescenceIor": ior, **sizes}}


ROUGH = [0.0, 0.2, 0.5, 0.9]
GREEN = {"attenuationColor": [0.3, 0.8, 0.5], "attenuationDistance": 1}
ROWS = [
    row("dielectric", "roughness", ROUGH, lambda r: (plastic(r), {}), cycles=True),
    row("metal", "roughness", ROUGH, lambda r: (metal(r), {}), cycles=True),
    row("clearcoat", "its roughness", ROUGH, lambda r: (plastic(0.8), {"clearcoat": {"clearcoatFactor": 1, "clearcoatRoughnessFactor": r}}), cycles=True),
    row("specular", "factor, roughness 0.2", [0.0, 0.3, 0.6, 1.0], lambda f: (plastic(0.2, (0.1, 0.15, 0.3)), {"specular": {"specularFactor": f}}), cycles=True),
    row("ior", "index, roughness 0.2", [1.0, 1.2, 1.8, 2.4], lambda n: (plastic(0.2, (0.1, 0.15, 0.3)), {"ior": {"ior": n}})),
    row("sheen", "its roughness", [0.2, 0.4, 0.7, 1.0], lambda r: (plastic(0.9, (0.1, 0.03, 0.12)), {"sheen": {"sheenColorFactor": [0.9, 0.8, 0.6], "sheenRoughnessFactor": r}})),
    row("anisotropy 0.5", "roughness", [0.1, 0.25, 0.5, 0.8], lambda r: (metal(r), {"anisotropy": {"anisotropyStrength": 0.5}})),
    row("anisotropy 1", "roughness", [0.1, 0.25, 0.5, 0.8], lambda r: (metal(r), {"anisotropy": {"anisotropyStrength": 1}})),
    row("film on glass", "nanometres", [150, 300, 450, 700], lambda d: (plastic(0.1, (0.02, 0.02, 0.02)), film(1.8, d))),
    row("film on metal", "nanometres", [150, 300, 450, 700], lambda d: (metal(0.2, (0.6, 0.55, 0.5)), film(1.4, d))),
    row("glass", "roughness", [0.0, 0.2, 0.4, 0.7], lambda r: glass(r), cycles=True),
    row("glass, ior 1.2", "roughness", [0.0, 0.2, 0.4, 0.7], lambda r: glass(r, 1.2), cycles=True),
    row("green glass", "roughness", [0.0, 0.2, 0.4, 0.7], lambda r: glass(r, volume=GREEN), cycles=True),
    row("dispersion", "dispersion", [0.0, 1.0, 4.0, 10.0], lambda d: glass(0, 1.6, dispersion={"dispersion": d})),
]


def center(index):
    """Of a sphere of the row; its radius is 1."""
    return SPACING * (index - (COUNT - 1) / 2)


def sphere(rings=96, segments=192):
    """Points (normals as well), tangents towards growing longitude, triangles."""
    theta = numpy.linspace(0, numpy.pi, rings + 1)[:, None]
    phi = numpy.linspace(0, 2 * numpy.pi, segments + 1)[None]
    points = numpy.stack([numpy.sin(theta) * numpy.sin(phi), numpy.cos(theta) + 0 * phi, numpy.sin(theta) * numpy.cos(phi)], -1).reshape(-1, 3)
    tangents = numpy.stack([numpy.cos(phi) + 0 * theta, 0 * theta + 0 * phi, -numpy.sin(phi) + 0 * theta, 1 + 0 * theta + 0 * phi], -1).reshape(-1, 4)
    a = (numpy.arange(rings)[:, None] * (segments + 1) + numpy.arange(segments)[None]).reshape(-1)
    below = a + segments + 1
    triangles = numpy.concatenate([numpy.stack([a, below, below + 1], 1), numpy.stack([a, below + 1, a + 1], 1)])
    return points.astype("<f4"), tangents.astype("<f4"), triangles.astype("<u2")


def write_model(path, row, only=None):
    """The row's spheres as a binary glTF file, or one of them at its place."""
    parts = sphere()
    binary = b"".join(part.tobytes() for part in parts)
    shown = range(COUNT) if only is None else [only]
    ends = numpy.cumsum([part.nbytes for part in parts])
    attributes = {"POSITION": 0, "NORMAL": 0, "TANGENT": 1}
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(len(shown)))}],
        "nodes": [{"mesh": mesh, "translation": [center(index), 0, 0]} for mesh, index in enumerate(shown)],
        "meshes": [{"primitives": [{"attributes": attributes, "indices": 2, "material": mesh}]} for mesh in range(len(shown))],
        "materials": [row.materials[index] for index in shown],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": len(parts[0]), "min": [-1, -1, -1], "max": [1, 1, 1]},
            {"bufferView": 1, "componentType": 5126, "type": "VEC4", "count": len(parts[1])},
            {"bufferView": 2, "componentType": 5123, "type": "SCALAR", "count": parts[2].size},
        ],
        "bufferViews": [{"buffer": 0, "byteOffset": int(end - part.nbytes), "byteLength": part.nbytes} for part, end in zip(parts, ends)],
        "buffers": [{"byteLength": len(binary)}],
    }
    if row.extensions:
        document["extensionsUsed"] = row.extensions
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    header = struct.pack("<III", 0x46546C67, 2, 12 + 8 + len(text) + 8 + len(binary))
    path.write_bytes(header + struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary)
