#!/usr/bin/env python3
"""The linker of `make install`: calls ld.lld with copies of the Swift objects that have no tables for unwinding the stack.

Swift never unwinds the stack: its errors are return values, and backtraces follow frame pointers. Objects of C and C++ keep their tables, because
exceptions pass through them. The sections are marked as excluded (SHF_EXCLUDE); linkers leave such sections out.
"""
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

EXCLUDE = 0x80000000
"""SHF_EXCLUDE in the flags of a section."""


def expanded(arguments):
    """The arguments, with those of response files."""
    for argument in arguments:
        if argument.startswith("@") and os.path.exists(argument[1:]):
            yield from expanded(shlex.split(pathlib.Path(argument[1:]).read_text()))
        else:
            yield argument


def exclude_tables(data, start=0):
    """Marks the unwinding tables of an ELF object of 64 bits, and their relocations, as excluded."""
    if data[start:start + 6] != b"\x7fELF\x02\x01":
        return
    first = start + struct.unpack_from("<Q", data, start + 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", data, start + 0x3A)
    # More sections than 16 bits count: the numbers are in the first header.
    if count == 0:
        count, = struct.unpack_from("<Q", data, first + 0x20)
    if names == 0xFFFF:
        names, = struct.unpack_from("<I", data, first + 0x28)
    texts = start + struct.unpack_from("<Q", data, first + names * size + 0x18)[0]
    for header in range(first, first + count * size, size):
        name, _, flags = struct.unpack_from("<IIQ", data, header)
        if data[texts + name:data.index(0, texts + name)] in (b".eh_frame", b".rela.eh_frame"):
            struct.pack_into("<Q", data, header + 8, flags | EXCLUDE)


def members(data):
    """Yields (name, start) of each member of an archive in the format of GNU ar."""
    position, long_names = 8, b""
    while position + 60 <= len(data):
        name, size = data[position:position + 16].rstrip(), int(data[position + 48:position + 58])
        start = position + 60
        if name == b"//":
            long_names = data[start:start + size]
        elif re.fullmatch(rb"/\d+", name):
            name = long_names[int(name[1:]):].split(b"/\n", 1)[0]
        yield name.rstrip(b"/").decode(), start
        position = start + size + size % 2


def without_tables(argument, folders):
    """The changed copy of an object or archive; None if the argument is neither, or is not of Swift."""
    # SwiftPM's objects of Swift files: MODULE.build/FILE.swift.o.
    if re.search(r"\.build/[^/]+\.swift\.o$", argument):
        data = bytearray(pathlib.Path(argument).read_bytes())
        exclude_tables(data)
        return data
    if argument.startswith("-l"):
        paths = [os.path.join(folder, f"lib{argument[2:]}.a") for folder in folders if "swift_static" in folder]
        found = next(filter(os.path.exists, paths), None)
        if found:
            data = bytearray(pathlib.Path(found).read_bytes())
            for name, start in members(bytes(data)):
                # The standard library is one object; its archive has objects of C++, too.
                if name.endswith(".swift.o") or name == "Swift.o":
                    exclude_tables(data, start)
            return data
    return None


linker = shutil.which("ld.lld") or os.path.join(os.path.dirname(os.path.realpath(shutil.which("swiftc") or "swiftc")), "ld.lld")
with tempfile.TemporaryDirectory(prefix="vitrine-link-") as folder:
    given = list(expanded(sys.argv[1:]))
    folders = [argument[2:] for argument in given if argument.startswith("-L")]
    arguments, copies = [], {}
    for argument in given:
        if argument not in copies:
            data = without_tables(argument, folders)
            copies[argument] = os.path.join(folder, f"{len(copies)}.{'a' if argument.startswith('-l') else 'o'}") if data else argument
            if data:
                pathlib.Path(copies[argument]).write_bytes(data)
        arguments.append(copies[argument])
    response = os.path.join(folder, "arguments")
    pathlib.Path(response).write_text("\n".join(shlex.quote(argument) for argument in arguments))
    sys.exit(subprocess.run([linker, "@" + response]).returncode)
