"""Models in code for rendered photo sets: shapes with textures, composed into GLB files with an exact surface."""

import json
import math
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass
class Part:
    """A mesh; metres, +Y up. Triangles are counter-clockwise seen from outside."""

    positions: np.ndarray
    faces: np.ndarray
    coordinates: np.ndarray | None = None
    # PNG or JPEG bytes; None: the plain colour.
    texture: bytes | None = None
    color: tuple = (0.8, 0.8, 0.8)
    normals: np.ndarray | None = None
    # Whether the reconstruction should contain it.
    is_wanted: bool = True

    def moved(self, rotation=np.eye(3), shift=(0, 0, 0)):
        normals = None if self.normals is None else self.normals @ rotation.T
        return Part(
            self.positions @ rotation.T + np.asarray(shift, float), self.faces, self.coordinates, self.texture, self.color, normals, self.is_wanted)

    def facets(self):
        """Without shared vertices, with the normals of the triangles."""
        corners = self.faces.ravel()
        positions = self.positions[corners]
        a, b, c = positions[0::3], positions[1::3], positions[2::3]
        normals = np.cross(b - a, c - a)
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
        coordinates = None if self.coordinates is None else self.coordinates[corners]
        faces = np.arange(len(corners)).reshape(-1, 3)
        return Part(positions, faces, coordinates, self.texture, self.color, np.repeat(normals, 3, axis=0), self.is_wanted)


def rotation(axis, degrees):
    axis, angle = np.asarray(axis, float) / np.linalg.norm(axis), math.radians(degrees)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def png(pixels):
    """A PNG file of (rows, columns, 3) bytes."""
    rows, columns = pixels.shape[:2]
    lines = np.hstack([np.zeros((rows, 1), np.uint8), pixels.reshape(rows, -1)]).tobytes()

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 6)) + chunk(b"IEND", b"")


def noise(size, seed, octaves=range(2, 9)):
    """Value noise, 0…1, with cells from a quarter of the image to two pixels."""
    random = np.random.default_rng(seed)
    place = (np.arange(size) + 0.5) / size
    result = np.zeros((size, size))
    for octave in octaves:
        cells = 1 << octave
        grid = random.uniform(-1, 1, (cells + 1, cells + 1))
        low = np.minimum((place * cells).astype(int), cells - 1)
        t = place * cells - low
        t = t * t * (3 - 2 * t)
        columns = grid[:, low] * (1 - t) + grid[:, low + 1] * t
        result += columns[low] * (1 - t)[:, None] + columns[low + 1] * t[:, None]
    return np.clip(0.5 + 0.5 * result / len(octaves) * 2.2, 0, 1)


def speckled(seed, dark=(60, 38, 30), light=(222, 196, 150), size=1024):
    """A texture that never repeats, as a PNG file."""
    value = noise(size, seed)[..., None]
    return png((np.array(dark) * (1 - value) + np.array(light) * value + 0.5).astype(np.uint8))


def lathe(profile, segments=96):
    """The surface that a profile of (radius, height) sweeps around +Y, from the bottom up; each piece of the profile divided finely."""
    fine = [np.array(profile[0], float)]
    longest = max(r for r, _ in profile) / 24
    for a, b in zip(profile, profile[1:]):
        a, b = np.array(a, float), np.array(b, float)
        count = max(1, math.ceil(np.linalg.norm(b - a) / longest))
        fine += [a + (b - a) * k / count for k in range(1, count + 1)]
    ring = np.array(fine)
    lengths = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(ring, axis=0), axis=1))])
    turns = 2 * math.pi * np.arange(segments + 1) / segments
    positions = np.stack(
        [ring[:, :1] * np.sin(turns), np.repeat(ring[:, 1:], segments + 1, axis=1), ring[:, :1] * np.cos(turns)], axis=-1).reshape(-1, 3)
    coordinates = np.stack(np.meshgrid(turns / (2 * math.pi), 1 - lengths / lengths[-1]), axis=-1).reshape(-1, 2)
    rows, columns = np.meshgrid(np.arange(len(ring) - 1), np.arange(segments), indexing="ij")
    a = (rows * (segments + 1) + columns).ravel()
    b = a + segments + 1
    faces = np.concatenate([np.stack([a, a + 1, b], 1), np.stack([a + 1, b + 1, b], 1)])
    corners = positions[faces]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return Part(positions, faces[area > 1e-12], coordinates)


def cylinder(radius, height, segments=96):
    return lathe([(0, 0), (radius, 0), (radius, height), (0, height)], segments)


def box(size, cells=12):
    """Centred over the origin, on y = 0; each face has its own part of the texture."""
    positions, coordinates, faces = [], [], []
    for index, (axis, sign) in enumerate((a, s) for a in range(3) for s in (-1, 1)):
        u, v = np.meshgrid(np.linspace(0, 1, cells + 1), np.linspace(0, 1, cells + 1))
        place = np.zeros((u.size, 3))
        place[:, axis] = sign / 2
        place[:, (axis + 1) % 3] = (u.ravel() - 0.5) * sign
        place[:, (axis + 2) % 3] = v.ravel() - 0.5
        base = sum(len(p) for p in positions)
        positions.append(place)
        coordinates.append(np.stack([(index % 3 + 0.05 + 0.9 * u.ravel()) / 3, (index // 3 + 0.05 + 0.9 * v.ravel()) / 2], 1))
        rows, columns = np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij")
        a = base + (rows * (cells + 1) + columns).ravel()
        b = a + cells + 1
        faces += [np.stack([a, a + 1, b], 1), np.stack([a + 1, b + 1, b], 1)]
    size = np.asarray(size, float)
    return Part(np.concatenate(positions) * size + [0, size[1] / 2, 0], np.concatenate(faces), np.concatenate(coordinates))


def tube(path, radius, segments=24):
    """A round tube along an open path of points, open at both ends."""
    path = np.asarray(path, float)
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = np.cross(along, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    other = np.cross(along, side)
    turns = 2 * math.pi * np.arange(segments + 1) / segments
    offsets = side[:, None] * np.cos(turns)[:, None] + other[:, None] * np.sin(turns)[:, None]
    positions = (path[:, None] + radius * offsets).reshape(-1, 3)
    coordinates = np.stack(np.meshgrid(turns / (2 * math.pi), np.linspace(0, 1, len(path))), axis=-1).reshape(-1, 2)
    rows, columns = np.meshgrid(np.arange(len(path) - 1), np.arange(segments), indexing="ij")
    a = (rows * (segments + 1) + columns).ravel()
    b = a + segments + 1
    return Part(positions, np.concatenate([np.stack([a, a + 1, b], 1), np.stack([a + 1, b + 1, b], 1)]), coordinates)


def from_obj(path, up=(0, 1, 0)):
    """The mesh of an OBJ file without its texture."""
    import photo_truth

    positions, faces = photo_truth.read_obj(path)
    return Part(positions, faces)


def from_glb(path):
    """The only mesh of a GLB file with its base colour."""
    data = Path(path).read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    content, rest = json.loads(data[20 : 20 + length]), data[20 + length + 8 :]

    def view(index):
        v = content["bufferViews"][index]
        return rest[v.get("byteOffset", 0) : v.get("byteOffset", 0) + v["byteLength"]]

    def values(index):
        accessor = content["accessors"][index]
        kind = {5121: "u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}[accessor["componentType"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}[accessor["type"]]
        assert "byteStride" not in content["bufferViews"][accessor["bufferView"]]
        found = np.frombuffer(view(accessor["bufferView"])[accessor.get("byteOffset", 0) :], kind, accessor["count"] * width)
        return found.reshape(-1, width)

    primitive = content["meshes"][0]["primitives"][0]
    attributes = primitive["attributes"]
    material = content["materials"][primitive["material"]]["pbrMetallicRoughness"]
    image = content["images"][content["textures"][material["baseColorTexture"]["index"]]["source"]]
    return Part(
        values(attributes["POSITION"]).astype(float), values(primitive["indices"]).reshape(-1, 3).astype(int),
        values(attributes["TEXCOORD_0"]).astype(float), view(image["bufferView"]), normals=values(attributes["NORMAL"]).astype(float))


def write_glb(path, parts):
    content = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "meshes": [], "materials": [], "accessors": [],
        "bufferViews": [], "images": [], "textures": [], "samplers": [{"wrapS": 33071, "wrapT": 33071}],
    }
    body = bytearray()

    def view(data):
        body.extend(b"\0" * (-len(body) % 4))
        content["bufferViews"].append({"buffer": 0, "byteOffset": len(body), "byteLength": len(data)})
        body.extend(data)
        return len(content["bufferViews"]) - 1

    def accessor(values, kind, component):
        entry = {"bufferView": view(values.tobytes()), "componentType": component, "count": len(values), "type": kind}
        if kind == "VEC3":
            entry |= {"min": values.min(0).tolist(), "max": values.max(0).tolist()}
        content["accessors"].append(entry)
        return len(content["accessors"]) - 1

    for index, part in enumerate(parts):
        if part.normals is None:
            part = part.facets()
        attributes = {
            "POSITION": accessor(part.positions.astype("<f4"), "VEC3", 5126), "NORMAL": accessor(part.normals.astype("<f4"), "VEC3", 5126)}
        material = {"metallicFactor": 0, "roughnessFactor": 0.85, "baseColorFactor": [*part.color, 1]}
        if part.texture is not None:
            attributes["TEXCOORD_0"] = accessor(part.coordinates.astype("<f4"), "VEC2", 5126)
            kind = "image/png" if part.texture[:4] == b"\x89PNG" else "image/jpeg"
            content["images"].append({"bufferView": view(part.texture), "mimeType": kind})
            content["textures"].append({"source": len(content["images"]) - 1, "sampler": 0})
            material |= {"baseColorTexture": {"index": len(content["textures"]) - 1}, "baseColorFactor": [1, 1, 1, 1]}
        content["materials"].append({"pbrMetallicRoughness": material})
        primitive = {"attributes": attributes, "indices": accessor(part.faces.astype("<u4").reshape(-1, 1), "SCALAR", 5125), "material": index}
        content["meshes"].append({"primitives": [primitive]})
        content["nodes"].append({"mesh": index})
        content["scenes"][0]["nodes"].append(index)
    content = {k: v for k, v in content.items() if v != []}
    body.extend(b"\0" * (-len(body) % 4))
    content["buffers"] = [{"byteLength": len(body)}]
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(body), 0x004E4942) + bytes(body)
    Path(path).write_bytes(struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks)


def write_truth(path, parts):
    """The triangles of the wanted parts."""
    base, lines = 1, []
    for part in parts:
        if part.is_wanted:
            lines += [f"v {x:.7g} {y:.7g} {z:.7g}" for x, y, z in part.positions]
            lines += [f"f {a} {b} {c}" for a, b, c in part.faces + base]
            base += len(part.positions)
    Path(path).write_text("\n".join(lines) + "\n")


def without(part, is_hidden):
    """Without the triangles whose corners are all hidden."""
    keep = ~is_hidden(part.positions)[part.faces].all(1)
    used, faces = np.unique(part.faces[keep], return_inverse=True)
    return Part(part.positions[used], faces.reshape(-1, 3), is_wanted=part.is_wanted)
