"""Makes all materials of a glTF file Lambert's, in place: base colour and its texture stay. `energy_materials.py MODEL`; see energy.sh."""

import json
import struct
import sys
from pathlib import Path


def lambert(document):
    for material in document.get("materials", []):
        base = material.get("pbrMetallicRoughness", {})
        kept = {key: base[key] for key in ("baseColorTexture", "baseColorFactor") if key in base}
        material.clear()
        material["pbrMetallicRoughness"] = {**kept, "metallicFactor": 0, "roughnessFactor": 1}
        material["extensions"] = {"KHR_materials_specular": {"specularFactor": 0}}
        material["doubleSided"] = True
    document["extensionsUsed"] = sorted({*document.get("extensionsUsed", []), "KHR_materials_specular"})


def main():
    path = Path(sys.argv[1])
    data = path.read_bytes()
    if data[:4] != b"glTF":
        document = json.loads(data)
        lambert(document)
        path.write_text(json.dumps(document))
        return
    end = 20 + struct.unpack("<I", data[12:16])[0]
    document = json.loads(data[20:end])
    lambert(document)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunk = struct.pack("<I", len(text)) + b"JSON" + text + data[end:]
    path.write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(chunk)) + chunk)


main()
