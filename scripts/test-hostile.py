#!/usr/bin/env python3
"""Reads hostile files with the command: every one must end in bounded memory and time, with an error or a warning that names the place.

    scripts/test-hostile.py COMMAND [--keep FOLDER] [--table] [NAME ...]

Each case runs `vitrine inspect` (or another command that reads the file) with 2 GiB of address space. It passes if the command ends with 0 or 1, not
by a signal, takes less than a processor second and 256 MB, says the file's name if it fails, and opens no file outside of its folder: a file
beside the folder, which the cases point at, holds a word that must not appear. --table prints a line for each case. NAME: only cases whose names
contain it.
"""
import base64
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

MEMORY = 2 << 30
SECONDS = 1.5  # a second on a quiet processor
RESIDENT_MB = 256
SECRET = "mayonnaise"
cases = []


IMAGES = ("png", "jpeg", "webp", "hdr", "exr", "tga", "ktx2", "heif")


def case(name, content, *, command=("inspect",), error=True, extra=None):
    """error: whether the command must fail; False: it may succeed, with or without a warning."""
    if name.startswith(IMAGES):
        # inspect reads only the header of an image.
        cases.append((name + "-header", content, command, False, extra or {}))
        command = ("material", "-o", "OUT")
    cases.append((name, content, command, error, extra or {}))


def gltf(**parts):
    return json.dumps({"asset": {"version": "2.0"}, **parts}).encode()


def triangle(positions=None, **parts):
    """A triangle as one glTF file, with parts replaced."""
    data = struct.pack("<9f", *(positions or [0, 0, 0, 1, 0, 0, 0, 1, 0]))
    base = {
        "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0,
    }
    base.update(parts)
    return gltf(**base)


def glb(document, binary=b"", total=None, length=None):
    document += b" " * (-len(document) % 4)
    body = struct.pack("<II", len(document) if length is None else length, 0x4E4F534A) + document
    if binary:
        body += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body) if total is None else total) + body


HUGE = 4294967295
for name, uri in {
    "uri-file": "file:///etc/passwd", "uri-absolute": "/etc/passwd", "uri-climbs": "../secret.bin", "uri-climbs-escaped": "%2e%2e/secret.bin",
    "uri-http": "http://127.0.0.1:1/x.bin", "uri-climbs-deep": "a/../../secret.bin", "uri-zero": "secret.bin%00.bin", "uri-pipe": "pipe",
    "uri-device": "/dev/zero", "uri-link": "link.bin",
}.items():
    case(f"gltf-{name}", triangle(buffers=[{"byteLength": 36, "uri": uri}]), extra={"pipe": "fifo", "link.bin": "link"})
    case(f"gltf-image-{name}", triangle(
        images=[{"uri": uri}], textures=[{"source": 0}], materials=[{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]), error=False, extra={"pipe": "fifo", "link.bin": "link"})
view = [{"buffer": 0, "byteLength": 36}]
for name, count in {"2^32": HUGE, "2^63": 1 << 63, "10^30": 10**30, "negative": -1}.items():
    case(f"gltf-accessor-count-{name}", triangle(accessors=[{"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3"}]))
    case(f"gltf-view-length-{name}", triangle(bufferViews=[{"buffer": 0, "byteLength": count}]))
    case(f"gltf-view-offset-{name}", triangle(bufferViews=[{"buffer": 0, "byteOffset": count, "byteLength": 36}]))
    case(f"gltf-buffer-length-{name}", triangle(buffers=[{"byteLength": count}]), error=name != "2^32")  # read as zeros, with a warning
    case(f"gltf-accessor-without-view-{name}", triangle(accessors=[{"componentType": 5126, "count": count, "type": "VEC3"}]))
    case(f"gltf-sparse-{name}", triangle(accessors=[{"componentType": 5126, "count": 3, "type": "VEC3", "sparse": {
        "count": count, "indices": {"bufferView": 0, "componentType": 5125}, "values": {"bufferView": 0}}}]))
case("gltf-accessor-without-view-10^9", triangle(accessors=[{"componentType": 5126, "count": 10**9, "type": "VEC3"}]))
case("gltf-node-cycle", triangle(nodes=[{"children": [1]}, {"children": [0]}]))
case("gltf-node-its-own-child", triangle(nodes=[{"children": [0]}]))
case("gltf-node-depth-100000", triangle(nodes=[{"children": [i + 1]} for i in range(100_000)] + [{"mesh": 0}]), error=False)
case("gltf-nodes-shared-2^40", triangle(nodes=[{"children": [i + 1, i + 1]} for i in range(40)] + [{"mesh": 0}]))
case("gltf-json-depth-100000", b"[" * 100_000)
case("gltf-json-extras-depth-100000", triangle()[:-1] + b', "extras": ' + b"[" * 100_000 + b"]" * 100_000 + b"}")
case("gltf-json-number-1e999", triangle().replace(b'"count": 3', b'"count": 1e999'))
case("gltf-json-keys-200000", triangle()[:-1] + b', "extras": {' + b",".join(b'"%d": 0' % i for i in range(200_000)) + b"}}", error=False)
case("gltf-nan-positions", triangle([float("nan")] * 9), error=False)
case("gltf-infinite-positions", triangle([float("inf")] * 9), error=False)
case("gltf-huge-positions", triangle([3e38, -3e38, 0] * 3), error=False)
case("gltf-node-nan-matrix", triangle(nodes=[{"mesh": 0, "matrix": [1e300] * 16}]), error=False)
case("gltf-index-2^32", triangle(accessors=[{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}, {
    "bufferView": 0, "componentType": 5125, "count": 3, "type": "SCALAR"}], meshes=[{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}]), error=False)
case("glb-length-2^32", glb(triangle(), total=HUGE))
case("glb-chunk-2^32", glb(triangle(), length=HUGE))
case("glb-empty", struct.pack("<4sII", b"glTF", 2, 12))
case("gltf-meshopt-2^32", triangle(bufferViews=[{"buffer": 0, "byteLength": 36, "extensions": {"EXT_meshopt_compression": {
    "buffer": 0, "byteLength": 36, "byteStride": 12, "count": HUGE, "mode": "ATTRIBUTES"}}}], extensionsUsed=["EXT_meshopt_compression"]))
# A mesh that claims 1.3 · 10⁹ orientations of its texture coordinates, found by fuzzing.
ORIENTATIONS = base64.b64decode(
    "RFJBQ08CAgEBAAAAEAgDCAAAA9/3ff8CRED/AkRA/wJEQF0CREAE/wAAAAAAAQAAAgAAAQAJAwAAAgEBCQMAAQMBBAkEAAIAAQMJAgADAgEBAQAPNwFAAQD+//8PAPz/AMD/3////wDA/g8AA//+f/"
    "8PAPT/AID/DwD8//1//w8A9P8AQP/v////AED//////wDA/w8A9P//f/8AD/j/AMD/L/8A//z//w8A/P8AAAAA/z8AAAAAgL8AAIC/AACAvwAALkAOBgMBAQOBBgEQ//+nARD/TwEI////////owEQ"
    "/1MBCAsAlnKaiHaSmVthTv8DAAD/AQAA/wIRQQoAAIC/AAAAAGkhIjQAAIA/aSGiMwAAAAAAAIC/AACAP/cENb8AAAAA8AQ1vwAAgD/zBDW/AAAAAPMENb8AAIA/aSGiMwAAAAAAAIC/AACAPwAAgD"
    "8AAAAAAAAAgAAAgD/0BDU/AAAAAPMENb8AAIA/9AQ1PwAAAADzBDW/AACAPwAAgD8AAAAAAAAAgAAAgD9pIaIzAAAAAAAAgD8AAIA/9AQ1PwAAAADzBDU/AACAP/QENT8AAAAA8wQ1PwAAgD9pIaIz"
    "AAAAAAAAgD8AAIA/AACAvwAAAABpISI0AACAP/MENb8AAAAA8wQ1PwAAgD/zBDW/AAAAAPMENT8AAIA/BQEBAA0rARABMAQAjO6HAfD//weAAEikAETk//x//wEAABIJABPZP///fwAAgEQCQET+z/"
    "//HwAAIJEAEJFSQUNPAgIBACcBCAAAAAECgEAAAAAAfw8AAAAAAAAAAAAAAACAPwwAAAA=")
case("glb-draco-orientations-10^9", glb(triangle(
    buffers=[{"byteLength": len(ORIENTATIONS)}], bufferViews=[{"buffer": 0, "byteLength": len(ORIENTATIONS)}],
    accessors=[{"componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]}],
    meshes=[{"primitives": [{"attributes": {"POSITION": 0}, "extensions": {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}}]}],
    extensionsUsed=["KHR_draco_mesh_compression"], extensionsRequired=["KHR_draco_mesh_compression"]), ORIENTATIONS + bytes(-len(ORIENTATIONS) % 4)))

COLLADA = '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">%s</COLLADA>'
laughs = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
def motion(steps, keys):
    """A node of translations that one curve animates."""
    source = '<source id="%s"><float_array id="%sa" count="{0}">{1}</float_array><technique_common><accessor source="#%sa" count="{0}" stride="1"><param name="%s" type="float"/></accessor></technique_common></source>'.format(keys, " ".join(map(str, range(keys))))
    curve = source % ("i", "i", "i", "TIME") + source % ("o", "o", "o", "X") + '<sampler id="s"><input semantic="INPUT" source="#i"/><input semantic="OUTPUT" source="#o"/></sampler>'
    channels = "".join(f'<channel source="#s" target="n/t{i}.X"/>' for i in range(steps))
    node = '<node id="n">' + "".join(f'<translate sid="t{i}">0 0 0</translate>' for i in range(steps)) + "</node>"
    return COLLADA % (f"<library_animations><animation>{curve}{channels}</animation></library_animations>" f'<library_visual_scenes><visual_scene id="v">{node}</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#v"/></scene>')


def morphs(primitives, targets):
    """A mesh of many primitives with normals, which is its own morph target many times."""
    def source(name, values):
        return f'<source id="{name}"><float_array id="{name}a" count="9">{values}</float_array><technique_common><accessor source="#{name}a" count="3" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source>'
    triangle = '<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="0"/><p>0 1 2</p></triangles>'
    mesh = source("p", "0 0 0 1 0 0 0 1 0") + source("n", "0 0 1 0 0 1 0 0 1") + '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>' + triangle * primitives
    names = f'<source id="t"><IDREF_array id="ta" count="{targets}">{"g " * targets}</IDREF_array></source><source id="w"><float_array id="wa" count="{targets}">{"0.1 " * targets}</float_array><technique_common><accessor source="#wa" count="{targets}" stride="1"><param name="W"/></accessor></technique_common></source>'
    return COLLADA % (f'<library_geometries><geometry id="g"><mesh>{mesh}</mesh></geometry></library_geometries><library_controllers><controller id="c"><morph source="#g">{names}<targets><input semantic="MORPH_TARGET" source="#t"/><input semantic="MORPH_WEIGHT" source="#w"/></targets></morph></controller></library_controllers><library_visual_scenes><visual_scene id="s"><node><instance_controller url="#c"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene>')


case("dae-morphs", morphs(2000, 60).encode(), error=False)
case("dae-steps-10000", motion(10_000, 2).encode(), error=False)
case("dae-shared-curve", motion(4000, 40_000).encode(), error=False)
case("dae-billion-laughs", f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">{laughs}]>{COLLADA % "<asset><title>&a11;</title></asset>"}'.encode())
case("dae-quadratic", f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "{"x" * 100_000}">]>{COLLADA % ("<asset><title>" + "&a;" * 100_000 + "</title></asset>")}'.encode())
case("dae-external-entity", f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "../secret.bin">]>{COLLADA % "<asset><title>&a;</title></asset>"}'.encode(), error=False)
case("dae-external-document-type", f'<?xml version="1.0"?><!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">{COLLADA % ""}'.encode(), error=False)
case("dae-parameter-entity", f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY % a SYSTEM "../secret.bin"> %a;]>{COLLADA.replace("%s", "")}'.encode(), error=False)
geometry = ('<library_geometries><geometry id="g"><mesh><source id="s"><float_array id="f" count="%s">%s</float_array><technique_common>'
            '<accessor source="#f" count="%s" stride="%s"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>'
            '</technique_common></source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices><triangles count="%s"><input semantic="VERTEX" '
            'source="#v" offset="%s"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="vs"><node>'
            '<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#vs"/></scene>')
floats = "0 0 0 1 0 0 0 1 0"
for name, values in {
    "array-count": (HUGE, floats, 3, 3, 1, 0), "accessor-count": (9, floats, HUGE, 3, 1, 0), "stride": (9, floats, 3, HUGE, 1, 0),
    "triangle-count": (9, floats, 3, 3, HUGE, 0), "offset": (9, floats, 3, 3, 1, HUGE), "nan": (9, "NaN " * 9, 3, 3, 1, 0), "inf": (9, "1e999 " * 9, 3, 3, 1, 0),
}.items():
    case(f"dae-{name}-2^32" if HUGE in values else f"dae-{name}", (COLLADA % (geometry % values)).encode(), error=False)
case("dae-depth-100000", (COLLADA % ("<library_nodes>" + "<node>" * 100_000 + "</node>" * 100_000 + "</library_nodes>")).encode())
case("dae-node-cycle", (COLLADA % '<library_nodes><node id="a"><instance_node url="#b"/></node><node id="b"><instance_node url="#a"/></node></library_nodes>'
     '<library_visual_scenes><visual_scene id="v"><node><instance_node url="#a"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#v"/></scene>').encode())
doubling = "".join(f'<node id="n{i}"><instance_node url="#n{i + 1}"/><instance_node url="#n{i + 1}"/></node>' for i in range(40)) + '<node id="n40"/>'
case("dae-instances-2^40", (COLLADA % (f'<library_nodes>{doubling}</library_nodes><library_visual_scenes><visual_scene id="v"><node><instance_node url="#n0"/></node>'
     '</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#v"/></scene>')).encode())

USDA = "#usda 1.0\n"
case("usda-depth-100000", (USDA + 'def Xform "a" {\n' * 100_000 + "}" * 100_000).encode())
case("usda-brackets-100000", (USDA + 'def Mesh "a" { point3f[] points = ' + "[" * 100_000 + " }").encode())
case("usda-dictionary-depth-100000", (USDA + 'def Mesh "a" ( customData = ' + "{ dictionary a = " * 100_000 + ") {}").encode())
case("usda-references-itself", (USDA + 'def Xform "a" ( references = @./case.usda@</a> ) {}').encode(), error=False)
case("usda-internal-reference-cycle", (USDA + 'def Xform "a" ( references = </b> ) {}\ndef Xform "b" ( references = </a> ) {}').encode(), error=False)
case("usda-references-2^40", (USDA + "".join(f'def Xform "n{i}" {{ def Xform "x" ( references = </n{i + 1}> ) {{}} def Xform "y" ( references = </n{i + 1}> ) {{}} }}\n' for i in range(40)) + 'def Xform "n40" {}').encode())
case("usda-sublayer-itself", (USDA.rstrip() + '\n( subLayers = [ @./case.usda@ ] )\ndef Xform "a" {}').encode(), error=False)
for name, path in {"absolute": "/etc/passwd", "climbs": "../secret.bin", "http": "http://127.0.0.1:1/x.usda", "file": "file:///etc/passwd"}.items():
    case(f"usda-reference-{name}", (USDA + f'def Xform "a" ( references = @{path}@ ) {{}}').encode(), error=False)
    case(f"usda-sublayer-{name}", (USDA.rstrip() + f'\n( subLayers = [ @{path}@ ] )\ndef Xform "a" {{}}').encode(), error=False)
mesh = 'def Mesh "a" { int[] faceVertexCounts = [%s]\nint[] faceVertexIndices = [%s]\npoint3f[] points = [%s] }'
corner = "(0, 0, 0), (1, 0, 0), (0, 1, 0)"
case("usda-nan", (USDA + mesh % (3, "0, 1, 2", "(nan, nan, nan), (inf, inf, inf), (-inf, nan, 1e39)")).encode(), error=False)
case("usda-face-count-2^31", (USDA + mesh % (2147483647, "0, 1, 2", corner)).encode(), error=False)
case("usda-index-2^31", (USDA + mesh % (3, "0, 1, 2147483647", corner)).encode(), error=False)
case("usda-instancer-2^31", (USDA + 'def PointInstancer "p" { int[] protoIndices = [2147483647, -1]\npoint3f[] positions = [(0, 0, 0), (0, 0, 0)]\nrel prototypes = [</p/a>]\ndef Sphere "a" {} }').encode(), error=False)
case("usda-comb-400000", (USDA + mesh % (400_000, ", ".join(map(str, range(400_000))), ", ".join([f"({x}, {1 - x % 2}, 0)" for x in range(200_000)] + [f"({x}, {0.5 - x % 2}, 0)" for x in reversed(range(200_000))]))).encode(), error=False)
case("usda-paths-2GB", (USDA + 'def Xform "' + "a" * 100_000 + '" {\n' + "".join(f'def Xform "b{i}" {{}}\n' for i in range(20_000)) + "}\n").encode())
case("usda-samples-60000", (USDA + 'def Xform "a" { double3 xformOp:translate.timeSamples = { ' + ", ".join(f"{i}: ({i}, 0, 0)" for i in range(60_000)) + ' }\nuniform token[] xformOpOrder = ["xformOp:translate"] }').encode(), error=False)
case("usda-number-1e9-digits", (USDA + 'def Sphere "a" { double radius = ' + "9" * 2_000_000 + " }").encode(), error=False)
header = b"PXR-USDC" + bytes([0, 8, 0, 0, 0, 0, 0, 0])
case("usdc-contents-2^63", header + struct.pack("<Q", (1 << 63) - 1) + bytes(64))
case("usdc-sections-2^64", header + struct.pack("<Q", 88) + bytes(64) + struct.pack("<Q", (1 << 64) - 1))
for section in (b"TOKENS", b"STRINGS", b"FIELDS", b"FIELDSETS", b"PATHS", b"SPECS"):
    table = b"".join(struct.pack("<16sqq", s, 88, 32) for s in (b"TOKENS", b"STRINGS", b"FIELDS", b"FIELDSETS", b"PATHS", b"SPECS"))
    case(f"usdc-{section.decode().lower()}-2^64", header + struct.pack("<Q", 120) + bytes(64) + b"\xff" * 32 + struct.pack("<Q", 6) + table)


def zipped(entries, *, method=0):
    """entries: (name, stored bytes, claimed size). Offsets are aligned as USDZ needs them."""
    out, directory = bytearray(), bytearray()
    for name, data, claimed in entries:
        raw = name.encode()
        padding = -(len(out) + 30 + len(raw) + 4) % 64
        extra = struct.pack("<HH", 0x1986, padding) + bytes(padding)
        offset = len(out)
        fields = (method, 0, 0, zlib.crc32(data) if method == 0 else 0, len(data) if method or claimed is None else claimed, len(data) if claimed is None else claimed)
        out += struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, *fields, len(raw), len(extra)) + raw + extra + data
        directory += struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, *fields, len(raw), 0, 0, 0, 0, 0, offset) + raw
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(entries), len(entries), len(directory), len(out), 0)
    return bytes(out + directory + end)


layer = (USDA + mesh % (3, "0, 1, 2", corner)).encode()
case("usdz-name-climbs", zipped([("a.usda", layer.replace(b"def Mesh", b'def Xform "r" ( references = @../secret.bin@ ) {}\ndef Mesh'), None), ("../../x.usda", layer, None)]), error=False)
case("usdz-first-name-absolute", zipped([("/etc/x.usda", layer, None)]), error=False)
case("usdz-size-2^32", zipped([("a.usda", layer, HUGE - 1)]))
case("usdz-names-10000-equal", zipped([("a.usda", layer, None)] + [("b.png", b"", None)] * 10_000), error=False)
case("usdz-inside-usdz", zipped([("a.usdz", zipped([("a.usdz", zipped([("a.usda", layer, None)]), None)]), None)]), error=False)
zeros = zlib.compressobj(9, zlib.DEFLATED, -15)
block = zeros.compress(bytes(16 << 20)) + zeros.flush(zlib.Z_FULL_FLUSH)
end = zlib.compressobj(9, zlib.DEFLATED, -15).flush()
manifest = b'<?xml version="1.0"?><dae_root>./a.dae</dae_root>'
case("zae-4-gigabytes", zipped([("a.dae", block * 255 + end, 255 * (16 << 20))], method=8))
case("zae-claims-1-byte", zipped([("a.dae", block * 255 + end, 1)], method=8))
case("zae-claims-2^32", zipped([("a.dae", end, HUGE - 1)], method=8))
case("zae-name-climbs", zipped([("manifest.xml", manifest.replace(b"./a.dae", b"../secret.dae"), None), ("../secret.dae", (COLLADA % "").encode(), None)]), error=False)

case("obj-index-2^32", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4294967295\n", error=False)
case("obj-index-minus-2^63", b"v 0 0 0\nf -9223372036854775808 1 1\n", error=False)
case("obj-index-10^30", b"v 0 0 0\nf 1000000000000000000000000000000 1 1\n", error=False)
case("obj-nan", b"v nan nan nan\nv inf -inf 1e999\nv 0 0 0\nf 1 2 3\n", error=False)
case("obj-no-vertices", b"f 1 2 3\n" * 100_000, error=False)
case("obj-one-line-8-MB", b"v 0 0 0\nf " + b"1 " * 4_000_000, error=False)
for name, path in {"climbs": "../secret.bin", "absolute": "/etc/passwd", "itself": "case.obj", "pipe": "pipe"}.items():
    case(f"obj-library-{name}", f"mtllib {path}\nusemtl a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".encode(), error=False, extra={"pipe": "fifo"})
    case(f"obj-texture-{name}", b"mtllib a.mtl\nusemtl a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", error=False, extra={"pipe": "fifo", "a.mtl": f"newmtl a\nmap_Kd {path}\n".encode()})
ply = "ply\nformat %s 1.0\nelement vertex %s\nproperty float x\nproperty float y\nproperty float z\nelement face %s\nproperty list %s int vertex_indices\nend_header\n"
case("obj-map-options-20000", b"mtllib a.mtl\nusemtl a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", error=False, extra={"a.mtl": b"newmtl a\nmap_Kd " + b"-a " * 20_000 + b"x.png\n"})
comb = [(x, 1 - x % 2) for x in range(2047)]
comb += [(x, y - 0.5) for x, y in reversed(comb)]
case("obj-combs", ("".join(f"v {x} {y} 0\n" for x, y in comb) + ("f " + " ".join(str(i + 1) for i in range(len(comb))) + "\n") * 20).encode(), error=False)
corners = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
case("ply-vertices-2^32", (ply % ("binary_little_endian", HUGE, 1, "uchar")).encode() + corners)
case("ply-vertices-10^30", (ply % ("ascii", 10**30, 1, "uchar")).encode())
case("ply-faces-2^32", (ply % ("binary_little_endian", 3, HUGE, "uchar")).encode() + corners)
case("ply-list-2^32", (ply % ("binary_little_endian", 3, 1, "uint")).encode() + corners + b"\xff" * 4)
case("ply-list-negative", (ply % ("binary_little_endian", 3, 1, "int")).encode() + corners + b"\xff" * 4)
case("ply-nan", (ply % ("ascii", 3, 1, "uchar")).encode() + b"nan nan nan\ninf inf inf\n1e999 0 0\n3 0 1 2\n", error=False)
case("ply-empty-vertices-2^32", b"ply\nformat ascii 1.0\nelement vertex 4294967295\nend_header\n")
case("stl-triangles-2^32", bytes(80) + struct.pack("<I", HUGE) + bytes(50))
case("stl-nan", bytes(80) + struct.pack("<I", 100) + (b"\x00\x00\xc0\x7f" * 12 + bytes(2)) * 100, error=False)
case("off-2^32", b"OFF\n4294967295 4294967295 0\n0 0 0\n")
case("off-10^30", b"OFF\n1000000000000000000000000000000 1 0\n")
case("off-face-2^32", b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n4294967295 0 1 2\n")
case("off-nan", b"OFF\n3 1 0\nnan nan nan\ninf 0 0\n0 1 0\n3 0 1 2\n", error=False)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, *, pixels=b"", before=b"", depth=8, color=6):
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)) + before + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


bomb = zlib.compress(bytes(64 << 20), 9)
case("png-10^9-pixels", png(31_623, 31_623))
case("png-2^31-wide", png(2**31 - 1, 1))
case("png-10^9-pixels-1-bit", png(31_623, 31_623, depth=1, color=0))
case("png-text-64-MB", png(1, 1, pixels=bytes(5), before=chunk(b"zTXt", b"a\0\0" + bomb) * 20), error=False)
case("png-profile-64-MB", png(1, 1, pixels=bytes(5), before=chunk(b"iCCP", b"a\0\0" + bomb)), error=False)
case("png-pixels-64-MB-too-many", png(1, 1, pixels=bytes(64 << 20)), error=False)
case("png-chunk-2^31", b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 2**31 - 1) + b"IHDR" + bytes(20))
frame = b"\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff\x03\x01\x22\0\x02\x11\x01\x03\x11\x01"
case("jpeg-65535-squared", frame + b"\xff\xd9")
case("jpeg-65535-squared-progressive", frame.replace(b"\xff\xc0", b"\xff\xc2") + b"\xff\xda\0\x0c\x03\x01\0\x02\0\x03\0\0\0\0" + bytes(100) + b"\xff\xd9")
case("webp-16384-squared", b"RIFF" + struct.pack("<I", 30) + b"WEBPVP8L" + struct.pack("<I", 18) + b"\x2f\xff\xff\xff\x0f" + bytes(13))
case("webp-canvas-2^24", b"RIFF" + struct.pack("<I", 22) + b"WEBPVP8X" + struct.pack("<I", 10) + bytes(4) + b"\xff" * 6)
case("hdr-10^9-pixels", b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 31623 +X 31623\n" + bytes(100))
case("hdr-2^63", b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 9223372036854775807 +X 9223372036854775807\n")


def exr(width, height, tiles=False):
    def attribute(name, kind, data):
        return name + b"\0" + kind + b"\0" + struct.pack("<I", len(data)) + data
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    channels = b"".join(n + b"\0" + struct.pack("<iB3xii", 1, 0, 1, 1) for n in (b"B", b"G", b"R")) + b"\0"
    return (struct.pack("<II", 20000630, 2) + attribute(b"channels", b"chlist", channels) + attribute(b"compression", b"compression", b"\0") + attribute(b"dataWindow", b"box2i", window)
            + attribute(b"displayWindow", b"box2i", window) + attribute(b"lineOrder", b"lineOrder", b"\0") + attribute(b"pixelAspectRatio", b"float", struct.pack("<f", 1))
            + attribute(b"screenWindowCenter", b"v2f", bytes(8)) + attribute(b"screenWindowWidth", b"float", struct.pack("<f", 1)) + b"\0" + bytes(100))


case("exr-10^9-pixels", exr(31_623, 31_623))
case("exr-2^31", exr(2**31 - 1, 2**31 - 1))
case("tga-65535-squared", bytes([0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0]) + struct.pack("<HHBB", 65535, 65535, 32, 8) + b"\xff\0\0\0\0" * 10)
ktx = b"\xabKTX 20\xbb\r\n\x1a\n"
for name, size, levels, layers in (("2^32", HUGE, 1, 0), ("10^9-pixels", 31_623, 1, 0), ("levels-2^32", 4, HUGE, 0), ("layers-2^32", 4, 1, HUGE)):
    case(f"ktx2-{name}", ktx + struct.pack("<9I", 37, 1, size, size, 0, layers, 1, levels, 0) + struct.pack("<4I2Q", 104, 44, 0, 0, 0, 0) + struct.pack("<3Q", 148, 64, 64) + bytes(200))


def box(kind, data):
    return struct.pack(">I", 8 + len(data)) + kind + data


ftyp = box(b"ftyp", b"heic" + bytes(4) + b"mif1heic")
properties = box(b"iprp", box(b"ipco", box(b"ispe", bytes(4) + struct.pack(">II", 2**31 - 1, 2**31 - 1))) + box(b"ipma", bytes(4) + struct.pack(">IHBB", 1, 1, 1, 0x81)))
meta = box(b"meta", bytes(4) + box(b"hdlr", bytes(8) + b"pict" + bytes(13)) + box(b"pitm", bytes(4) + struct.pack(">H", 1))
           + box(b"iinf", bytes(4) + struct.pack(">H", 1) + box(b"infe", struct.pack(">IHH", 2 << 24, 1, 0) + b"hvc1\0")) + properties
           + box(b"iloc", struct.pack(">IHHHHHII", 0, 0x4400, 1, 1, 0, 1, 0, HUGE)))
case("heif-2^31", ftyp + meta)
case("heif-box-2^64", ftyp + struct.pack(">I", 1) + b"meta" + b"\xff" * 8 + bytes(64))
case("heif-boxes-nested-10000", ftyp + b"".join(struct.pack(">I", 8 * (10_000 - i)) + b"meta" for i in range(10_000)))
case("recording-empty-objects", b'{"format": 4294967295}', command=("ar", "inspect"))
case("empty", b"")
case("zeros-1-MB", bytes(1 << 20))


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(program, name, content, command, error, extra):
    top = pathlib.Path(tempfile.mkdtemp(prefix="vitrine-hostile-"))
    try:
        folder = top / "folder"
        folder.mkdir()
        (top / "secret.bin").write_text(f"newmtl {SECRET}\n" * 10)
        file = folder / ("case." + name.split("-")[0])
        file.write_bytes(content)
        for other, data in extra.items():
            if data == "fifo":
                os.mkfifo(folder / other)
            elif data == "link":
                os.symlink("../secret.bin", folder / other)
            else:
                (folder / other).write_bytes(data)
        read, write = os.pipe()
        process = subprocess.Popen([program, *(str(top / "out") if word == "OUT" else word for word in command), str(file)], stdin=subprocess.DEVNULL, stdout=write, stderr=write, preexec_fn=limits)
        os.close(write)
        output = b""
        while part := os.read(read, 1 << 16):
            output = (output + part)[:1 << 20]
        os.close(read)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        text = output.decode(errors="replace")
        seconds, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        failures = []
        if os.WIFSIGNALED(status):
            failures.append(f"ended by signal {os.WTERMSIG(status)}")
            code = -os.WTERMSIG(status)
        else:
            code = os.WEXITSTATUS(status)
            if code not in (0, 1):
                failures.append(f"exit code {code}")
            if error and code == 0:
                failures.append("was accepted")
            if code == 1 and not any(line.startswith("error: ") and file.name in line for line in text.splitlines()):
                failures.append("the error does not name the file")
        if seconds > SECONDS:
            failures.append(f"{seconds:.2f} s")
        if megabytes > RESIDENT_MB:
            failures.append(f"{megabytes:.0f} MB")
        if SECRET in text or "root:" in text:
            failures.append("read a file outside of its folder")
        lines = [line for line in text.splitlines() if line.startswith(("error: ", "warning: "))] or text.splitlines()[:1]
        return failures, code, seconds, megabytes, (lines[0] if lines else "").replace(str(top), "…")[:170]
    finally:
        shutil.rmtree(top, ignore_errors=True)


def main():
    words = sys.argv[1:]
    if not words or words[0].startswith("-"):
        sys.exit(__doc__)
    program = os.path.abspath(words[0])
    table = "--table" in words
    wanted = [w for w in words[1:] if not w.startswith("-")]
    failed, worst = 0, (0, 0)
    chosen = [c for c in cases if not wanted or any(w in c[0] for w in wanted)]
    for name, content, command, error, extra in chosen:
        failures, code, seconds, megabytes, line = run(program, name, content, command, error, extra)
        worst = (max(worst[0], seconds), max(worst[1], megabytes))
        if table or failures:
            print(f"{'FAILED' if failures else 'ok':6} {name:36} {code:3} {seconds:5.2f} s {megabytes:4.0f} MB  {line}{''.join('  ! ' + f for f in failures)}", flush=True)
        failed += bool(failures)
    print(f"hostile: {len(chosen) - failed} of {len(chosen)} files end with a bounded error (at most {worst[0]:.2f} s of a processor, {worst[1]:.0f} MB)")
    sys.exit(1 if failed else 0)


main()
