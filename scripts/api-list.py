#!/usr/bin/env python3
"""Lists the public API of the package, from the compiler's symbol graphs of a finished build.

    scripts/api-list.py --check [BUILD]     Compares the list with docs/api.txt; prints the difference and fails if they differ.
    scripts/api-list.py --update [BUILD]    Writes docs/api.txt.
    scripts/api-list.py --counts [BUILD]    Prints types, declarations and undocumented declarations for each module.

BUILD is the folder of the build: .build/release by default. The check also fails if a module that no product exports has more public
declarations, or if there are more public types or more undocumented declarations than the limits below. The limits only go
down.
"""
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "docs" / "api.txt"
TYPE_LIMIT = 450
UNDOCUMENTED_LIMIT = 0
UNEXPORTED_LIMIT = 0
TYPE_KINDS = {"swift.class": "class", "swift.struct": "struct", "swift.enum": "enum", "swift.protocol": "protocol", "swift.actor": "actor",
              "swift.typealias": "typealias", "swift.macro": "macro"}
# Declarations that inherit the documentation of a protocol's requirement, or say all in their name.
SELF_EXPLANATORY = re.compile(r"^(==\(_:_:\)|hash\(into:\)|hashValue|encode\(to:\)|init\(from:\)|description|debugDescription|errorDescription|rawValue|"
                              r"init\(rawValue:\)|init\(\w*[lL]iteral:\)|RawValue|Element|AsyncIterator|Iterator|Index|ID|id|<\(_:_:\)|allCases|AllCases)$")


def modules():
    """The modules of Sources with their role: exported by a product or not."""
    manifest = (ROOT / "Package.swift").read_text()
    products = re.findall(r'\.library\(name: "\w+", targets: \[([^\]]*)\]', manifest)
    exported, pending = [], [name for product in products for name in re.findall(r'"(\w+)"', product)]
    while pending:
        name = pending.pop(0)
        if name in exported:
            continue
        exported.append(name)
        for file in sorted((ROOT / "Sources" / name).rglob("*.swift")):
            pending += re.findall(r"^@_exported import (Vitrine\w*)", file.read_text(), re.M)
    # VitrineWeb is no target: scripts/web.sh compiles it for WebAssembly.
    targets = set(re.findall(r'[tT]arget\(\s*name: "(\w+)"', manifest))
    others = [path.name for path in sorted((ROOT / "Sources").glob("Vitrine*")) if path.name not in exported and path.name in targets]
    return exported, [name for name in others if name != "VitrineCLI"]


def extract(module, build, folder):
    """Returns the symbols of one module, with extensions of other modules' types."""
    flags = subprocess.run([ROOT / "scripts/module-flags.sh", build], check=True, capture_output=True, text=True, cwd=ROOT).stdout.split()
    target = json.loads(subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True, text=True).stdout)["target"]["triple"]
    run = subprocess.run(["swift", "symbolgraph-extract", "-module-name", module, "-target", target, *flags, "-minimum-access-level", "public",
                          "-skip-synthesized-members", "-skip-inherited-docs", "-output-dir", folder], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"error: {module}: {run.stderr.strip()}")
    symbols = []
    for file in sorted(pathlib.Path(folder).glob("*.symbols.json")):
        if file.name.split("@")[0].removesuffix(".symbols.json") == module:
            symbols += json.loads(file.read_text())["symbols"]
    return symbols


def line(module, symbol):
    """One declaration as a line: the module, the path of names, the declaration."""
    text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
    text = re.sub(r"\s+", " ", text).strip()
    return f"{module}  {'.'.join(symbol['pathComponents'])}  {text}"


def undocumented(symbol):
    if symbol["kind"]["identifier"] in ("swift.extension",) or "docComment" in symbol:
        return False
    return not SELF_EXPLANATORY.match(symbol["pathComponents"][-1])


def main():
    arguments = sys.argv[1:]
    mode = arguments[0] if arguments else ""
    if mode not in ("--check", "--update", "--counts"):
        sys.exit(__doc__)
    build = arguments[1] if len(arguments) > 1 else ".build/release"
    exported, others = modules()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def graph(name):
            place = pathlib.Path(folder) / name
            place.mkdir()
            return extract(name, build, str(place))
        graphs = dict(zip(exported + others, pool.map(graph, exported + others)))

    lines, failures, undocumented_places, types_total, rows = [], [], [], 0, []
    for name in exported + others:
        symbols = [s for s in graphs[name] if s["kind"]["identifier"] != "swift.extension"]
        types = sum(s["kind"]["identifier"] in TYPE_KINDS for s in symbols)
        bare = [s for s in symbols if undocumented(s)]
        rows.append((name, types, len(symbols), len(bare)))
        if name in others:
            if len(symbols) > UNEXPORTED_LIMIT:
                failures.append(f"{name}: is in no product and has {len(symbols)} public declarations: make them package")
            continue
        types_total += types
        lines += [line(name, s) for s in symbols]
        for s in bare:
            place = s.get("location", {})
            file = place.get("uri", "").removeprefix("file://").removeprefix(f"{ROOT}/") or name
            undocumented_places.append(f"{file}:{place.get('position', {}).get('line', -1) + 1}: {'.'.join(s['pathComponents'])} has no documentation comment")
    if len(undocumented_places) > UNDOCUMENTED_LIMIT:
        failures += undocumented_places
        failures.append(f"{len(undocumented_places)} undocumented public declarations: more than {UNDOCUMENTED_LIMIT}")
    if types_total > TYPE_LIMIT:
        failures.append(f"{types_total} public types: more than {TYPE_LIMIT}")
    lines.sort()

    if mode == "--counts":
        print(f"{'module':20} {'types':>6} {'declarations':>13} {'undocumented':>13}")
        for name, *counts in rows + [("all products", types_total, len(lines), sum(r[3] for r in rows if r[0] in exported))]:
            print(f"{name:20} {counts[0]:6} {counts[1]:13} {counts[2]:13}" + ("" if name not in others else "  (in no product)"))
        return
    text = "".join(entry + "\n" for entry in lines)
    if mode == "--update":
        LIST.write_text(text)
        print(f"api: {LIST.relative_to(ROOT)}: {types_total} types, {len(lines)} declarations")
    elif not LIST.exists() or LIST.read_text() != text:
        before = LIST.read_text().splitlines() if LIST.exists() else []
        changes = [c for c in difflib.unified_diff(before, text.splitlines(), lineterm="", n=0) if re.match(r"[+-][^+-]", c)]
        print("\n".join(changes[:80]))
        failures.append(f"docs/api.txt: {len(changes)} lines differ from the build: if the change is meant, run scripts/api-list.py --update and commit the file")
    for failure in failures[-60:]:
        print(f"error: {failure}", file=sys.stderr)
    if failures:
        sys.exit(1)
    if mode == "--check":
        print(f"api: {types_total} public types, {len(lines)} public declarations, {len(undocumented_places)} undocumented, as in docs/api.txt")


main()
