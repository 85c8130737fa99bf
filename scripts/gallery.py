#!/usr/bin/env python3
"""Renders the images of docs/guide/gallery.md again, with the commands on that page, and compares them with docs/images/gallery.

    scripts/gallery.py BUILD [--write] [NAME ...]      BUILD: .build/release, with the command and the examples

Each section of the page has one image and one fence of commands; the last command writes NAME.png, where docs/images/gallery/NAME.jpg is the
image. The commands run in a folder with the files of `vitrine sample`. An image whose PSNR to the stored one is below 30 dB, or
that a command fails to make, is an error. --write stores the new images instead: look at each before you commit it.
"""
import argparse
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORED = ROOT / "docs/images/gallery"
SIZE = "640x480"
LIMIT = 30.0


def sections():
    text = (ROOT / "docs/guide/gallery.md").read_text()
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        title = part.split("\n", 1)[0]
        images = re.findall(r"!\[[^\]]+\]\(\.\./images/gallery/([\w-]+)\.jpg\)", part)
        commands = re.findall(r"^```sh\n(.*?)^```", part, flags=re.M | re.S)
        if len(images) != 1 or len(commands) != 1:
            sys.exit(f"error: docs/guide/gallery.md: '{title}': a section needs one image and one fence of commands")
        yield images[0], commands[0].strip().split("\n")


def programs(commands, build):
    """`make run EXAMPLE=NAME ARGS="…"` runs the program of the build; `vitrine` is on the path."""
    for command in commands:
        found = re.fullmatch(r'make run EXAMPLE=(\w+) ARGS="([^"]*)"', command)
        yield f"{shlex.quote(str(build / found.group(1)))} {found.group(2)}" if found else command


def psnr(first, second):
    output = subprocess.run(["compare", "-metric", "RMSE", str(first), str(second), "null:"], capture_output=True, text=True).stderr
    error = float(re.search(r"\(([\d.e-]+)\)", output).group(1))
    return math.inf if error == 0 else -20 * math.log10(error)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_intermixed_args()
    build = options.build.resolve()
    images = [(name, commands) for name, commands in sections() if not options.names or name in options.names]
    unknown = set(options.names) - {name for name, _ in images}
    if unknown:
        sys.exit(f"error: docs/guide/gallery.md has no image {', '.join(sorted(unknown))}")
    environment = os.environ | {"PATH": f"{build}:{os.environ['PATH']}"}
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        subprocess.run(["vitrine", "sample", "try"], cwd=work, env=environment, check=True, stdout=subprocess.DEVNULL)
        for name in ("scripts", "Examples"):
            (work / name).symlink_to(ROOT / name)
        work = work / "try"
        for name, commands in images:
            start = time.monotonic()
            script = "set -e\n" + "\n".join(programs(commands, build))
            run = subprocess.run(["bash", "-c", script], cwd=work, env=environment, capture_output=True, text=True)
            made, kept = work / f"{name}.png", STORED / f"{name}.jpg"
            seconds = f"{time.monotonic() - start:6.1f} s"
            if run.returncode != 0 or not made.exists():
                failures += 1
                print(f"{name:<12} failed: {(run.stderr.strip().splitlines() or ['the commands wrote no ' + made.name])[-1]}")
                continue
            small = work / f"{name}-small.png"
            subprocess.run(["convert", str(made), "-alpha", "remove", "-resize", SIZE, str(small)], check=True)
            if options.write:
                STORED.mkdir(parents=True, exist_ok=True)
            # Both are compared as JPEG, which costs images with fine details more than the limit.
            encoded = kept if options.write else work / f"{name}.jpg"
            subprocess.run(["convert", str(small), "-strip", "-quality", "88", str(encoded)], check=True)
            if options.write:
                print(f"{name:<12} {seconds}   {kept.stat().st_size // 1000} kB")
            elif not kept.exists():
                failures += 1
                print(f"{name:<12} {seconds}   there is no {kept.relative_to(ROOT)}")
            else:
                value = psnr(encoded, kept)
                failures += value < LIMIT
                print(f"{name:<12} {seconds}   {value:5.1f} dB{'' if value >= LIMIT else f'   below {LIMIT:g} dB'}")
            sys.stdout.flush()
    print(f"gallery: {len(images) - failures} of {len(images)} images")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
