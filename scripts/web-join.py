#!/usr/bin/env python3
"""Joins the JavaScript of the web runtime into one ES module, on standard output.

Usage: scripts/web-join.py FOLDER WASM [FILE…]
       scripts/web-join.py --compact FILE
Removes comments on lines of their own and indentation. Fails if the wasm file imports a function that neither the
JavaScript nor FILE has.
With --compact it only removes these from one file.
"""
import re
import sys
from pathlib import Path



def compact(text):
    """The lines without indentation, blank lines and comments on lines of their own."""
    text = re.sub(r"^[ \t]*/\*.*?\*/[ \t]*\n", "", text, flags=re.M | re.S)
    return [line for line in map(str.strip, text.split("\n")) if line and not line.startswith("//")]


if sys.argv[1] == "--compact":
    print("\n".join(compact(Path(sys.argv[2]).read_text())))
    sys.exit()

folder, wasm = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes()


def imports():
    """(module, name) of every import of the wasm file."""
    position = 8

    def number():
        nonlocal position
        value = shift = 0
        while True:
            byte = wasm[position]
            position += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def text():
        nonlocal position
        count = number()
        position += count
        return wasm[position - count:position].decode()

    while position < len(wasm):
        kind = number()
        end = number() + position
        if kind == 2:
            for _ in range(number()):
                module, name, what = text(), text(), number()
                if what != 0:
                    sys.exit(f"error: unexpected import {module}.{name}")
                number()
                yield module, name
        position = end


parts = []
for name in ["webgpu-layouts.js", "webgpu.js", "runtime.js"]:
    text = (folder / name).read_text()
    text = re.sub(r'^import \{[^}]*\} from "[^"]*";\n', "", text, flags=re.M)
    if name != "runtime.js":
        text = re.sub(r"^export ", "", text, flags=re.M)
    parts += compact(text)
joined = "\n".join(parts) + "\n"

# Functions of a kind are defined in loops.
kinds = r"wgpu\w+(Release|PushDebugGroup|PopDebugGroup|InsertDebugMarker)"
words = set(re.findall(r"\w+", joined + "".join(Path(name).read_text() for name in sys.argv[3:])))
missing = sorted(name for module, name in imports() if name not in words and name.removesuffix("f") not in words and not re.fullmatch(kinds, name))
if missing:
    sys.exit("error: Web/runtime does not have: " + ", ".join(missing))
print("// Vitrine's renderer for web pages.")
sys.stdout.write(joined)
