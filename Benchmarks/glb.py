"""Makes the benchmark's models: a .gltf with its files packed into one .glb, grids of boxes, balls and a field of lights. Standard library only."""

import json
import math
import random
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
    """Packs a .gltf whose buffers and images are separate files."""
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


def sphere(rings):
    """A ball of radius 1: (position, normal and texture coordinates interleaved, indices), 2 × rings² × 2 triangles less those of the poles."""
    segments = 2 * rings
    corners, indices = [], []
    for ring in range(rings + 1):
        height, width = math.cos(math.pi * ring / rings), math.sin(math.pi * ring / rings)
        for segment in range(segments + 1):
            angle = 2 * math.pi * segment / segments
            place = [width * math.sin(angle), height, width * math.cos(angle)]
            corners.append(place + place + [segment / segments, ring / rings])
    for ring in range(rings):
        for segment in range(segments):
            upper = ring * (segments + 1) + segment
            lower = upper + segments + 1
            # At a pole one of the two triangles has no area.
            indices += [upper, lower, lower + 1] if ring < rings - 1 else []
            indices += [upper, lower + 1, upper + 1] if ring > 0 else []
    return corners, indices


def one_mesh(output, corners, indices, material):
    """A GLB of one mesh with one material; the extensions that the material has are declared."""
    vertices = b"".join(struct.pack("<8f", *corner) for corner in corners)
    triangles = struct.pack(f"<{len(indices)}I", *indices)
    axes = list(zip(*(corner[:3] for corner in corners)))
    document = {
        "asset": {"version": "2.0"},
        "extensionsUsed": sorted(material.get("extensions", {})),
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2}, "indices": 3, "material": 0}]}],
        "materials": [material],
        "buffers": [{"byteLength": len(vertices) + len(triangles)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(vertices), "byteStride": 32, "target": 34962},
            {"buffer": 0, "byteOffset": len(vertices), "byteLength": len(triangles), "target": 34963},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(corners), "type": "VEC3", "min": [min(a) for a in axes], "max": [max(a) for a in axes]},
            {"bufferView": 0, "byteOffset": 12, "componentType": 5126, "count": len(corners), "type": "VEC3"},
            {"bufferView": 0, "byteOffset": 24, "componentType": 5126, "count": len(corners), "type": "VEC2"},
            {"bufferView": 1, "componentType": 5125, "count": len(indices), "type": "SCALAR"},
        ],
    }
    if not document["extensionsUsed"]:
        del document["extensionsUsed"]
    write_glb(output, document, vertices + triangles)


def field(output, lights):
    """A floor of 40 m with 400 boxes and, above it, `lights` point lights that reach 2.5 m, scattered alike in every run."""
    corners, indices = box()
    vertices = b"".join(struct.pack("<6f", *corner) for corner in corners)
    triangles = struct.pack(f"<{len(indices)}H", *indices)
    nodes = [{"mesh": 0, "translation": [0, -0.05, 0], "scale": [40, 0.1, 40]}]
    nodes += [{"mesh": 1, "translation": [i % 20 * 2 - 19, 0.5, i // 20 * 2 - 19], "scale": [0.6, 1, 0.6]} for i in range(400)]
    places = random.Random(7)
    # One light alone stands where the camera looks.
    spots = [(0.0, 0.0)] + [(places.uniform(-19, 19), places.uniform(-19, 19)) for _ in range(lights - 1)]
    nodes += [{"translation": [x, 1.2, z], "extensions": {"KHR_lights_punctual": {"light": 0}}} for x, z in spots[:lights]]
    primitive = {"attributes": {"POSITION": 0, "NORMAL": 1}, "indices": 2}
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(nodes)))}],
        "nodes": nodes,
        "meshes": [{"primitives": [{**primitive, "material": index}]} for index in range(2)],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.5, 0.5, 1], "metallicFactor": 0, "roughnessFactor": r}} for r in (0.6, 0.5)],
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
    if lights:
        document["extensionsUsed"] = ["KHR_lights_punctual"]
        document["extensions"] = {"KHR_lights_punctual": {"lights": [{"type": "point", "intensity": 3, "color": [1, 0.8, 0.5], "range": 2.5}]}}
    write_glb(output, document, vertices + triangles)
