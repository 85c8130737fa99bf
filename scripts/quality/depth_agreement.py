#!/usr/bin/env python3
"""Compares the depth maps of two checkpoint folders of the same photos, for example of `--device cpu` and `--device gpu`.

    scripts/quality/depth_agreement.py CHECKPOINT-A CHECKPOINT-B [--pass depth|depth-first]

Prints the number of pixels with a depth, the share of them with a depth in both maps, and the shares of those whose depths differ by at most 0.01, 0.1
and 0.5 %, for all photos and for the worst photo.
"""
import argparse
import pathlib
import sys

import numpy as np

HEADER = 56


def depths(file):
    """Reads the depths of a map, 0 where there is none: runs of pixels by turns without and with a depth, then the known depths (StoredDepthMap.swift)."""
    data = file.read_bytes()
    width, height = np.frombuffer(data, "<i8", 2, HEADER + 8)
    # The camera between the size and the runs has a variable number of lens coefficients.
    for offset in range(HEADER + 24, min(len(data) - 8, HEADER + 1024)):
        count = int.from_bytes(data[offset:offset + 8], "little")
        if 0 < count <= width * height + 1 and offset + 8 + 4 * count <= len(data):
            runs = np.frombuffer(data, "<u4", count, offset + 8)
            if runs.sum(dtype=np.int64) == width * height:
                break
    else:
        sys.exit(f"error: {file}: is not a depth map")
    is_known = np.repeat(np.arange(count) % 2 == 1, runs)
    result = np.zeros(width * height, np.float32)
    result[is_known] = np.frombuffer(data, "<f4", int(is_known.sum()), offset + 16 + 4 * count)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a", type=pathlib.Path)
    parser.add_argument("b", type=pathlib.Path)
    parser.add_argument("--pass", dest="kind", choices=["depth", "depth-first"], default="depth")
    options = parser.parse_args()
    rows = []
    for file in sorted(options.a.glob(f"{options.kind}-[0-9]*.bin")):
        other = options.b / file.name
        if not other.exists():
            sys.exit(f"error: {other}: no such file")
        a, b = depths(file), depths(other)
        either, both = (a > 0) | (b > 0), (a > 0) & (b > 0)
        error = np.abs(a[both] - b[both]) / a[both]
        rows.append([either.sum(), both.sum(), (a > 0).sum(), (b > 0).sum()] + [(error <= limit).sum() for limit in (1e-4, 1e-3, 5e-3)])
    if not rows:
        sys.exit(f"error: {options.a}: has no files {options.kind}-N.bin")

    def show(name, row):
        either, both, first, second, *close = row
        print(f"{name}: {first} and {second} pixels with a depth, {100 * both / either:.2f} % in both, "
              + ", ".join(f"{100 * count / both:.2f} % within {limit} %" for count, limit in zip(close, ("0.01", "0.1", "0.5"))))
    show(f"{len(rows)} photos", np.sum(rows, axis=0))
    show("worst photo", min(rows, key=lambda row: row[-1] / max(1, row[1])))


if __name__ == "__main__":
    main()
