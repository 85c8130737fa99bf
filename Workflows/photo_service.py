#!/usr/bin/env python3
"""A photo service for a team: makes models of the folders of photos, and of the videos, that arrive in a folder or on a mounted object store.

    python3 Workflows/photo_service.py INCOMING MODELS [--vitrine PATH] [--quiet-seconds 30] [--once] [OPTIONS OF vitrine reconstruct ...]

INCOMING/vase (a folder of photos) or INCOMING/vase.mp4 becomes MODELS/vase with vase.usdz, vase.glb, report.html, page/ (a web page) and done.json. The work
starts when the files have not changed for --quiet-seconds, one object after the other. MODELS/vase appears whole. If an object fails, MODELS/vase/done.json
has the reason; it is made again when its files change. Of two objects of one name, the first by spelling is made. Stopped or killed,
the service continues where it was (checkpoints in MODELS/.work). --once: ends when nothing is left to do. Clocks are compared with nothing: only differences of names, sizes and times of files count.
"""
import argparse
import fcntl
import json
import pathlib
import shutil
import subprocess
import sys
import time

VIDEOS = {".mp4", ".mov", ".m4v", ".mkv", ".avi", ".webm"}


def arrivals(incoming, refused):
    """The objects by name: a folder or a video, and what identifies its files. Those whose name is taken are added to `refused`, with a warning."""
    found = {}
    for path in sorted(incoming.iterdir()):
        if path.name.startswith("."):
            continue
        try:
            if path.is_dir():
                files = [file for file in sorted(path.rglob("*")) if file.is_file()]
            elif path.suffix.lower() in VIDEOS:
                files = [path]
            else:
                continue
            facts = [[file.relative_to(incoming).as_posix(), file.stat().st_size, file.stat().st_mtime_ns] for file in files]
        except FileNotFoundError:
            # A file is being moved: the next look sees it.
            continue
        if not facts:
            continue
        name = path.stem if path.is_file() else path.name
        if name in found and path not in refused:
            refused.add(path)
            print(f"warning: {path}: {found[name][0].name} has the same name, so this is ignored", file=sys.stderr)
        found.setdefault(name, (path, facts))
    return found


def is_done(models, name, facts):
    try:
        return json.loads((models / name / "done.json").read_text())["files"] == facts
    except (OSError, ValueError, KeyError):
        return False


def run(command, log):
    """The last line of the error messages; None if the command succeeded."""
    result = subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    log.write(result.stderr)
    if result.returncode == 0:
        return None
    lines = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    return lines[-1].removeprefix("error: ") if lines else f"exit code {result.returncode}"


def make(vitrine, name, path, facts, models, options):
    """Makes an object's folder. Returns its state."""
    work = models / ".work"
    new, checkpoint = work / name, work / f"{name}.checkpoint"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    begin = time.monotonic()
    with (new / "log.txt").open("w") as log:
        outputs = ["-o", new / f"{name}.usdz", "-o", new / f"{name}.glb", "--report", new / "report.html", "--checkpoint", checkpoint]
        reason = run([vitrine, "reconstruct", *outputs, *options, "--", path], log)
        if reason is None:
            reason = run([vitrine, "web", new / f"{name}.glb", "-o", new / "page", "--unlit"], log)
    state = {"state": "failed" if reason else "complete", "files": facts, "seconds": round(time.monotonic() - begin, 1)}
    if reason:
        state["reason"] = reason
    (new / "done.json").write_text(json.dumps(state, indent=1))
    # The old folder goes only when the new one is whole.
    old = work / f"{name}.old"
    shutil.rmtree(old, ignore_errors=True)
    if (models / name).exists():
        (models / name).rename(old)
    new.rename(models / name)
    shutil.rmtree(old, ignore_errors=True)
    shutil.rmtree(checkpoint, ignore_errors=True)
    return state


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("incoming", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--vitrine", default="vitrine", help="the command; default: vitrine")
    parser.add_argument("--quiet-seconds", type=float, default=30, help="the time without changes after which an object is complete")
    parser.add_argument("--once", action="store_true", help="ends when nothing is left to do")
    options, more = parser.parse_known_args()
    if not options.incoming.is_dir():
        sys.exit(f"error: {options.incoming}: is not a folder")
    if not shutil.which(options.vitrine):
        sys.exit(f"error: {options.vitrine}: no such command: pass --vitrine PATH")
    if options.models.resolve().is_relative_to(options.incoming.resolve()):
        sys.exit(f"error: {options.models}: lies in {options.incoming}, so that models would arrive as photos")
    try:
        (options.models / ".work").mkdir(parents=True, exist_ok=True)
        lock = (options.models / ".work/.lock").open("w")
    except OSError as error:
        sys.exit(f"error: {options.models}: {error.strerror}")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"error: {options.models}: another service works on this folder")
    # By name: the files at the last change, and its moment.
    changes = {}
    refused = set()
    while True:
        waiting = {name: item for name, item in arrivals(options.incoming, refused).items() if not is_done(options.models, name, item[1])}
        for name in set(changes) - set(waiting):
            del changes[name]
        for name, (path, facts) in waiting.items():
            if name not in changes or changes[name][0] != facts:
                changes[name] = (facts, time.monotonic())
        ready = [name for name in waiting if time.monotonic() - changes[name][1] >= options.quiet_seconds]
        if ready:
            path, facts = waiting[ready[0]]
            state = make(options.vitrine, ready[0], path, facts, options.models, more)
            print(f"{ready[0]}: {state['state']}, {state['seconds']} s{': ' + state['reason'] if 'reason' in state else ''}", flush=True)
        elif options.once and not waiting:
            return
        else:
            time.sleep(min(5, max(0.2, options.quiet_seconds / 4)))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
