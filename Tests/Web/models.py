"""Writes small models for tests: a coloured box as GLB or glTF, with variations. Only the standard library.

    models.py ktx2 OUT.glb     a box with a KTX2 texture of one colour
"""
import base64
import json
import math
import struct
import sys
import zlib


def box():
    """A box of 1 m with flat faces: (positions, normals, texture coordinates, indices)."""
    positions, normals, coordinates, indices = [], [], [], []
    for axis in range(3):
        for sign in (-1, 1):
            first = len(positions)
            for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                point = [0.0, 0.0, 0.0]
                point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3] = sign / 2, u / 2 * sign, v / 2
                positions.append(point)
                normals.append([float(sign) if other == axis else 0.0 for other in range(3)])
                coordinates.append([(u + 1) / 2, (1 - v) / 2])
            indices += [first + corner for corner in (0, 1, 2, 0, 2, 3)]
    return positions, normals, coordinates, indices


def floats(rows):
    return b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)


def png(color, width=4, height=4):
    """A plain PNG."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(color) * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def ktx2(color, side=8):
    """A KTX2 image of one colour in UASTC blocks."""
    bits = 0x17  # Mode 8, one colour: five bits, then eight bits a channel.
    for channel, value in enumerate([*color, 255]):
        bits |= value << (5 + 8 * channel)
    level = bits.to_bytes(16, "little") * (side // 4) ** 2
    # One sample of 128 bits: colour model UASTC, BT.709, sRGB, 4 × 4 texels in 16 bytes.
    descriptor = struct.pack("<III8B8s", 44, 0, 2 | 40 << 16, 166, 1, 2, 0, 3, 3, 0, 0, bytes([16])) + struct.pack("<BBBBIII", 0, 0, 127, 0, 0, 0, 0xFFFFFFFF)
    start = 104 + len(descriptor)
    header = b"\xabKTX 20\xbb\r\n\x1a\n" + struct.pack("<13I", 0, 1, side, side, 0, 0, 1, 1, 0, 104, len(descriptor), 0, 0)
    return header + struct.pack("<QQQQQ", 0, 0, start, len(level), len(level)) + descriptor + level


def hdr(color, width=16, height=8):
    """A Radiance file of one color."""
    exponent = math.frexp(max(color))[1]
    pixel = bytes(min(int(value * 2.0 ** (8 - exponent)), 255) for value in color) + bytes([exponent + 128])
    return b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n" + f"-Y {height} +X {width}\n".encode() + pixel * (width * height)


def data_address(data, kind="application/octet-stream"):
    return f"data:{kind};base64," + base64.b64encode(data).decode()


class Model:
    """The parts of a glTF file: `json`, and `binary`, the bytes of buffer 0."""

    def __init__(self, color=(0.8, 0.1, 0.1), texture=None):
        positions, normals, coordinates, indices = box()
        parts = [floats(positions), floats(normals), floats(coordinates), struct.pack(f"<{len(indices)}H", *indices)]
        self.binary, views = b"", []
        for part in parts:
            views.append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(part)})
            self.binary += part
        accessors = [
            {"bufferView": 0, "componentType": 5126, "count": 24, "type": "VEC3", "min": [-0.5] * 3, "max": [0.5] * 3},
            {"bufferView": 1, "componentType": 5126, "count": 24, "type": "VEC3"},
            {"bufferView": 2, "componentType": 5126, "count": 24, "type": "VEC2"},
            {"bufferView": 3, "componentType": 5123, "count": 36, "type": "SCALAR"},
        ]
        base = {"baseColorFactor": [*color, 1], "metallicFactor": 0}
        self.json = {
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2}, "indices": 3, "material": 0}]}],
            "materials": [{"pbrMetallicRoughness": base}], "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(self.binary)}],
        }
        if texture:
            base["baseColorTexture"] = {"index": 0}
            self.json.update(textures=[{"source": 0}], images=[texture])

    def gltf(self, address):
        """The text of a .gltf file whose buffer is at an address."""
        buffers = [{**self.json["buffers"][0], "uri": address}, *self.json["buffers"][1:]]
        return json.dumps({**self.json, "buffers": buffers}).encode()

    def glb(self, text=None):
        """The bytes of a .glb file; `text` replaces its JSON."""
        text = text or json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        binary = self.binary + b"\0" * (-len(self.binary) % 4)
        return (struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary)) + struct.pack("<I4s", len(text), b"JSON") + text
                + struct.pack("<I4s", len(binary), b"BIN\0") + binary)

    def requiring(self, extension):
        self.json["extensionsUsed"] = self.json["extensionsRequired"] = [extension]
        return self

    def textured_by_ktx2(self, color):
        """Gives the box a KTX2 texture of one colour, in the binary part."""
        image = ktx2(color)
        self.binary += b"\0" * (-len(self.binary) % 4)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(image)})
        self.binary += image
        self.json["buffers"][0]["byteLength"] = len(self.binary)
        self.json["materials"][0]["pbrMetallicRoughness"].update(baseColorFactor=[1, 1, 1, 1], baseColorTexture={"index": 0})
        self.json["textures"] = [{"extensions": {"KHR_texture_basisu": {"source": 0}}}]
        self.json["images"] = [{"bufferView": len(self.json["bufferViews"]) - 1, "mimeType": "image/ktx2"}]
        return self.requiring("KHR_texture_basisu")

    def sparse(self):
        """Moves the positions into a sparse accessor without a base."""
        view = self.json["bufferViews"]
        view.append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": 48})
        self.binary += struct.pack("<24H", *range(24))
        self.json["buffers"][0]["byteLength"] = len(self.binary)
        accessor = self.json["accessors"][0]
        del accessor["bufferView"]
        accessor["sparse"] = {"count": 24, "indices": {"bufferView": len(view) - 1, "componentType": 5123}, "values": {"bufferView": 0}}
        return self

    def meshopt(self):
        """Packs all buffer views with EXT_meshopt_compression, without making them smaller."""
        packed, start = b"", 0
        for view, stride, mode in zip(self.json["bufferViews"], (12, 12, 8, 2), ("ATTRIBUTES", "ATTRIBUTES", "ATTRIBUTES", "TRIANGLES")):
            raw = self.binary[view["byteOffset"]:view["byteOffset"] + view["byteLength"]]
            data = pack_triangles(struct.unpack(f"<{len(raw) // 2}H", raw)) if mode == "TRIANGLES" else pack_vertices(raw, stride)
            view["extensions"] = {"EXT_meshopt_compression": {
                "buffer": 0, "byteOffset": len(packed), "byteLength": len(data), "byteStride": stride, "count": len(raw) // stride, "mode": mode}}
            view.update(buffer=1, byteOffset=start)
            if mode == "ATTRIBUTES":
                view["byteStride"] = stride
            start += len(raw)
            packed += data
        self.binary = packed
        self.json["buffers"] = [{"byteLength": len(packed)}, {"byteLength": start, "extensions": {"EXT_meshopt_compression": {"fallback": True}}}]
        return self.requiring("EXT_meshopt_compression")


def zigzag(value):
    return (value << 1) ^ (value >> 31)


def pack_vertices(raw, stride):
    """Vertex data of meshopt, version 0, with whole bytes: at most 256 elements."""
    count = len(raw) // stride
    groups = -(-count // 16)
    data = b"\xa0"
    for channel in range(stride):
        data += b"\xff" * -(-groups // 4)
        previous = raw[channel]
        for index in range(groups * 16):
            value = raw[index * stride + channel] if index < count else previous
            delta = (value - previous + 128) % 256 - 128
            data += bytes([zigzag(delta) & 255])
            previous = value
    return data + bytes(max(32 - stride, 0)) + raw[:stride]


def pack_triangles(indices):
    """Triangles of meshopt, version 0, each with three free indices."""
    codes, data, last = b"\xff" * (len(indices) // 3), b"", 0
    for triangle in range(0, len(indices), 3):
        data += b"\xff"
        for index in indices[triangle:triangle + 3]:
            value = zigzag(index - last)
            while value > 127:
                data += bytes([value & 127 | 128])
                value >>= 7
            data += bytes([value])
            last = index
    return b"\xe0" + codes + data + bytes(16)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "ktx2":
        sys.exit(__doc__)
    with open(sys.argv[2], "wb") as output:
        output.write(Model().textured_by_ktx2((40, 160, 60)).glb())
