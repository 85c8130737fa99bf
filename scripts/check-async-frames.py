#!/usr/bin/env python3
"""Checks that asynchronous functions stay within their frames.

    scripts/check-async-frames.py PROGRAM…

Swift 6.3.1 states too small a frame for some asynchronous functions (long ones with several results that throw); they overwrite the heap behind it. A frame's
size is in the record that the symbol of the function with the suffix "Tu" names. The code of the function and of its parts (suffixes "TY0_" and "TQ0_") has the
frame in the register r14 until it changes it, and must access it below that size. A function that fails must be divided.

For x86-64 and ELF only; elsewhere nothing is checked. Needs nm, readelf and objdump of binutils.
"""

import platform
import re
import struct
import subprocess
import sys
from pathlib import Path

PART = re.compile(r"(TY|TQ)\d*_$")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:")
ACCESS = re.compile(r"(0x[0-9a-f]+)\(%r14\)")
CHANGE = re.compile(r",%r14$|pop +%r14")
# Larger offsets belong to other uses of the register.
LARGEST = 1 << 20


def output(*command):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        sys.exit(f"error: {command[0]} is not installed: apt-get install binutils")
    except subprocess.CalledProcessError as failure:
        sys.exit(f"error: {failure.stderr.strip()}")


def frame_sizes(program):
    """The stated size of the frame of each asynchronous function, in bytes, by its symbol."""
    sections = []
    for line in output("readelf", "-SW", program).replace("[ ", "[").splitlines():
        if re.match(r"\s+\[\d+\]", line):
            words = line.split()
            sections.append(tuple(int(word, 16) for word in words[3:6]))
    data = Path(program).read_bytes()
    sizes = {}
    for line in output("nm", program).splitlines():
        words = line.split()
        if len(words) != 3 or not words[2].endswith("Tu"):
            continue
        address = int(words[0], 16)
        for start, offset, size in sections:
            if start and start <= address < start + size:
                sizes[words[2][:-2]] = struct.unpack_from("<iI", data, offset + address - start)[1]
    return sizes


def accesses(program, sizes):
    """The functions that access their frame beyond its size, with the farthest byte."""
    beyond = {}
    function, holds_frame = None, False
    with subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", "-j", ".text", program], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if match := FUNCTION.match(line):
                function, holds_frame = PART.sub("", match[1]), True
            elif holds_frame and function in sizes:
                if CHANGE.search(line.rstrip()):
                    holds_frame = False
                elif match := ACCESS.search(line):
                    offset = int(match[1], 16)
                    if sizes[function] <= offset < LARGEST:
                        beyond[function] = max(beyond.get(function, 0), offset)
    return beyond


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        print("check-async-frames: skipped: only for Linux on x86-64")
        return
    failed = False
    for program in sys.argv[1:]:
        sizes = frame_sizes(program)
        if not sizes:
            sys.exit(f"error: {program}: has no asynchronous functions, or no symbols")
        beyond = accesses(program, sizes)
        for function, offset in sorted(beyond.items()):
            name = output("swift", "demangle", "--compact", function).strip()
            print(f"error: {program}: {name}: accesses byte {offset} of a frame of {sizes[function]} bytes", file=sys.stderr)
        failed = failed or bool(beyond)
        print(f"check-async-frames: {Path(program).name}: {len(sizes)} functions, {len(beyond)} beyond their frames")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
