#!/usr/bin/env python3
"""Makes a glTF binary for the window's test: a slab with a face of its own on each side, shiny, so that turning it and turning the light
both show.

    scripts/window-test-model.py OUT.glb
"""
import json
import struct
import sys

size = (1.0, 0.7, 0.5)
# Six materials: colour, metalness, roughness.
faces = [
    ((1, 0, 0), (0.9, 0.2, 0.1), 0.0, 0.3), ((-1, 0, 0), (0.1, 0.5, 0.9), 1.0, 0.25), ((0, 1, 0), (0.9, 0.9, 0.9), 0.0, 0.15),
    ((0, -1, 0), (0.2, 0.2, 0.2), 0.0, 0.8), ((0, 0, 1), (0.95, 0.7, 0.3), 1.0, 0.2), ((0, 0, -1), (0.2, 0.7, 0.3), 0.0, 0.5),
]
data, views, accessors, meshes, materials = bytearray(), [], [], [], []


def add(values, kind, width, target, bounds=False):
    views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(values) * (2 if kind == "H" else 4), "target": target})
    data.extend(struct.pack("<%d%s" % (len(values), kind), *values))
    data.extend(b"\0" * (-len(data) % 4))
    accessor = {
        "bufferView": len(views) - 1, "componentType": 5123 if kind == "H" else 5126, "count": len(values) // width,
        "type": "SCALAR" if width == 1 else "VEC3",
    }
    if bounds:
        accessor["min"] = [min(values[i::3]) for i in range(3)]
        accessor["max"] = [max(values[i::3]) for i in range(3)]
    accessors.append(accessor)
    return len(accessors) - 1


primitives = []
for normal, color, metalness, roughness in faces:
    axis = [abs(n) for n in normal].index(1)
    u, v = (axis + 1) % 3, (axis + 2) % 3
    corners = []
    for a, b in [(-1, -1), (1, -1), (1, 1), (-1, 1)]:
        corner = [0.0, 0.0, 0.0]
        corner[axis] = normal[axis] * size[axis]
        corner[u], corner[v] = a * size[u] * normal[axis], b * size[v]
        corners += corner
    primitives.append({
        "attributes": {"POSITION": add(corners, "f", 3, 34962, bounds=True), "NORMAL": add(list(map(float, normal)) * 4, "f", 3, 34962)},
        "indices": add([0, 1, 2, 0, 2, 3], "H", 1, 34963), "material": len(materials),
    })
    materials.append({"pbrMetallicRoughness": {
        "baseColorFactor": list(color) + [1], "metallicFactor": metalness, "roughnessFactor": roughness}})

text = json.dumps({
    "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "slab", "mesh": 0}],
    "meshes": [{"primitives": primitives}], "materials": materials, "accessors": accessors, "bufferViews": views,
    "buffers": [{"byteLength": len(data)}],
}).encode()
text += b" " * (-len(text) % 4)
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)))
    file.write(struct.pack("<I4s", len(text), b"JSON") + text)
    file.write(struct.pack("<I4s", len(data), b"BIN\0") + data)
