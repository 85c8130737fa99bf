#!/usr/bin/env python3
"""Runs the tasks of a job in random order with kills, on a full disk, with submaps, and with Snakemake: the outputs have the bytes of `vitrine reconstruct`.
Halfway the files get times of days before and after now, as a clock that jumps leaves them.

    scripts/test-jobs.py VITRINE [--kills N] [--seed N] [--snakemake PATH] [--keep FOLDER]

--kills: the number of tasks that are killed (SIGKILL) at random moments, 8 by default. Two tasks run at a time. --snakemake: the program; by default it
is installed into .build/snakemake (Workflows/requirements.txt). `--snakemake none` leaves that part out. Kills a task of Snakemake, too, and resumes.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
OPTIONS = ["--detail", "custom", "--triangles", "2000", "--texture-size", "1k", "--maps", "diffuse", "--threads", "2", "--memory", "2"]


def fail(text):
    sys.exit(f"test-jobs: {text}")


def run(*command, **options):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if result.returncode:
        fail(f"{' '.join(map(str, command))}: {result.stdout[-500:]} {result.stderr.strip()[-2000:]}")
    return result.stdout


def bytes_of(folder):
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.is_file()}


def same(job, expected, what):
    found = bytes_of(job / "outputs")
    if set(found) != set(expected):
        fail(f"{what}: the outputs are {sorted(found)}, not {sorted(expected)}")
    for name, content in expected.items():
        if found[name] != content:
            fail(f"{what}: {name} has other bytes")
    left = [p.name for p in (job / "results").glob(".vitrine-*")]
    if left:
        fail(f"{what}: unfinished files are left: {left}")
    print(f"{what}: the same bytes ({', '.join(expected)})", flush=True)


def make_photos(vitrine, work, count=14):
    """Renders photos of a model into the folder. Returns theirs."""
    run(sys.executable, ROOT / "scripts/make-demo-model.py", work / "egg.glb")
    run(vitrine, "render", work / "egg.glb", "-o", work / "set", "--photoset", count, "--rings", "18,40", "--table", "--size", "320x240", "--fov", 40, "--samples", 1)
    photos = work / "set/images"
    (photos / "zz.txt").write_text("not a photo")
    return photos


def reconstruct(vitrine, photos, outputs):
    """The files that one process writes."""
    outputs.mkdir()
    begin = time.monotonic()
    run(vitrine, "reconstruct", photos, "-o", outputs / "egg.glb", "--poses", outputs / "poses.json", "--point-cloud", outputs / "points.ply", *OPTIONS)
    print(f"vitrine reconstruct: {time.monotonic() - begin:.1f} s", flush=True)
    return bytes_of(outputs)


def plan(vitrine, photos):
    """The command that plans a job with the same outputs, without its folder."""
    return [vitrine, "job", "plan", photos, "--model", "egg.glb", "--poses", "poses.json", "--point-cloud", "points.ply", *OPTIONS]


def jump_the_clock(job, dice):
    """Gives all files of a job times of up to two days before and after now, as a clock that jumps and nodes with different clocks leave them."""
    for path in [job, *job.rglob("*")]:
        moment = time.time() + dice.uniform(-172_800, 172_800)
        os.utime(path, (moment, moment), follow_symlinks=False)


def in_random_order(vitrine, job, dice, kills):
    """Two tasks at a time, each after those that it needs; some are killed."""
    done, running, killed = set(), {}, 0
    plan = {task["name"]: task for task in json.loads((job / "plan.json").read_text())["tasks"]}
    moved = False
    while len(done) < len(plan):
        if not moved and not running and len(done) > len(plan) // 2:
            # The folder may be moved.
            job = job.rename(job.with_name(job.name + "-moved"))
            moved = True
            jump_the_clock(job, dice)
        ready = [n for n, t in plan.items() if n not in done and n not in running and all(x in done for x in t["needs"])]
        hold = not moved and len(done) > len(plan) // 2
        while ready and len(running) < 2 and not hold:
            name = ready.pop(dice.randrange(len(ready)))
            process = subprocess.Popen([str(vitrine), "job", "run", str(job), name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            running[name] = process, time.monotonic() + (dice.uniform(0.01, 0.6) if killed + sum(k < 1e9 for _, k in running.values()) < kills else 1e12)
        for name, (process, until) in list(running.items()):
            code = process.poll()
            if code is None:
                if time.monotonic() > until:
                    process.send_signal(signal.SIGKILL)
                continue
            del running[name]
            if code == 0:
                done.add(name)
            elif code == -signal.SIGKILL:
                killed += 1
            else:
                fail(f"task {name}: {process.stderr.read().strip()}")
        time.sleep(0.005)
    status = json.loads(run(vitrine, "job", "status", job, "--json"))
    if status["done"] != len(plan) or status["ready"] or status["waiting"]:
        fail(f"status: {status['done']} of {len(plan)} tasks are done")
    print(f"{len(plan)} tasks, {killed} killed", flush=True)
    return job


def with_submaps(vitrine, work, dice):
    """Cameras of more photos, mapped in submaps: one process and tasks in random order, two of them killed."""
    work.mkdir()
    photos = make_photos(vitrine, work, 42)
    options = ["--submap-photos", 20, "--threads", 2, "--memory", 2]
    (work / "whole").mkdir()
    run(vitrine, "reconstruct", photos, "--poses", work / "whole/poses.json", *options)
    run(vitrine, "job", "plan", photos, "-o", work / "job", "--poses", "poses.json", *options)
    job = in_random_order(vitrine, work / "job", dice, 2)
    if len(list((job / "results").glob("cameras-submap-*.bin"))) < 2:
        fail("submaps: there are none")
    same(job, bytes_of(work / "whole"), "submaps")


def snakemake_program(path):
    if path:
        return path
    folder = ROOT / ".build/snakemake"
    program = folder / "bin/snakemake"
    if not program.exists():
        run(sys.executable, "-m", "venv", folder)
        run(folder / "bin/pip", "install", "--quiet", "--require-hashes", "-r", ROOT / "Workflows/requirements.txt")
    return program


def with_snakemake(vitrine, job, program, dice):
    command = [str(program), "--directory", str(job), "--snakefile", str(job / "Snakefile"), "--cores", "4", "--config", f"vitrine={vitrine}", ]
    log = (job / "log.txt").open("w")
    # Killed with all of its tasks, then resumed.
    process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    time.sleep(dice.uniform(3, 6))
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    jump_the_clock(job, dice)
    begin = time.monotonic()
    subprocess.run([*command, "--unlock"], stdout=log, stderr=log)
    done = len(list((job / "done").glob("*.json")))
    result = subprocess.run([*command, "--rerun-incomplete"], stdout=log, stderr=log)
    if result.returncode:
        fail(f"snakemake: {(job / 'log.txt').read_text()[-2000:]}")
    print(f"Snakemake: {done} tasks were done when it was killed; the rest took {time.monotonic() - begin:.1f} s", flush=True)


def with_a_full_disk(vitrine, command, disk):
    """A task whose disk is full fails with one line; with more space the same tasks end with the same bytes. Returns the job's folder."""
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)], capture_output=True).returncode:
        print("full disk: skipped, no right to mount one", flush=True)
        return None
    job, failures = disk / "job", 0
    run(*command, "-o", job)
    while ready := run(vitrine, "job", "status", job, "--ready").split():
        for name in ready:
            result = subprocess.run([str(vitrine), "job", "run", str(job), name], capture_output=True, text=True)
            if result.returncode == 0:
                continue
            errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
            if result.returncode != 1 or len(errors) != 1 or "space" not in errors[0]:
                fail(f"full disk, {name}: exit code {result.returncode}, {result.stderr}")
            if (job / "done" / f"{name}.json").exists():
                fail(f"full disk: {name} failed and is marked as done")
            failures += 1
            run("mount", "-o", f"remount,size={3 * 2**failures}m", disk)
            break
    if not failures:
        fail("full disk: no task failed")
    print(f"full disk: {failures} tasks failed with one line and were run again", flush=True)
    return job


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vitrine", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--snakemake")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    work = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="vitrine-jobs-"))
    work.mkdir(exist_ok=True)
    try:
        photos = make_photos(options.vitrine, work)
        expected = reconstruct(options.vitrine, photos, work / "whole")
        command = plan(options.vitrine, photos)
        run(*command, "-o", work / "job", "--photos-per-task", 4, "--pair-tasks", 3)
        begin = time.monotonic()
        job = in_random_order(options.vitrine, work / "job", dice, options.kills)
        print(f"random order: {time.monotonic() - begin:.1f} s")
        same(job, expected, "random order with kills")
        if job := with_a_full_disk(options.vitrine, command, work / "disk"):
            same(job, expected, "full disk")
        with_submaps(options.vitrine, work / "many", dice)
        if options.snakemake != "none":
            run(*command, "-o", work / "snake", "--photos-per-task", 5, "--group-seconds", 1)
            with_snakemake(options.vitrine, work / "snake", snakemake_program(options.snakemake), dice)
            same(work / "snake", expected, "Snakemake, killed once")
    finally:
        subprocess.run(["umount", "-l", str(work / "disk")], capture_output=True)
        if not options.keep:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
