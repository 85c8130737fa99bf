#!/usr/bin/env python3
"""Runs the photo service and the render farm of Workflows/ on small sets.

    scripts/test-workflows.py VITRINE [--snakemake PATH]

Service: an object that arrives file by file, a broken one, one during which the service is killed; all end as they must, and the broken one is made again
when its photos are complete. Farm: images of three models, one of them broken, with a kill. --snakemake: as in test-jobs.py; `none` leaves the farm out.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SPEC = importlib.util.spec_from_file_location("jobs", ROOT / "scripts/test-jobs.py")
jobs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(jobs)


def fail(text):
    sys.exit(f"test-workflows: {text}")


def state(models, name):
    try:
        return json.loads((models / name / "done.json").read_text())["state"]
    except OSError:
        return None


def wait(condition, what, seconds=240):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            fail(f"{what}: not after {seconds} s")
        time.sleep(0.2)


def photo_service(vitrine, photos, work):
    incoming, models = work / "incoming", work / "models"
    incoming.mkdir()
    command = [sys.executable, ROOT / "Workflows/photo_service.py", incoming, models, "--vitrine", vitrine, "--quiet-seconds", "1.5", *jobs.OPTIONS]
    command = list(map(str, command))
    shots = sorted(p for p in photos.iterdir() if p.suffix != ".txt")

    def start():
        return subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)

    service = start()
    try:
        (incoming / "broken").mkdir()
        shutil.copy(shots[0], incoming / "broken")
        (incoming / "egg").mkdir()
        for shot in shots:
            if (models / "egg").exists():
                fail("the service began before all photos had arrived")
            shutil.copy(shot, incoming / "egg")
            time.sleep(0.25)
        wait(lambda: state(models, "egg") == "complete", "egg")
        if sorted(p.name for p in (models / "egg").iterdir()) != ["done.json", "egg.glb", "egg.usdz", "log.txt", "page", "report.html"]:
            fail(f"egg: {sorted(p.name for p in (models / 'egg').iterdir())}")
        if not (models / "egg/page/index.html").exists():
            fail("egg: no web page")
        if state(models, "broken") != "failed" or "photos" not in json.loads((models / "broken/done.json").read_text())["reason"]:
            fail("broken: no reason")
        second = subprocess.run(command, capture_output=True, text=True)
        if second.returncode == 0 or "another service" not in second.stderr:
            fail("two services work on one folder")
        # Killed in the middle of an object.
        shutil.copytree(incoming / "egg", incoming / "eg2")
        wait(lambda: len(list((models / ".work").glob("eg2.checkpoint/*.bin"))) > 3, "eg2")
        os.killpg(service.pid, signal.SIGKILL)
        service.wait()
        if (models / "eg2").exists():
            fail("eg2: was complete when the service was killed")
    finally:
        if service.poll() is None:
            os.killpg(service.pid, signal.SIGKILL)
            service.wait()
    for shot in shots[1:]:
        shutil.copy(shot, incoming / "broken")
    subprocess.run([*command, "--once"], check=True, stdout=subprocess.DEVNULL)
    for name in ("eg2", "broken"):
        if state(models, name) != "complete":
            fail(f"{name}: {(models / name / 'log.txt').read_text()[-500:]}")
    if len({(models / name / f"{name}.glb").stat().st_size for name in ("egg", "eg2")}) != 1:
        fail("eg2: another model")
    if left := [p.name for p in (models / ".work").iterdir() if p.name != ".lock"]:
        fail(f"files are left: {left}")
    print("photo service: three objects complete, one of them after a kill, one after more photos arrived", flush=True)


def render_farm(vitrine, model, work, program):
    models, images = work / "farm", work / "images"
    (models / "more").mkdir(parents=True)
    for name in ("a", "more/b", "c"):
        shutil.copy(model, models / f"{name}.glb")
    (models / "c.glb").write_bytes(model.read_bytes()[:200])
    command = [program, "--snakefile", ROOT / "Workflows/render.smk", "--directory", work, "--cores", "2", "--keep-going", "--quiet", "all", "--config",
               f"models={models}", f"out={images}", f"vitrine={vitrine}", "options=--size 160x120 --samples 1"]
    command = list(map(str, command))
    with (work / "farm.txt").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        time.sleep(2.5)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        subprocess.run([*command[:1], "--unlock", *command[1:]], stdout=log, stderr=log)
        result = subprocess.run([*command[:1], "--rerun-incomplete", *command[1:]], stdout=log, stderr=log)
    found = sorted(p.relative_to(images).as_posix() for p in images.rglob("*.png"))
    if result.returncode == 0 or found != ["a.png", "more/b.png"]:
        fail(f"render farm: exit code {result.returncode}, {found}: {(work / 'farm.txt').read_text()[-1500:]}")
    if (images / "a.png").read_bytes() != (images / "more/b.png").read_bytes():
        fail("render farm: one model, two images")
    print("render farm: two images after a kill, and an error for the broken model", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vitrine", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--snakemake")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vitrine-workflows-") as folder:
        work = pathlib.Path(folder)
        photos = jobs.make_photos(options.vitrine, work)
        photo_service(options.vitrine, photos, work)
        if options.snakemake != "none":
            render_farm(options.vitrine, work / "egg.glb", work, jobs.snakemake_program(options.snakemake))


if __name__ == "__main__":
    main()
