"""Writes a small animated model: two unlit squares, one of which slides to the right within a second and comes back.

    scripts/make-moving-model.py OUT.gltf
"""

import base64
import json
import struct
import sys


def main(path):
    positions = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
    data = b"".join(struct.pack("<3f", *p) for p in positions)
    data += struct.pack("<6H", 0, 1, 2, 0, 2, 3)
    times = [i / 20 for i in range(41)]
    data += b"".join(struct.pack("<f", t) for t in times)
    # Straight there and back: all keys but three are superfluous.
    data += b"".join(struct.pack("<3f", 3 * min(t, 2 - t), 0, 0) for t in times)
    keys = len(times)
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"name": "moving", "mesh": 0}, {"name": "still", "mesh": 1, "translation": [0, -2.5, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": m}]} for m in (0, 1)],
        "materials": [
            {"pbrMetallicRoughness": {"baseColorFactor": c}, "extensions": {"KHR_materials_unlit": {}}, "doubleSided": True}
            for c in ([0.8, 0.05, 0.02, 1], [0.05, 0.3, 0.7, 1])],
        "animations": [{
            "name": "Slide", "samplers": [{"input": 2, "output": 3}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [-1, -1, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"},
            {"bufferView": 2, "componentType": 5126, "count": keys, "type": "SCALAR", "min": [0], "max": [2]},
            {"bufferView": 3, "componentType": 5126, "count": keys, "type": "VEC3"}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 12},
            {"buffer": 0, "byteOffset": 60, "byteLength": 4 * keys}, {"buffer": 0, "byteOffset": 60 + 4 * keys, "byteLength": 12 * keys}],
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
        "extensionsUsed": ["KHR_materials_unlit"],
    }
    with open(path, "w") as out:
        json.dump(document, out)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make-moving-model.py OUT.gltf")
    main(sys.argv[1])
