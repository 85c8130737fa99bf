#!/usr/bin/env python3
"""Runs all unit tests under the thread sanitizer, one test target at a time: scripts/test-threads.py [--build FOLDER] [--only TARGET,…] [--limit SECONDS]

Builds the tests into .build/thread-sanitizer (or FOLDER), which takes 25 minutes on two cores, 3 for VitrineTrackingTests only, then prints a row for each target: tests, seconds and
reports. Reports are kept in FOLDER/reports. A report, a failed test and a target that takes longer than the limit (3,600 s) are errors. All targets take
hours, because the sanitizer slows tests down by a factor of 2 to 25.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Memory that is not raced for, although the sanitizer reports it; each line is matched with the functions, files and global variables of a report.
SUPPRESSIONS = """\
# An uninitialized array of no elements stores its count, 0, in the storage that all empty arrays share, where 0 was before.
race:_swiftEmptyArrayStorage
"""
# Those of all builds, and lines for the reports.
FLAGS = ["--sanitize=thread", *subprocess.check_output([ROOT / "scripts" / "swift-flags.sh"], text=True).split(), "-Xswiftc", "-gline-tables-only"]

MUTEX = ROOT / "scripts" / "tsan-mutex.c"


def compile_mutex(folder):
    """Compiles the library that reports contended mutexes to the sanitizer, with the toolchain's C compiler."""
    library = folder / "tsan-mutex.so"
    clang = pathlib.Path(shutil.which("swiftc")).resolve().parent / "clang"
    subprocess.run([clang, "-O1", "-shared", "-fPIC", MUTEX, "-o", library], check=True)
    return library


def reports(folder, target):
    """The reports of a target: their text, one string each."""
    text = "".join(path.read_text(errors="replace") for path in sorted(folder.glob(f"{target}.report.*")))
    return [part for part in text.split("==================") if "WARNING: ThreadSanitizer" in part]


def measure(target, build, folder, limit, mutex, environment):
    """Runs the tests of a target; returns the exit status, or None beyond the limit, the number of tests and the seconds."""
    for old in folder.glob(f"{target}.*"):
        old.unlink()
    options = f"suppressions={folder / 'suppressions'} log_path={folder / target}.report exitcode=66 history_size=4 print_suppressions=0"
    command = ["swift", "test", *FLAGS, "--scratch-path", str(build), "--skip-build", "--skip", "LeakTests", "--filter", rf"^{target}\."]
    started = time.monotonic()
    with open(folder / f"{target}.log", "w") as log:
        # A session of its own, so that the tests end with the program that started them.
        tests = subprocess.Popen(command, cwd=ROOT, env={**environment, "TSAN_OPTIONS": options, "LD_PRELOAD": str(mutex)}, stdout=log, stderr=log, start_new_session=True)
        try:
            status = tests.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            try:
                os.killpg(tests.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            tests.wait()
    seconds = time.monotonic() - started
    found = re.search(r"Test run with (\d+) tests", (folder / f"{target}.log").read_text(errors="replace"))
    return status, int(found[1]) if found and status is not None else None, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=str(ROOT / ".build" / "thread-sanitizer"))
    parser.add_argument("--only", help="test targets, separated by commas")
    parser.add_argument("--limit", type=float, default=3600, help="seconds for the tests of a target")
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve()
    targets = options.only.split(",") if options.only else sorted(folder.name for folder in (ROOT / "Tests").glob("*Tests"))
    if unknown := [target for target in targets if not (ROOT / "Tests" / target).is_dir()]:
        sys.exit(f"error: Tests/{unknown[0]}: no such test target")
    environment = dict(os.environ)
    if options.only:
        # Package.swift then has only these tests and the modules under test.
        environment["VITRINE_TESTS"] = ",".join(target.removesuffix("Tests").removeprefix("Vitrine") or "Vitrine" for target in targets)
    if subprocess.run(["swift", "build", *FLAGS, "--scratch-path", str(build), "--build-tests"], cwd=ROOT, env=environment).returncode != 0:
        sys.exit("error: the tests do not build with the thread sanitizer")
    folder = build / "reports"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "suppressions").write_text(SUPPRESSIONS)
    mutex = compile_mutex(folder)
    failures = []
    print("| tests of | tests | time, s | reports |\n| --- | ---: | ---: | ---: |")
    for target in targets:
        status, tests, seconds = measure(target, build, folder, options.limit, mutex, environment)
        count = len(reports(folder, target))
        print(f"| {target} | {tests or 'not to the end'} | {seconds:.0f} | {count} |", flush=True)
        if status != 0 or count > 0 or not tests:
            failures.append(target)
    if failures:
        sys.exit(f"error: {', '.join(failures)}: see {folder}")


if __name__ == "__main__":
    main()
