#!/usr/bin/env python3
"""Runs all fuzz targets by turns, records each turn, and adds them up: scripts/fuzz-all.py [--slice S] [--minutes M] [--only T,…]

    --slice S      seconds of a turn, 120 by default; less where less is missing. The next turn is that of the target with the smallest part of its aim
    --minutes M    starts no turn later; by default it ends when each target has had its aim: ten minutes of processor time, and each of glTF, USD and COLLADA an
                   hour, divided between the targets of a format
    --once         one turn for each target
    --only T,…     these targets
    --table        prints the table of all runs; --write puts it into docs/measurements/robustness.md
    --keep         reduces the grown corpora to inputs that reach code of their own, and stores them in Fuzz/LibFuzzer/Corpus: at most 48 KB each

Each turn adds a line to Fuzz/LibFuzzer/campaigns.tsv. Where the data folder is, every second turn starts from real files as well; only what grew without them is
stored. A turn that finds something leaves the input in out/fuzz/TARGET. The other targets continue after a finding, and after a target that does not compile; the program then ends with 1.
"""
import argparse
import datetime
import io
import math
import os
import re
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "Fuzz/LibFuzzer/campaigns.tsv"
TABLE = ROOT / "docs/measurements/robustness.md"
BEGIN, END = "<!-- fuzzing: scripts/fuzz-all.py --write -->", "<!-- end of fuzzing -->"
COLUMNS = ["date", "target", "processor_seconds", "inputs", "findings", "features"]
# Formats with an hour for their targets together.
LONG = [("glb", "json"), ("usda", "usdc", "usdz"), ("dae",)]
LIMIT = 48 * 1024


def aim(target):
    """Seconds of processor time."""
    return next((3600 / len(targets) for targets in LONG if target in targets), 600)


def script(target, seconds, real=False):
    environment = dict(os.environ, VITRINE_FUZZ_REAL="1" if real else "0")
    return subprocess.run([ROOT / "scripts/fuzz.sh", target, str(seconds)], capture_output=True, text=True, env=environment)


def runs():
    if not RECORD.exists():
        return []
    lines = [line.split("\t") for line in RECORD.read_text().splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def totals():
    """By target: processor seconds, inputs, findings, the most features, turns."""
    result = {}
    for run in runs():
        total = result.setdefault(run["target"], [0.0, 0, 0, 0, 0])
        total[0] += float(run["processor_seconds"])
        total[1] += int(run["inputs"])
        total[2] += int(run["findings"])
        total[3] = max(total[3], int(run["features"]))
        total[4] += 1
    return result


def findings(target):
    folder = ROOT / "out/fuzz" / target
    return {p.name for p in folder.glob("*-*") if p.name.split("-")[0] in ("crash", "leak", "oom", "timeout")}


def turn(target, seconds, real):
    """Runs a target and records the result. Returns the number of findings; None if the target does not compile."""
    built = script(target, 0)
    if built.returncode:
        print(f"fuzz-all: {target} does not compile: {built.stdout[-2000:]}{built.stderr[-4000:]}", file=sys.stderr)
        return None
    before, known = resource.getrusage(resource.RUSAGE_CHILDREN), findings(target)
    result = script(target, seconds, real)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    log = (ROOT / "out/fuzz" / target / "log").read_text(errors="replace")
    inputs = [int(n) for n in re.findall(r"^stat::number_of_executed_units: +(\d+)", log, re.M)] or [int(n) for n in re.findall(r"^#(\d+)", log, re.M)][-1:]
    features = max([int(n) for n in re.findall(r" ft: (\d+)", log)], default=0)
    found = len(findings(target) - known)
    if result.returncode and not found:
        sys.exit(f"fuzz-all: {target}: {result.stdout[-3000:]}{result.stderr[-2000:]}")
    new = not RECORD.exists()
    with RECORD.open("a") as file:
        if new:
            file.write("\t".join(COLUMNS) + "\n")
        row = [datetime.date.today().isoformat(), target, f"{processor:.0f}", str(sum(inputs)), str(found), str(features)]
        file.write("\t".join(row) + "\n")
    print(f"{target}: {processor:.0f} processor seconds, {sum(inputs)} inputs, {features} features, {found} findings" + (", with real files" if real else ""), flush=True)
    if found:
        print("    " + ", ".join(sorted(findings(target) - known)), flush=True)
    return found


def table():
    rows = totals()
    dates = sorted(run["date"] for run in runs())
    lines = [
        BEGIN,
        f"libFuzzer with the address sanitizer, {dates[0]} to {dates[-1]}: every turn of `scripts/fuzz-all.py`, from `Fuzz/LibFuzzer/campaigns.tsv`. Time is that of processors.",
        "",
        "| target | minutes | inputs | features | findings |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name in sorted(rows):
        seconds, inputs, found, features, _ = rows[name]
        lines.append(f"| {name} | {seconds / 60:.1f} | {inputs:,} | {features:,} | {found} |")
    seconds, inputs, found = (sum(row[i] for row in rows.values()) for i in range(3))
    lines += [f"| all {len(rows)} | {seconds / 60:.0f} ({seconds / 3600:.1f} h) | {inputs:,} | | {found} |", END]
    return "\n".join(lines)


def keep(target):
    """Stores a small corpus: the smallest inputs first, up to the limit."""
    if script(target, 0).returncode:
        sys.exit(f"fuzz-all: {target} does not compile")
    out = ROOT / "out/fuzz" / target
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small"
        small.mkdir()
        environment = dict(os.environ, VITRINE_FUZZ_SEEDS=str(out / "seeds"), LSAN_OPTIONS=f"suppressions={ROOT}/Fuzz/leaks.txt:print_suppressions=0")
        command = [ROOT / "out/fuzz/build" / target, "-merge=1", "-timeout=60", "-rss_limit_mb=2048", small, out / "corpus"]
        merged = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, cwd=folder)
        if merged.returncode:
            sys.exit(f"fuzz-all: {target}: {merged.stderr[-2000:]}")
        files = sorted((p.stat().st_size, p.name, p.read_bytes()) for p in small.iterdir())
        packed = b""
        count = len(files)
        while True:
            stream = io.BytesIO()
            with tarfile.open(fileobj=stream, mode="w:xz", format=tarfile.USTAR_FORMAT) as archive:
                for size, name, content in files[:count]:
                    # Short names: they cost more than many inputs.
                    entry = tarfile.TarInfo(name[:8])
                    entry.size = size
                    archive.addfile(entry, io.BytesIO(content))
            packed = stream.getvalue()
            if len(packed) <= LIMIT or count < 2:
                break
            count = min(count - 1, int(count * (LIMIT / len(packed)) ** 0.5))
        path = ROOT / "Fuzz/LibFuzzer/Corpus" / f"{target}.tar.xz"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(packed)
        print(f"{target}: {count} of {len(files)} inputs, {len(packed)} bytes", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slice", type=int, default=120)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    targets = subprocess.run([ROOT / "scripts/fuzz.sh", "--list"], capture_output=True, text=True, check=True).stdout.split()
    if options.only:
        wanted = options.only.split(",")
        if unknown := [name for name in wanted if name not in targets]:
            parser.error(f"no target {unknown[0]}; there are: {', '.join(targets)}")
        targets = wanted
    if options.keep:
        for target in targets:
            keep(target)
        return
    if options.table:
        print(table())
        return
    if options.write:
        text = TABLE.read_text()
        before, rest = text.split(BEGIN)
        TABLE.write_text(before + table() + rest.split(END)[1])
        return
    data = Path(os.environ.get("VITRINE_DATA") or ROOT / "../shared/data").is_dir()
    end = time.monotonic() + options.minutes * 60
    broken, done, failed, found = set(), set(), [], 0
    while time.monotonic() < end:
        current = totals()
        left = [t for t in targets if t not in broken and not (options.once and t in done) and (options.once or current.get(t, [0])[0] < aim(t))]
        if not left:
            break
        target = min(left, key=lambda t: (current.get(t, [0])[0] / aim(t), t))
        turns = current.get(target, [0] * 5)[4]
        seconds = options.slice if options.once else min(options.slice, max(20, math.ceil(aim(target) - current.get(target, [0])[0])))
        count = turn(target, seconds, data and turns % 2 == 1)
        done.add(target)
        if count is None:
            failed.append(target)
        found += count or 0
        if count != 0:
            # It would find the same again.
            broken.add(target)
    if failed:
        sys.exit(f"fuzz-all: did not compile: {', '.join(failed)}")
    if found:
        sys.exit(1)


main()
