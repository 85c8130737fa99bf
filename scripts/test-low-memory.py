#!/usr/bin/env python3
"""Runs all unit tests in a control group with little memory, one test target at a time: scripts/test-low-memory.py [BUILD] [--limit MB] [--only TARGET,…]

BUILD is .build/release by default, built with `swift build $(scripts/swift-flags.sh) --build-tests`. Prints the memory and the time of each target; the limit is 1,500 MB by default,
and counts what the kernel keeps of files as well, which it can drop. A target that the kernel ends, or that fails, is an error. Needs root.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
GROUPS = pathlib.Path("/sys/fs/cgroup")


def make_group(limit):
    """A control group with the limit in bytes, in the version that this system has: the folder and the name of the file of its processes."""
    for parent, maximum, swap in [(GROUPS / "memory", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"), (GROUPS, "memory.max", "memory.swap.max")]:
        group = parent / f"vitrine-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        if (group / maximum).exists():
            (group / maximum).write_text(str(limit))
            if (group / swap).exists():
                (group / swap).write_text("0" if swap == "memory.swap.max" else str(limit))
            return group
        group.rmdir()
    sys.exit("error: /sys/fs/cgroup: no control group for memory can be made here: run as root, where the kernel has them")


def end_processes(group):
    """Ends programs that a test has left in the group."""
    while members := (group / "cgroup.procs").read_text().split():
        for member in members:
            try:
                os.kill(int(member), signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", nargs="?", default=".build/release")
    parser.add_argument("--limit", type=int, default=1500, help="MB (10⁶ bytes)")
    parser.add_argument("--only", help="test targets, separated by commas")
    options = parser.parse_args()
    program = pathlib.Path(options.build) / "VitrinePackageTests.xctest"
    if not program.exists():
        sys.exit(f"error: {program}: no such file: swift build $(scripts/swift-flags.sh) --build-tests")
    targets = options.only.split(",") if options.only else sorted(folder.name for folder in (ROOT / "Tests").glob("*Tests"))
    group = make_group(options.limit * 1_000_000)
    failures = []
    try:
        for target in targets:
            began = time.monotonic()
            # A process of its own for each target, so that the largest resident memory is that of this target.
            # Its output goes into a file: a pipe would stay open while a program that a test has started runs.
            with tempfile.TemporaryFile("w+") as output:
                process = subprocess.Popen(
                    [program, "--testing-library", "swift-testing", "--skip", "LeakTests", "--filter", rf"^{target}\."], stdout=output, stderr=subprocess.STDOUT,
                    preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())),
                )
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                end_processes(group)
                output.seek(0)
                log = output.read()
            tests = re.findall(r"Test run with (\d+) tests?", log)
            print(
                f"{target}: {tests[-1] if tests else 0} tests, {usage.ru_maxrss * 1024 / 1e6:.0f} MB, processors {usage.ru_utime + usage.ru_stime:.0f} s, {time.monotonic() - began:.0f} s"
                + ("" if process.returncode == 0 else f": ended with {process.returncode}"), flush=True,
            )
            if process.returncode != 0 or not tests:
                failures.append(target)
                print("\n".join(line for line in log.split("\n") if "✘" in line or "error" in line.lower())[-3000:], flush=True)
    finally:
        end_processes(group)
        group.rmdir()
    if failures:
        sys.exit(f"test-low-memory: {options.limit} MB: failed: {', '.join(failures)}")
    print(f"test-low-memory: ok, {len(targets)} targets within {options.limit} MB")


main()
