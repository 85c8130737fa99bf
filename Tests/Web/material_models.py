"""Small models of one kind of material each, made here: spheres, and a striped wall behind those that transmit light."""
import json
import math
import struct


def _sphere(rings=40, segments=80):
    positions, uvs, triangles = [], [], []
    for ring in range(rings + 1):
        theta = math.pi * ring / rings
        for segment in range(segments + 1):
            phi = 2 * math.pi * segment / segments
            positions += [math.sin(theta) * math.sin(phi), math.cos(theta), math.sin(theta) * math.cos(phi)]
            uvs += [segment / segments, ring / rings]
    for ring in range(rings):
        for segment in range(segments):
            first = ring * (segments + 1) + segment
            below = first + segments + 1
            triangles += [first, below, below + 1, first, below + 1, first + 1]
    return positions, positions, uvs, triangles


def _wall(left, right, bottom, top, depth, stripes):
    """Vertical stripes: every second one, so that two walls of different material interleave."""
    positions, normals, uvs, triangles = [], [], [], []
    width = (right - left) / stripes
    for stripe in range(0, stripes, 2):
        x, base = left + stripe * width, len(positions) // 3
        positions += [x, bottom, depth, x + width, bottom, depth, x + width, top, depth, x, top, depth]
        normals += [0, 0, 1] * 4
        uvs += [0, 1, 1, 1, 1, 0, 0, 0]
        triangles += [base, base + 1, base + 2, base, base + 2, base + 3]
    return positions, normals, uvs, triangles


def _glb(path, parts):
    """`parts`: (geometry, position, material)."""
    binary, document = b"", {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(len(parts)))}], "nodes": [], "meshes": [], "materials": [], "accessors": [],
        "bufferViews": [], "extensionsUsed": sorted({name for _, _, material in parts for name in material.get("extensions", {})}),
    }

    def accessor(values, kind, letter, size):
        nonlocal binary
        data = struct.pack(f"<{len(values)}{letter}", *values)
        document["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)})
        binary += data
        entry = {"bufferView": len(document["bufferViews"]) - 1, "componentType": {"f": 5126, "I": 5125}[letter], "type": kind, "count": len(values) // size}
        if kind == "VEC3":
            entry |= {"min": [min(values[axis::3]) for axis in range(3)], "max": [max(values[axis::3]) for axis in range(3)]}
        document["accessors"].append(entry)
        return len(document["accessors"]) - 1

    for (positions, normals, uvs, triangles), position, material in parts:
        attributes = {"POSITION": accessor(positions, "VEC3", "f", 3), "NORMAL": accessor(normals, "VEC3", "f", 3), "TEXCOORD_0": accessor(uvs, "VEC2", "f", 2)}
        index = len(document["meshes"])
        document["meshes"].append({"primitives": [{"attributes": attributes, "indices": accessor(triangles, "SCALAR", "I", 1), "material": index}]})
        document["nodes"].append({"mesh": index, "translation": position})
        document["materials"].append(material)
    document["buffers"] = [{"byteLength": len(binary)}]
    if not document["extensionsUsed"]:
        del document["extensionsUsed"]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    header = struct.pack("<III", 0x46546C67, 2, 28 + len(text) + len(binary))
    path.write_bytes(header + struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary)


def _material(color, roughness, metalness=0, **extensions):
    result = {"pbrMetallicRoughness": {"baseColorFactor": [*color, 1], "roughnessFactor": roughness, "metallicFactor": metalness}}
    if extensions:
        result["extensions"] = {f"KHR_materials_{name}": content for name, content in extensions.items()}
    return result


def _spheres(path, materials, behind=()):
    sphere = _sphere()
    _glb(path, [(sphere, [2.2 * (index % 2) - 1.1, 1.1 - 2.2 * (index // 2), 0], material) for index, material in enumerate(materials)] + list(behind))


def transmission(path):
    """Thin glass, clear thick glass, rough glass and tinted glass in front of stripes."""
    volume = {"thicknessFactor": 2}
    light, dark = _wall(-2.8, 2.8, -2.4, 2.4, -1.6, 14), _wall(-2.4, 3.2, -2.4, 2.4, -1.6, 14)
    _spheres(path, [
        _material((0.8, 0.9, 1), 0.05, transmission={"transmissionFactor": 0.9}),
        _material((1, 1, 1), 0, transmission={"transmissionFactor": 1}, volume=volume, ior={"ior": 1.5}),
        _material((1, 1, 1), 0.3, transmission={"transmissionFactor": 1}, volume=volume, ior={"ior": 1.4}),
        _material((1, 1, 1), 0.05, transmission={"transmissionFactor": 1}, volume=volume | {"attenuationColor": [0.9, 0.3, 0.1], "attenuationDistance": 1.2}),
    ], [(light, [0, 0, 0], _material((0.9, 0.85, 0.7), 0.9)), (dark, [0, 0, 0], _material((0.1, 0.2, 0.35), 0.9))])


def sheen(path):
    """Cloth: the sheen's roughness grows from left to right, the last one is velvet."""
    _spheres(path, [_material((0.2, 0.03, 0.06), 0.9, sheen={"sheenColorFactor": [1, 0.7, 0.6], "sheenRoughnessFactor": roughness}) for roughness in (0.15, 0.35, 0.6)]
             + [_material((0.01, 0.02, 0.08), 1, sheen={"sheenColorFactor": [0.3, 0.4, 1], "sheenRoughnessFactor": 0.9})])


def lacquer(path):
    """Clearcoat over paint, brushed metal, a thin film, and a dielectric with a coloured reflection."""
    _spheres(path, [
        _material((0.6, 0.02, 0.02), 0.6, 0.5, clearcoat={"clearcoatFactor": 1, "clearcoatRoughnessFactor": 0.03}),
        _material((0.95, 0.64, 0.54), 0.3, 1, anisotropy={"anisotropyStrength": 0.8}),
        _material((0.5, 0.5, 0.5), 0.15, 1, iridescence={"iridescenceFactor": 1, "iridescenceIor": 1.8, "iridescenceThicknessMaximum": 420}),
        _material((0.1, 0.2, 0.1), 0.25, 0, specular={"specularFactor": 1, "specularColorFactor": [1, 0.5, 0.2]}, ior={"ior": 1.7}),
    ])
