#!/usr/bin/env python3
"""Copies Swift sources for pages, with compact shaders: WGSL in multi-line string literals without comments, indentation and blank lines.

Usage: scripts/web-sources.py FOLDER FILE…      prints the paths of the copies
Other literals and all Swift code stay unchanged.
"""
import re
import sys
from pathlib import Path

WGSL = re.compile(r"^\s*(fn|struct|@group|@fragment|@vertex|@compute|var<|const|let|override|#if|//)\b|^\s*//", re.M)


def compact(lines, indentation):
    """The lines of a literal."""
    if not WGSL.search("\n".join(lines)):
        return lines
    result = []
    for line in lines:
        text = line[len(indentation):] if line.startswith(indentation) else line.lstrip()
        # Interpolations may contain anything.
        if "\\" not in text:
            text = re.sub(r"\s*//(?! working-space).*", "", text)
        text = text.strip() if not text.endswith("\\") else text.lstrip()
        if text:
            result.append(indentation + text)
    # The last line decides whether text that follows begins on a line of its own.
    return result + ([""] if lines and not lines[-1].strip() and result else [])


def copy(text):
    result, literal = [], None
    for line in text.split("\n"):
        if literal is None:
            result.append(line)
            if re.search(r'"""$', line) and line.count('"""') == 1 and not line.lstrip().startswith("//"):
                literal = []
        elif line.lstrip().startswith('"""'):
            result += compact(literal, line[:len(line) - len(line.lstrip())])
            result.append(line)
            # A literal may end and another begin in one line.
            literal = [] if line.count('"""') == 2 and line.endswith('"""') else None
        else:
            literal.append(line)
    return "\n".join(result)


folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
paths = []
for name in sys.argv[2:]:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = copy(Path(name).read_text())
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    paths.append(str(path))
print("\n".join(paths))
