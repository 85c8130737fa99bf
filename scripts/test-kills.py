#!/usr/bin/env python3
"""Kills commands that write files: an output is the old file or the complete new one, and the same command ends with the same bytes.

    scripts/test-kills.py VITRINE [--kills N] [--only NAME,…] [--seed N]

--kills: random kills of each command, 20 by default; the moments are spread over the duration of a whole run. Between kills the output is
the complete file of an earlier run, or does not exist. Commands, on small files of `vitrine sample`:

    convert, optimize, render, path, film, web, simulate, track, record

A recording that was killed can be opened, if it has a header.
"""
import argparse
import hashlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODEL, RECORDING = "sample/owl.glb", "sample/walk"
# Name: the arguments, with OUT for the output. A folder is compared file by file.
COMMANDS = {
    "convert": ["convert", MODEL, "OUT.usdz"],
    "optimize": ["optimize", MODEL, "-o", "OUT.glb"],
    "render": ["render", MODEL, "-o", "OUT.png", "--size", "160x120", "--samples", "2"],
    "path": ["render", MODEL, "-o", "OUT.png", "--size", "80x60", "--quality", "path", "--samples", "4"],
    "film": ["render", MODEL, "-o", "OUT.mp4", "--size", "160x120", "--samples", "1", "--turntable", "8"],
    "web": ["web", MODEL, "-o", "OUT.html", "--single-file", "--poster-size", "64"],
    "simulate": ["ar", "simulate", "study", "-o", "OUT", "--seconds", "1", "--size", "160x120"],
    "track": ["ar", "track", RECORDING, "-o", "OUT.tum"],
    "record": ["ar", "record", RECORDING, "-o", "OUT"],
}
# Name: what reads an unfinished folder, once it has this file.
READERS = {"record": (["ar", "inspect", "OUT"], "recording.json")}


def fail(text):
    sys.exit(f"test-kills: {text}")


def content(path):
    """A hash of a file, or of all files of a folder; None if it does not exist."""
    if not path.exists():
        return None
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    digest = hashlib.sha256()
    for file in files:
        digest.update(str(file.relative_to(path)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def output(work, arguments, folder):
    argument = next(a for a in arguments if a.startswith("OUT"))
    return work / folder / argument.replace("OUT", "out")


def start(vitrine, work, arguments, folder):
    (work / folder).mkdir(exist_ok=True)
    path = output(work, arguments, folder)
    command = [vitrine, *(str(path) if a.startswith("OUT") else a for a in arguments)]
    return subprocess.Popen(list(map(str, command)), cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def complete(vitrine, work, arguments, folder):
    """Runs a command to its end; returns its duration."""
    begin = time.time()
    process = start(vitrine, work, arguments, folder)
    _, error = process.communicate()
    if process.returncode:
        fail(f"{' '.join(arguments)}: {error.decode().strip()}")
    return time.time() - begin


def clear(path):
    if path.is_dir():
        subprocess.run(["rm", "-r", path], check=True)
    else:
        path.unlink(missing_ok=True)


def campaign(vitrine, work, name, kills, generator):
    arguments = COMMANDS[name]
    seconds = complete(vitrine, work, arguments, f"{name}-whole")
    expected = content(output(work, arguments, f"{name}-whole"))
    # Whether a second run writes the same bytes: times in the file would differ.
    folder = f"{name}-killed"
    path = output(work, arguments, folder)
    killed, late, left, readable = 0, 0, 0, 0
    existed = False
    while killed < kills:
        process = start(vitrine, work, arguments, folder)
        try:
            process.wait(timeout=generator.random() * seconds)
            late += 1
            if late > 20 + 4 * kills:
                fail(f"{name}: the runs are too short to be killed")
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.communicate()
        found = content(path)
        whole = found == expected
        # A folder is written file by file; its next run has to complete it.
        if found is not None and not whole and path.is_file():
            fail(f"{name}: after a kill, {path.name} is neither missing nor complete")
        reader, header = READERS.get(name, (None, ""))
        if reader and (path / header).exists():
            result = subprocess.run([str(vitrine), *(str(path) if a == "OUT" else a for a in reader)], capture_output=True, text=True)
            if result.returncode:
                fail(f"{name}: an unfinished folder is not readable: {result.stderr.strip()}")
            readable += 1
        if existed and found is None:
            fail(f"{name}: a kill removed the file of an earlier run")
        existed = path.is_file()
        left = max(left, sum(1 for p in path.parent.iterdir() if p.name.endswith(".tmp")))
        if generator.random() < 0.3:
            if path.is_dir():
                clear(path)
            complete(vitrine, work, arguments, folder)
            if content(path) != expected:
                fail(f"{name}: the run after a kill wrote other bytes")
            existed = path.is_file()
        if generator.random() < 0.3 or path.is_dir():
            clear(path)
            existed = False
    clear(path)
    complete(vitrine, work, arguments, folder)
    if content(path) != expected:
        fail(f"{name}: the last run wrote other bytes")
    print(f"{name}: {killed} kills within {seconds:.1f} s, the same bytes; at most {left} temporary files beside the output" + (f"; {readable} unfinished folders were read" if readable else ""), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vitrine", type=lambda p: Path(p).resolve())
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--only", default=",".join(COMMANDS))
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    names = options.only.split(",")
    if unknown := [name for name in names if name not in COMMANDS]:
        parser.error(f"no command {unknown[0]}; there are: {', '.join(COMMANDS)}")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        subprocess.run([options.vitrine, "sample", work / "sample", "--only", "model,recording"], check=True, capture_output=True)
        for name in names:
            campaign(options.vitrine, work, name, options.kills, random.Random(f"{options.seed} {name}"))


main()
