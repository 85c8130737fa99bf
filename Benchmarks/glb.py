"""Makes the benchmark's models: a .gltf with its files packed into one .glb, and grids of boxes. Standard library only."""

import json
import math
import struct
from pathlib import Path


def write_glb(path, document, binary):
    """Writes one GLB 2.0 file; both chunks are padded to four bytes."""
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    length = 12 + 8 + len(text) + 8 + len(binary)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, length))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", len(binary), b"BIN\0") + binary)


def pack(gltf, output):
    """Packs a .gltf whose buffers and pictures are files beside it."""
    gltf = Path(gltf)
    document = json.loads(gltf.read_text())
    binary, starts = b"", []
    for buffer in document["buffers"]:
        starts.append(len(binary))
        data = (gltf.parent / buffer["uri"]).read_bytes()[: buffer["byteLength"]]
        binary += data + b"\0" * (-len(data) % 4)
    for view in document["bufferViews"]:
        view["byteOffset"] = view.get("byteOffset", 0) + starts[view["buffer"]]
        view["buffer"] = 0
    for image in document.get("images", []):
        path = gltf.parent / image.pop("uri")
        data = path.read_bytes()
        image["mimeType"] = "image/png" if path.suffix == ".png" else "image/jpeg"
        image["bufferView"] = len(document["bufferViews"])
        document["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)})
        binary += data + b"\0" * (-len(data) % 4)
    document["buffers"] = [{"byteLength": len(binary)}]
    write_glb(output, document, binary)


def box():
    """A unit cube: (positions and normals interleaved, indices), 24 corners, 12 triangles."""
    corners, indices = [], []
    for axis in range(3):
        for sign in (1, -1):
            first = len(corners)
            for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                position, normal = [0.0] * 3, [0.0] * 3
                position[axis], normal[axis] = sign / 2, float(sign)
                # The corners run anticlockwise seen from outside.
                position[(axis + 1) % 3], position[(axis + 2) % 3] = u * sign / 2, v / 2
                corners.append(position + normal)
            indices += [first + i for i in (0, 1, 2, 0, 2, 3)]
    return corners, indices


def box_places(count):
    """Where the boxes of a grid stand, 2 apart around the origin, and how many fit one edge."""
    side = math.ceil(count ** (1 / 3) - 1e-9)
    middle = (side - 1) / 2
    places = [((i % side - middle) * 2, (i // side % side - middle) * 2, (i // side**2 - middle) * 2) for i in range(count)]
    return places, side


def boxes(count, output):
    """A grid of `count` nodes that share one mesh: what an instancing renderer can join and a naïve one cannot."""
    corners, indices = box()
    vertices = b"".join(struct.pack("<6f", *corner) for corner in corners)
    triangles = struct.pack(f"<{len(indices)}H", *indices)
    places, _ = box_places(count)
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": list(range(count))}],
        "nodes": [{"mesh": 0, "translation": place} for place in places],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1}, "indices": 2, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [0.8, 0.5, 0.2, 1], "metallicFactor": 0, "roughnessFactor": 0.5}}],
        "buffers": [{"byteLength": len(vertices) + len(triangles)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(vertices), "byteStride": 24, "target": 34962},
            {"buffer": 0, "byteOffset": len(vertices), "byteLength": len(triangles), "target": 34963},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 24, "type": "VEC3", "min": [-0.5] * 3, "max": [0.5] * 3},
            {"bufferView": 0, "byteOffset": 12, "componentType": 5126, "count": 24, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"},
        ],
    }
    write_glb(output, document, vertices + triangles)
