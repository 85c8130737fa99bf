#!/usr/bin/env python3
"""Makes the model of the demo, a jewelled egg on a stand, as a GLB: everything in it is computed here.

    scripts/make-demo-model.py OUT.glb

It shows what the renderer is for: engine-turned metal under blue enamel (normal map, metalness, clearcoat), polished gold, black
stone, and a hundred beads and stones that share three meshes. Python's standard library is all it needs; the same bytes every time.
"""
import json
import math
import struct
import sys
import zlib


def png(width, height, pixel):
    """A PNG of the RGB bytes that pixel(x, y) gives."""
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            rows += bytes(pixel(x, y))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b"")


def guilloche(size=512):
    """Engine turning: rays that wave, as a tangent-space normal map. It repeats in both directions."""
    def height(x, y):
        u, v = x / size * 2 * math.pi, y / size * 2 * math.pi
        wave = math.sin(12 * u + 1.6 * math.sin(3 * v)) + math.sin(12 * u - 1.6 * math.sin(3 * v))
        return wave * 0.5

    table = [[height(x, y) for x in range(size)] for y in range(size)]

    def normal(x, y):
        dx = table[y][(x + 1) % size] - table[y][x - 1]
        dy = table[(y + 1) % size][x] - table[y - 1][x]
        n = (-dx * 1.6, dy * 1.6, 1.0)
        scale = 127.5 / math.sqrt(sum(c * c for c in n))
        return [round(127.5 + c * scale) for c in n]

    return png(size, size, normal)


def lathe(profile, segments=96, repeat=(1, 1)):
    """Turns a profile [(radius, y)], bottom first, about +Y: positions, normals, texture coordinates, triangles."""
    slopes = []
    for i, _ in enumerate(profile):
        a, b = profile[max(i - 1, 0)], profile[min(i + 1, len(profile) - 1)]
        dr, dy = b[0] - a[0], b[1] - a[1]
        length = math.hypot(dr, dy) or 1
        slopes.append((dy / length, -dr / length))
    lengths = [0.0]
    for a, b in zip(profile, profile[1:]):
        lengths.append(lengths[-1] + math.dist(a, b))
    positions, normals, uvs, indices = [], [], [], []
    for (radius, y), (nr, ny), along in zip(profile, slopes, lengths):
        for s in range(segments + 1):
            angle = 2 * math.pi * s / segments
            c, d = math.cos(angle), -math.sin(angle)
            positions.append((radius * c, y, radius * d))
            normals.append((nr * c, ny, nr * d))
            uvs.append((s / segments * repeat[0], (1 - along / lengths[-1]) * repeat[1]))
    for ring in range(len(profile) - 1):
        for s in range(segments):
            a = ring * (segments + 1) + s
            b = a + segments + 1
            indices += [a, a + 1, b, a + 1, b + 1, b]
    return positions, normals, uvs, indices


def torus(radius, tube, y, squash=1.0, segments=96, sides=12):
    """A ring about +Y as a lathe profile that closes."""
    profile = []
    for i in range(sides + 1):
        angle = -2 * math.pi * i / sides
        profile.append((radius + tube * math.cos(-angle), y + squash * tube * math.sin(-angle)))
    return closed(profile, segments)


def closed(profile, segments):
    """A lathe whose profile ends where it begins: the normals at the seam must agree."""
    positions, normals, uvs, indices = lathe([profile[-2]] + profile + [profile[1]], segments)
    row = segments + 1
    kept = slice(row, -row)
    rings = len(profile) - 1
    shifted = []
    for ring in range(rings):
        for s in range(segments):
            a = ring * row + s
            b = a + row
            shifted += [a, a + 1, b, a + 1, b + 1, b]
    return positions[kept], normals[kept], uvs[kept], shifted


def facets():
    """A brilliant: a table, a crown of eight facets and a pavilion, each facet flat."""
    table = [(0.55 * math.cos(a), 0.32, 0.55 * math.sin(a)) for a in (math.pi * (i + 0.5) / 4 for i in range(8))]
    girdle = [(math.cos(a), 0.0, math.sin(a)) for a in (math.pi * i / 4 for i in range(8))]
    triangles = []
    for i in range(8):
        j = (i + 1) % 8
        triangles.append(((0, 0.32, 0), table[j], table[i]))
        triangles.append((table[i], girdle[j], girdle[i]))
        triangles.append((table[i], table[j], girdle[j]))
        triangles.append((girdle[i], girdle[j], (0, -0.6, 0)))
    positions, normals, uvs, indices = [], [], [], []
    for a, b, c in triangles:
        u, v = [b[k] - a[k] for k in range(3)], [c[k] - a[k] for k in range(3)]
        n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        length = math.sqrt(sum(k * k for k in n))
        for p in (a, b, c):
            indices.append(len(positions))
            positions.append(p)
            normals.append(tuple(k / length for k in n))
            uvs.append((p[0] * 0.5 + 0.5, p[2] * 0.5 + 0.5))
    return positions, normals, uvs, indices


def sphere(rings=12, segments=24):
    profile = [(math.sin(math.pi * i / rings), -math.cos(math.pi * i / rings)) for i in range(rings + 1)]
    positions, _, uvs, indices = lathe(profile, segments)
    return positions, positions, uvs, indices


EGG_CENTER = 0.098
EGG_HEIGHT = 0.052


def egg_radius(t):
    """The egg's radius at t = -1 (bottom) … 1 (top): an ellipse that narrows upwards."""
    return 0.0385 * math.sqrt(max(0.0, 1 - t * t)) * (1 - 0.16 * t)


def egg_point(t, grow=0.0):
    """A point of the egg's outline, moved outwards by grow."""
    step = 1e-4
    r, y = egg_radius(t), EGG_CENTER + EGG_HEIGHT * t
    dr, dy = egg_radius(min(t + step, 1)) - egg_radius(max(t - step, -1)), 2 * step * EGG_HEIGHT
    length = math.hypot(dr, dy)
    return r + grow * dy / length, y - grow * dr / length


def smooth(points, steps=5):
    """A Catmull-Rom curve through the points."""
    result = []
    for i in range(len(points) - 1):
        p = [points[max(i - 1, 0)], points[i], points[i + 1], points[min(i + 2, len(points) - 1)]]
        for s in range(steps):
            t = s / steps
            w = (-t**3 + 2 * t**2 - t, 3 * t**3 - 5 * t**2 + 2, -3 * t**3 + 4 * t**2 + t, t**3 - t**2)
            result.append(tuple(sum(w[k] * p[k][c] for k in range(4)) / 2 for c in range(2)))
    return result + [points[-1]]


class Builder:
    """Collects buffers, meshes and nodes of a glTF document."""

    def __init__(self):
        self.data = bytearray()
        self.views, self.accessors, self.meshes, self.nodes = [], [], [], []
        self.root = []

    def view(self, blob):
        while len(self.data) % 4:
            self.data.append(0)
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(blob)})
        self.data += blob
        return len(self.views) - 1

    def accessor(self, values, kind):
        flat = values if kind == "SCALAR" else [c for v in values for c in v]
        code = "I" if kind == "SCALAR" else "f"
        entry = {
            "bufferView": self.view(struct.pack("<%d%s" % (len(flat), code), *flat)),
            "componentType": 5125 if kind == "SCALAR" else 5126, "count": len(values), "type": kind,
        }
        if kind == "VEC3":
            single = [struct.unpack("<3f", struct.pack("<3f", *v)) for v in values]
            entry["min"] = [min(v[k] for v in single) for k in range(3)]
            entry["max"] = [max(v[k] for v in single) for k in range(3)]
        self.accessors.append(entry)
        return len(self.accessors) - 1

    def mesh(self, name, shape, material):
        positions, normals, uvs, indices = shape
        attributes = {
            "POSITION": self.accessor(positions, "VEC3"), "NORMAL": self.accessor(normals, "VEC3"), "TEXCOORD_0": self.accessor(uvs, "VEC2"),
        }
        primitive = {"attributes": attributes, "indices": self.accessor(indices, "SCALAR"), "material": material}
        self.meshes.append({"name": name, "primitives": [primitive]})
        return len(self.meshes) - 1

    def node(self, name, mesh, **place):
        self.nodes.append({"name": name, "mesh": mesh, **place})
        self.root.append(len(self.nodes) - 1)


def turn(axis_from_y):
    """The quaternion that takes +Y to the unit vector given."""
    x, y, z = axis_from_y
    q = (z, 0.0, -x, 1 + y)
    length = math.sqrt(sum(c * c for c in q))
    return [c / length for c in q]


def main(path):
    b = Builder()
    normal_map = b.view(guilloche())
    texture = lambda scale: {"index": 0, "scale": scale}
    gold = {"baseColorFactor": [1.0, 0.72, 0.30, 1], "metallicFactor": 1, "roughnessFactor": 0.17}
    materials = [
        {"name": "Enamel", "pbrMetallicRoughness": {"baseColorFactor": [0.012, 0.085, 0.42, 1], "metallicFactor": 0.85, "roughnessFactor": 0.34},
         "normalTexture": texture(0.55), "extensions": {"KHR_materials_clearcoat": {"clearcoatFactor": 1, "clearcoatRoughnessFactor": 0.03}}},
        {"name": "Gold", "pbrMetallicRoughness": gold},
        {"name": "Stone", "pbrMetallicRoughness": {"baseColorFactor": [0.012, 0.012, 0.014, 1], "metallicFactor": 0, "roughnessFactor": 0.45},
         "extensions": {"KHR_materials_clearcoat": {"clearcoatFactor": 1, "clearcoatRoughnessFactor": 0.05}}},
        {"name": "Brilliant", "pbrMetallicRoughness": {"baseColorFactor": [0.95, 0.97, 1.0, 1], "metallicFactor": 1, "roughnessFactor": 0.04}},
        {"name": "Pearl", "pbrMetallicRoughness": {"baseColorFactor": [0.86, 0.80, 0.74, 1], "metallicFactor": 0, "roughnessFactor": 0.28},
         "extensions": {"KHR_materials_clearcoat": {"clearcoatFactor": 0.7, "clearcoatRoughnessFactor": 0.12}}},
        {"name": "Ruby", "pbrMetallicRoughness": {"baseColorFactor": [0.45, 0.004, 0.02, 1], "metallicFactor": 0.4, "roughnessFactor": 0.08},
         "emissiveFactor": [0.10, 0.0, 0.004], "extensions": {"KHR_materials_clearcoat": {"clearcoatFactor": 1, "clearcoatRoughnessFactor": 0.02}}},
    ]
    ENAMEL, GOLD, STONE, BRILLIANT, PEARL, RUBY = range(6)

    egg = [egg_point(-math.cos(math.pi * i / 64)) for i in range(65)]
    b.node("Egg", b.mesh("Egg", lathe(egg, 112, (8, 6)), ENAMEL))

    base = [(0.0, 0.0), (0.0335, 0.0), (0.0345, 0.0006), (0.0350, 0.002), (0.0350, 0.008), (0.0345, 0.0096), (0.0335, 0.0102), (0.0, 0.0102)]
    b.node("Base", b.mesh("Base", lathe(base, 96), STONE))
    stem = smooth([
        (0.0, 0.0102), (0.0235, 0.0102), (0.0250, 0.0116), (0.0236, 0.0136), (0.0160, 0.0165), (0.0085, 0.0225), (0.0062, 0.0285), (0.0098, 0.0312),
        (0.0098, 0.0330), (0.0060, 0.0352), (0.0085, 0.0400), (0.0150, 0.0450), (0.0225, 0.0500), (0.0262, 0.0545), (0.0266, 0.0566)])
    b.node("Stem", b.mesh("Stem", lathe(stem, 80), GOLD))

    def band(name, t, tube):
        r, y = egg_point(t)
        b.node(name, b.mesh(name, torus(r, tube, y, 0.8), GOLD))

    for number, (t, tube) in enumerate([(0.17, 0.0010), (-0.03, 0.0010), (0.72, 0.0009), (-0.66, 0.0011)]):
        band("Band %d" % number, t, tube)

    pearl = b.mesh("Pearl", sphere(), PEARL)
    brilliant = b.mesh("Brilliant", facets(), BRILLIANT)
    ruby = b.mesh("Ruby", sphere(20, 40), RUBY)
    bead = b.mesh("Bead", sphere(), GOLD)

    def around(name, mesh, count, t, grow, size, phase=0.0, oriented=False):
        r, y = egg_point(t, grow)
        r0, y0 = egg_point(t)
        for i in range(count):
            angle = 2 * math.pi * (i + phase) / count
            place = {"translation": [r * math.cos(angle), y, r * math.sin(angle)], "scale": [size] * 3}
            if oriented:
                n = (math.cos(angle) * (egg_point(t, 1)[0] - r0), egg_point(t, 1)[1] - y0, math.sin(angle) * (egg_point(t, 1)[0] - r0))
                place["rotation"] = turn(n)
            b.node("%s %d" % (name, i), mesh, **place)

    around("Pearl", pearl, 44, 0.07, 0.0012, 0.0021)
    around("Crown brilliant", brilliant, 20, 0.80, 0.0004, 0.0017, oriented=True)
    around("Collar bead", bead, 36, -0.60, 0.0008, 0.00125)
    # A trellis: gold beads along crossing helices, brilliants where they cross.
    for turn_number in range(12):
        for direction in (1, -1):
            for step in range(1, 22):
                s = step / 22
                if step == 11:
                    continue
                t = 0.20 + 0.50 * s
                r, y = egg_point(t, 0.0002)
                angle = 2 * math.pi * (turn_number + direction * s) / 12
                b.node("Trellis", bead, translation=[r * math.cos(angle), y, r * math.sin(angle)], scale=[0.00052] * 3)
    around("Trellis brilliant", brilliant, 12, 0.45, 0.0004, 0.0019, 0.5, oriented=True)
    around("Lower brilliant", brilliant, 12, -0.32, 0.0003, 0.0024, 0.5, oriented=True)
    around("Lower ruby", ruby, 12, -0.32, 0.0003, 0.0016, 0.0)
    top = EGG_CENTER + EGG_HEIGHT
    finial = smooth([(0.0, top - 0.0012), (0.0072, top - 0.0012), (0.0066, top + 0.0002), (0.0030, top + 0.0018), (0.0022, top + 0.0035), (0.0034, top + 0.0046), (0.0030, top + 0.0056), (0.0, top + 0.0058)])
    b.node("Finial", b.mesh("Finial", lathe(finial, 56), GOLD))
    b.node("Ruby", ruby, translation=[0, top + 0.0092, 0], scale=[0.0040] * 3)

    document = {
        "asset": {"version": "2.0", "generator": "Vitrine make-demo-model"}, "scene": 0, "scenes": [{"name": "Jewelled egg", "nodes": b.root}],
        "nodes": b.nodes, "meshes": b.meshes, "materials": materials, "accessors": b.accessors, "bufferViews": b.views,
        "buffers": [{"byteLength": len(b.data)}], "images": [{"bufferView": normal_map, "mimeType": "image/png"}], "samplers": [{}],
        "textures": [{"source": 0, "sampler": 0}], "extensionsUsed": ["KHR_materials_clearcoat"],
    }
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary = bytes(b.data) + b"\0" * (-len(b.data) % 4)
    with open(path, "wb") as out:
        out.write(struct.pack("<III", 0x46546C67, 2, 12 + 8 + len(text) + 8 + len(binary)))
        out.write(struct.pack("<II", len(text), 0x4E4F534A) + text)
        out.write(struct.pack("<II", len(binary), 0x004E4942) + binary)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make-demo-model.py OUT.glb")
    main(sys.argv[1])
