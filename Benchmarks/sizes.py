"""How large a program becomes that does nothing but show a model: a package of five lines, built in both ways and stripped."""

import shutil
import subprocess
import sys
from pathlib import Path

from programs import ROOT

PACKAGE = """// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Viewer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Vitrine", path: "{root}")],
    targets: [.executableTarget(name: "Viewer", dependencies: [.product(name: "Vitrine", package: "Vitrine")])],
    swiftLanguageModes: [.v6]
)
"""


def build(folder, static):
    flags = ["--static-swift-stdlib"] if static else []
    scratch = folder / (".build-static" if static else ".build")
    command = ["swift", "build", "-c", "release", "--package-path", str(folder), "--scratch-path", str(scratch), "-Xlinker", "--gc-sections", *flags]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        print("bench: the viewer for the size does not build:\n" + (result.stdout + result.stderr)[-1500:], file=sys.stderr)
        return None
    program = scratch / "release/Viewer"
    stripped = folder / ("Viewer-static" if static else "Viewer-dynamic")
    shutil.copy(program, stripped)
    subprocess.run(["strip", str(stripped)], check=True)
    return stripped


def megabytes(size):
    return f"{size / 1e6:.2f}"


def linked(program, words):
    """The paths of those libraries for the dynamic linker."""
    found = {}
    for line in subprocess.run(["ldd", str(program)], capture_output=True, text=True).stdout.splitlines():
        parts = line.split()
        if len(parts) >= 3 and any(word in parts[0] for word in words):
            found[parts[0]] = Path(parts[2]).resolve()
    return found


def sections(program):
    """The largest sections."""
    rows = {}
    for line in subprocess.run(["size", "-A", str(program)], capture_output=True, text=True).stdout.splitlines():
        parts = line.split()
        if len(parts) == 3 and parts[1].isdigit() and parts[0].startswith(".") and parts[0] != ".bss":
            rows[parts[0]] = int(parts[1])
    return sorted(rows.items(), key=lambda row: -row[1])[:5]


def measure(folder):
    package = folder / "viewer"
    (package / "Sources/Viewer").mkdir(parents=True, exist_ok=True)
    manifest = PACKAGE.format(root=ROOT)
    if not (package / "Package.swift").exists() or (package / "Package.swift").read_text() != manifest:
        (package / "Package.swift").write_text(manifest)
    shutil.copy(ROOT / "Benchmarks/Viewer/Viewer.swift", package / "Sources/Viewer/Viewer.swift")
    rows = []
    for static in (False, True):
        program = build(package, static)
        if program is None:
            continue
        kind = "Swift's libraries linked in" if static else "Swift's libraries beside it"
        rows.append([f"program, stripped, {kind}", megabytes(program.stat().st_size)])
        parts = ", ".join(f"{name} {megabytes(size)}" for name, size in sections(program))
        rows.append([f"&nbsp;&nbsp;its largest sections: {parts}", ""])
        if not static:
            swift = linked(program, ["libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocks"])
            rows.append([f"&nbsp;&nbsp;Swift's shared libraries that it loads ({len(swift)})", megabytes(sum(p.stat().st_size for p in swift.values()))])
        else:
            gpu = linked(program, ["libwgpu_native"])
            for path in gpu.values():
                stripped = folder / "wgpu-stripped.so"
                shutil.copy(path, stripped)
                subprocess.run(["strip", "--strip-unneeded", str(stripped)], check=True)
                rows.append(["wgpu-native, a shared library, stripped (on the web and later systems the platform brings it)", megabytes(stripped.stat().st_size)])
            others = linked(program, ["libSDL2", "libpng", "libjpeg", "libwebp", "OpenEXR", "Imath", "Iex", "IlmThread"])
            rows.append([f"the system's codecs and SDL2, shared ({len(others)} libraries)", megabytes(sum(p.stat().st_size for p in others.values()))])
    return rows
