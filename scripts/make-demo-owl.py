#!/usr/bin/env python3
"""Makes a painted stoneware owl as a GLB, 16 cm tall: something to take photos of.

    scripts/make-demo-owl.py OUT.glb

Photos become a model by what is painted on the surface, so that all of it has feathers, strokes, speckles and glaze, from centimetres down to
a third of a millimetre, and nothing of it repeats. Python's standard library is all it needs; the same bytes every time.
"""
import json
import math
import random
import struct
import sys
import zlib

COLUMNS, ROWS = 240, 260
TEXTURE = 1024
FRONT = math.pi / 2  # the angle at which +Z lies

# The outline, bottom first: (radius, height) in metres. A round base, the body, a slight neck, the head.
OUTLINE = [
    (0.0, 0.0), (0.0455, 0.0), (0.0475, 0.0012), (0.0480, 0.0040), (0.0475, 0.0088), (0.0455, 0.0102), (0.0400, 0.0110), (0.0365, 0.0125),
    (0.0420, 0.0220), (0.0485, 0.0370), (0.0520, 0.0530), (0.0515, 0.0690), (0.0478, 0.0850), (0.0432, 0.0965), (0.0412, 0.1040),
    (0.0440, 0.1120), (0.0462, 0.1210), (0.0450, 0.1305), (0.0390, 0.1395), (0.0270, 0.1462), (0.0130, 0.1492), (0.0, 0.1500),
]


def spline(points, count):
    """Catmull-Rom through the points, at equal steps of length."""
    fine = []
    for i in range(len(points) - 1):
        p = [points[max(0, min(len(points) - 1, k))] for k in (i - 1, i, i + 1, i + 2)]
        for s in range(24):
            t = s / 24
            fine.append(tuple(
                0.5 * (2 * p[1][k] + (p[2][k] - p[0][k]) * t + (2 * p[0][k] - 5 * p[1][k] + 4 * p[2][k] - p[3][k]) * t * t
                       + (3 * p[1][k] - p[0][k] - 3 * p[2][k] + p[3][k]) * t ** 3) for k in (0, 1)))
    fine.append(points[-1])
    fine = [(max(0.0, r), max(0.0, y)) for r, y in fine]
    lengths = [0.0]
    for a, b in zip(fine, fine[1:]):
        lengths.append(lengths[-1] + math.dist(a, b))
    result, k = [], 0
    for i in range(count + 1):
        want = lengths[-1] * i / count
        while k < len(fine) - 2 and lengths[k + 1] < want:
            k += 1
        t = (want - lengths[k]) / max(1e-12, lengths[k + 1] - lengths[k])
        result.append(tuple(fine[k][j] + (fine[k + 1][j] - fine[k][j]) * min(1, max(0, t)) for j in (0, 1)))
    return result


def bell(x, width):
    return math.exp(-(x / width) ** 2)


def away(angle, center):
    """The signed difference of two angles."""
    return math.remainder(angle - center, 2 * math.pi)


def shape(radius, y, angle):
    """The point of the owl's surface where the outline stands at this angle."""
    side = away(angle, FRONT)
    grow = 0.0
    for sign in (1, -1):
        eye = away(angle, FRONT + sign * 0.46)
        grow += 0.0052 * bell(eye, 0.30) * bell(y - 0.122, 0.0105)             # eyeballs
        grow -= 0.0030 * bell(eye, 0.62) * bell(y - 0.121, 0.019)              # in shallow discs
        wing = away(angle, FRONT + sign * 1.62)
        panel = 1 / (1 + math.exp((abs(wing) - 0.62) / 0.05)) / (1 + math.exp((abs(y - 0.062) - 0.031) / 0.0022))
        grow += 0.0042 * panel + 0.0012 * panel * math.cos(y * 900 + 3 * wing)  # wings, ribbed
        grow += 0.0050 * bell(away(angle, FRONT + sign * 0.35), 0.22) * bell(y - 0.0135, 0.0045)  # feet
    grow += 0.0105 * bell(side, 0.11 + 0.9 * max(0.0, y - 0.112)) * bell(y - 0.1115, 0.0075)      # beak
    grow += 0.0100 * bell(away(angle, FRONT + math.pi), 0.55) * bell(y - 0.024, 0.011)            # tail
    if 0.016 < y < 0.1:
        grow += 0.0007 * math.sin(y * 520 + 2.2 * math.sin(3 * angle)) * bell(side, 0.8)          # the belly's feathers
    grow *= min(1.0, radius / 0.02)
    r = radius + grow
    lift = sum(0.0150 * bell(away(angle, FRONT + sign * 1.05), 0.34) for sign in (1, -1)) * bell(radius - 0.030, 0.012) * (1 if y > 0.13 else 0)
    return (r * math.cos(angle), y + lift, r * math.sin(angle))


def mesh():
    outline = spline(OUTLINE, ROWS)
    points = [[shape(r, y, 2 * math.pi * c / COLUMNS) for c in range(COLUMNS)] for r, y in outline]

    def normal(row, column):
        a, b = points[max(0, row - 1)][column], points[min(ROWS, row + 1)][column]
        c, d = points[row][column - 1], points[row][(column + 1) % COLUMNS]
        if row in (0, ROWS):
            return (0.0, -1.0 if row == 0 else 1.0, 0.0)
        u, v = [b[k] - a[k] for k in range(3)], [d[k] - c[k] for k in range(3)]
        n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        length = math.sqrt(sum(k * k for k in n))
        return tuple(k / length for k in n) if length > 1e-14 else (0.0, -1.0 if row < ROWS / 2 else 1.0, 0.0)

    positions, normals, uvs, indices = [], [], [], []
    for row in range(ROWS + 1):
        for column in range(COLUMNS + 1):
            positions.append(points[row][column % COLUMNS])
            normals.append(normal(row, column % COLUMNS))
            uvs.append((column / COLUMNS, 1 - row / ROWS))
    width = COLUMNS + 1
    for row in range(ROWS):
        for column in range(COLUMNS):
            a = row * width + column
            b = a + width
            if row > 0:
                indices += [a, b, a + 1]
            if row < ROWS - 1:
                indices += [a + 1, b, b + 1]
    return outline, positions, normals, uvs, indices


class Noise:
    """Smooth random values over the texture, -1 … 1; it closes from side to side."""

    def __init__(self, cells, seed):
        generator = random.Random(seed)
        self.cells = cells
        self.grid = [[generator.uniform(-1, 1) for _ in range(cells)] for _ in range(cells + 1)]
        self.places = []
        for x in range(TEXTURE):
            f = (x + 0.5) / TEXTURE * cells
            i, t = int(f), f - int(f)
            self.places.append((i, (i + 1) % cells, t * t * (3 - 2 * t)))

    def row(self, y):
        f = (y + 0.5) / TEXTURE * self.cells
        i, t = int(f), f - int(f)
        t = t * t * (3 - 2 * t)
        line = [a + (b - a) * t for a, b in zip(self.grid[i], self.grid[i + 1])]
        return [line[a] + (line[b] - line[a]) * s for a, b, s in self.places]


def chance(a, b):
    """A number 0 … 1 that depends on two whole numbers."""
    h = (a * 0x9E3779B1 + b * 0x85EBCA77 + 0x165667B1) & 0xFFFFFFFF
    h = ((h ^ (h >> 15)) * 0x2C1B3C6D) & 0xFFFFFFFF
    h = ((h ^ (h >> 12)) * 0x297A2D39) & 0xFFFFFFFF
    return ((h ^ (h >> 15)) & 0xFFFFFF) / 0x1000000


def feathers(across, y, length, width, light, dark, salt):
    """Overlapping scales: each of its own shade, darker towards its edge, with a quill."""
    row = math.floor(y / length)
    for step in (0, 1):
        k = row + step
        place = across / width + 0.5 * (k & 1)
        column = math.floor(place)
        fx, fy = (place - column - 0.5) * 2, y / length - k + 1
        edge = math.hypot(fx, (1 - fy) * 0.62)
        if edge < 1 or step == 1:
            shade = chance(k * 7 + salt, column)
            t = min(1.0, edge) ** 3
            color = [l + (d - l) * (0.25 * shade + 0.75 * t) for l, d in zip(light, dark)]
            if abs(fx) < 0.08 and fy > 0.25:
                color = [c * 0.55 for c in color]
            elif math.sin(26 * fy + 14 * abs(fx) + 6 * shade) > 0.55:
                color = [c * 0.82 for c in color]
            return color
    return dark


def paint(angle, radius, y, swirl):
    """The colour at a place of the surface, sRGB 0 … 1, before the glaze's speckles."""
    side = away(angle, FRONT)
    across = angle * 0.05
    if y < 0.0112:
        band = math.sin(angle * 23 + 5 * swirl) + math.sin(y * 1500 + 3 * swirl)
        return (0.10, 0.26, 0.33) if band > 0.15 else (0.78, 0.66, 0.42) if band > -0.1 else (0.06, 0.13, 0.20)
    for sign in (1, -1):
        dx, dy = away(angle, FRONT + sign * 0.46) * 0.044, y - 0.122
        d = math.hypot(dx, dy)
        if d < 0.0040:
            return (0.02, 0.02, 0.03) if math.hypot(dx + 0.001, dy - 0.0014) > 0.0009 else (0.9, 0.92, 0.95)
        if d < 0.0085:
            ray = math.sin(math.atan2(dy, dx) * 19 + 4 * swirl + sign)
            return (0.93, 0.62 + 0.12 * ray, 0.10 + 0.08 * ray)
        if d < 0.0098:
            return (0.10, 0.06, 0.05)
        if d < 0.0205 and y > 0.1:
            ray = math.sin(math.atan2(dy, dx) * 31 + d * 700 + 5 * swirl)
            tone = 0.72 + 0.2 * ray - 9 * (d - 0.0098)
            return (tone, tone * 0.86, tone * 0.66)
        wing = away(angle, FRONT + sign * 1.62)
        if abs(wing) < 0.66 and abs(y - 0.062) < 0.034:
            return feathers(wing * 0.053 + 0.3, y + 0.010 * math.cos(3 * wing), 0.0090, 0.0078, (0.52, 0.34, 0.20), (0.10, 0.09, 0.13), 31 + sign)
    if abs(side) < 0.16 and 0.100 < y < 0.121:
        stripe = 0.12 * math.sin(y * 2600 + 9 * swirl)
        return (0.80 + stripe, 0.46 + stripe, 0.12)
    if abs(side) < 0.95 and y < 0.100:
        return feathers(side * 0.05 + 0.4, y, 0.0078, 0.0085, (0.93, 0.86, 0.70), (0.55, 0.33, 0.16), 5)
    if y < 0.021 and abs(side) < 0.9:
        return (0.72, 0.52, 0.22)
    if y > 0.100:
        return feathers(across + 0.006 * swirl, y + 0.002 * swirl, 0.0056, 0.0064, (0.58, 0.44, 0.30), (0.20, 0.12, 0.10), 17)
    return feathers(across, y, 0.0098, 0.0088, (0.54, 0.46, 0.44), (0.20, 0.18, 0.26), 43)


def texture(outline):
    octaves = [(Noise(cells, 100 + cells), amount) for cells, amount in ((12, 0.07), (40, 0.07), (110, 0.08), (260, 0.09), (512, 0.08))]
    swirls = Noise(24, 7)
    speckles = Noise(330, 8)
    rows = bytearray()
    for y in range(TEXTURE):
        place = (1 - (y + 0.5) / TEXTURE) * ROWS
        row, t = min(ROWS - 1, int(place)), place - min(ROWS - 1, int(place))
        radius, height = (outline[row][k] + (outline[row + 1][k] - outline[row][k]) * t for k in (0, 1))
        noise = [sum(values) for values in zip(*([amount * v for v in octave.row(y)] for octave, amount in octaves))]
        swirl, speckle = swirls.row(y), speckles.row(y)
        rows.append(0)
        for x in range(TEXTURE):
            if height < 1e-5 or radius < 0.012:
                color = (0.45, 0.36, 0.28)
            else:
                color = paint((x + 0.5) / TEXTURE * 2 * math.pi, radius, height, swirl[x])
            gain = 1 + noise[x] * 1.5
            if speckle[x] > 0.62:
                gain *= 0.55
            for c in color:
                rows.append(min(255, max(0, int(255 * c * gain + 9 * noise[x] + 0.5))))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", TEXTURE, TEXTURE, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows), 6)) + chunk(b"IEND", b"")


def main(path):
    outline, positions, normals, uvs, indices = mesh()
    data, views, accessors = bytearray(), [], []

    def view(content, target=None):
        data.extend(b"\0" * (-len(data) % 4))
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(content), **({"target": target} if target else {})})
        data.extend(content)
        return len(views) - 1

    def accessor(values, kind, **more):
        content = struct.pack("<%df" % (len(values) * len(values[0])), *(c for v in values for c in v))
        accessors.append({"bufferView": view(content, 34962), "componentType": 5126, "count": len(values), "type": kind, **more})
        return len(accessors) - 1

    single = [struct.unpack("<3f", struct.pack("<3f", *p)) for p in positions]
    bounds = {"min": [min(p[k] for p in single) for k in range(3)], "max": [max(p[k] for p in single) for k in range(3)]}
    attributes = {"POSITION": accessor(positions, "VEC3", **bounds), "NORMAL": accessor(normals, "VEC3"), "TEXCOORD_0": accessor(uvs, "VEC2")}
    accessors.append({"bufferView": view(struct.pack("<%dI" % len(indices), *indices), 34963), "componentType": 5125, "count": len(indices), "type": "SCALAR"})
    image = view(texture(outline))
    document = {
        "asset": {"version": "2.0", "generator": "Vitrine make-demo-owl"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "Owl", "mesh": 0}],
        "meshes": [{"name": "Owl", "primitives": [{"attributes": attributes, "indices": len(accessors) - 1, "material": 0}]}],
        "materials": [{"name": "Stoneware", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0, "roughnessFactor": 0.75}}],
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(data)}], "images": [{"bufferView": image, "mimeType": "image/png"}],
        "samplers": [{"wrapS": 10497, "wrapT": 33071}], "textures": [{"source": 0, "sampler": 0}],
    }
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary = bytes(data) + b"\0" * (-len(data) % 4)
    with open(path, "wb") as out:
        out.write(struct.pack("<III", 0x46546C67, 2, 12 + 8 + len(text) + 8 + len(binary)))
        out.write(struct.pack("<II", len(text), 0x4E4F534A) + text)
        out.write(struct.pack("<II", len(binary), 0x004E4942) + binary)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make-demo-owl.py OUT.glb")
    main(sys.argv[1])
