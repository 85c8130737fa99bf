#!/usr/bin/env python3
"""Kills captures and reconstructions: folders stay usable, and the same command ends with the same bytes.

    scripts/test-capture-kills.py VITRINE [--kills N] [--only NAME,…] [--seed N]

--kills: random kills of each job, 10 by default. Also, each job is killed once whenever a new kind of file appears in its checkpoint, so that
each stage is killed as soon as it starts. The jobs, on small sets:

    video     photos from a video, aligned: frames are extracted
    passes    two poses of an object that are joined, surface, texture without shading: all stages
    capture   shots of a recording, which another capture continues
    full      a capture that fills its disk (a small file system in memory; needs the right to mount one): a clear error, complete shots
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Kills without a longer run of the same job; then the job runs to its end.
ROUND = 6


def fail(text):
    sys.exit(f"test-capture-kills: {text}")


def run(command, **options):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if result.returncode:
        fail(f"{' '.join(map(str, command))}: {result.stderr.strip()}")
    return result.stdout


def kind(name):
    """The kind of a checkpoint's file: numbers differ between photos."""
    return "".join(c for c in name if not c.isdigit())


class Job:
    """A reconstruction with a checkpoint, whose outputs are compared with those of a run without kills."""

    def __init__(self, work, vitrine, name, arguments, outputs):
        self.work, self.name, self.vitrine, self.arguments, self.outputs = work / name, name, vitrine, arguments, outputs
        self.stages = {}
        for side in ("whole", "killed"):
            self.folder(side).mkdir(parents=True)

    def folder(self, side):
        """The folder of the outputs: models contain the name of their file."""
        return self.work / f"{side}-outputs"

    def command(self, side):
        outputs = [part for option, file in self.outputs for part in (option, self.folder(side) / file)]
        return [self.vitrine, "reconstruct", *self.arguments, *outputs, "--checkpoint", self.work / side, "--json"]

    def files(self, side):
        return sorted(p.relative_to(self.work / side).as_posix() for p in (self.work / side).rglob("*") if p.is_file()) if (self.work / side).exists() else []

    def whole(self):
        start = time.time()
        run(self.command("whole"))
        self.seconds = time.time() - start
        self.kinds = list(dict.fromkeys(kind(name) for name in self.files("whole")))

    def kill(self, until):
        """Runs the job until a condition is true, and kills it. Returns False if it ended before."""
        log = open(self.work / "log", "w+")
        process = subprocess.Popen(list(map(str, self.command("killed"))), stdout=log, stderr=subprocess.STDOUT)
        start = time.time()
        while process.poll() is None and not until(time.time() - start):
            time.sleep(0.005)
        ended = process.poll() is not None
        if not ended:
            process.send_signal(signal.SIGKILL)
        code = process.wait()
        log.seek(0)
        text = log.read()
        if ended:
            if code:
                fail(f"{self.name}: a run after kills failed: {text}")
            return False
        stages = [json.loads(line)["stage"] for line in text.splitlines() if line.startswith("{") and '"stage"' in line]
        stage = stages[-1] if stages else "starting"
        self.stages[stage] = self.stages.get(stage, 0) + 1
        return True

    def finish(self):
        run([*self.command("killed"), "--threads", 1])
        for _, file in self.outputs:
            if (self.folder("whole") / file).read_bytes() != (self.folder("killed") / file).read_bytes():
                fail(f"{self.name}: after kills, {file} differs")
        frames = [name for name in self.files("whole") if name.startswith("video-frames/")]
        for name in frames:
            if (self.work / "whole" / name).read_bytes() != (self.work / "killed" / name).read_bytes():
                fail(f"{self.name}: after kills, {name} differs")
        left = [name for name in self.files("killed") if ".tmp" in name]
        if left:
            fail(f"{self.name}: temporary files were left: {left}")
        shutil.rmtree(self.work / "killed")
        for _, file in self.outputs:
            (self.folder("killed") / file).unlink()

    def kill_at_every_stage(self):
        """Once when each kind of file, or its temporary file, appears."""
        kills = 0
        for wanted in self.kinds:
            if any(kind(name) == wanted for name in self.files("killed")):
                continue
            kills += self.kill(lambda _: any(kind(name) == wanted for name in self.files("killed")))
        self.finish()
        return kills

    def kill_at_random(self, count, generator):
        done = 0
        while done < count:
            for _ in range(min(ROUND, count - done)):
                seconds = generator.random() ** 2 * self.seconds
                if not self.kill(lambda time: time >= seconds):
                    break
                done += 1
            self.finish()


def video(work, vitrine):
    run([vitrine, "sample", work / "sample", "--only", "photos", "--photos", 24])
    run(["ffmpeg", "-v", "error", "-y", "-framerate", 10, "-i", work / "sample/photos/%03d.jpg", "-vf", "scale=480:-2", "-r", 30, "-pix_fmt", "yuv420p", work / "owl.mp4"])
    return Job(work, vitrine, "video", [work / "owl.mp4", "--frames", 12], [("--poses", "poses.json")])


def passes(work, vitrine):
    run([vitrine, "sample", work / "sample", "--only", "model"])
    # An OBJ file does not define the axis that points up.
    run([vitrine, "convert", work / "sample/owl.glb", work / "owl.obj"])
    run([vitrine, "convert", work / "owl.obj", work / "lying.glb", "--up", "z"])
    (work / "poses").mkdir()
    for name, model in (("upright", work / "sample/owl.glb"), ("lying", work / "lying.glb")):
        run([vitrine, "render", model, "-o", work / "set", "--photoset", 12, "--table", "--size", "320x240", "--fov", 40])
        shutil.move(work / "set/images", work / "poses" / name)
        shutil.rmtree(work / "set")
    return Job(
        work, vitrine, "passes", [work / "poses", "--detail", "preview", "--delight"], [("-o", "model.glb"), ("--poses", "poses.json")])


def complete_shots(folder):
    """The images of a capture's folder. Fails if one is damaged or has no record."""
    images = sorted(folder.glob("shot-*.jpg"))
    for image in images:
        data = image.read_bytes()
        if data[:2] != b"\xff\xd8" or data[-2:] != b"\xff\xd9":
            fail(f"{image.name} is cut off")
        json.loads(image.with_suffix(".json").read_text())
    return images


def full(work, vitrine):
    """Fills the disk during a capture, which keeps 64 MiB free: half a MiB holds some of its shots. Returns the number of shots that were kept."""
    run([vitrine, "sample", work / "sample", "--only", "recording"])
    (work / "disk").mkdir()
    script = """
        mount -t tmpfs -o size=66048k tmpfs disk || exit 77
        "$0" capture sample/walk -o disk/shots --area --json
        code=$?
        cp -r disk/shots kept
        exit $code"""
    result = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, vitrine], capture_output=True, text=True)
    if result.returncode == 77 or "unshare:" in result.stderr:
        print(f"full: not tested, no right to mount a file system: {result.stderr.strip()}")
        return None
    lines = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    if result.returncode != 1 or len(lines) != 1 or "the disk is full" not in lines[0]:
        fail(f"a full disk gave exit code {result.returncode}: {result.stderr.strip()}")
    kept = complete_shots(work / "kept")
    if not kept or f"({len(kept)} shots are kept" not in lines[0]:
        fail(f"{len(kept)} shots were kept, the message is: {lines[0]}")
    # With room again, the capture continues.
    before = len(kept)
    run([vitrine, "capture", "sample/walk", "-o", "kept", "--area", "--continue", "--json"])
    if len(complete_shots(work / "kept")) <= before:
        fail("the capture did not continue after the disk was full")
    return before


def capture(work, vitrine, count, generator):
    """Kills captures of a recording. Each shot must be complete, and none may be lost. Returns the number of shots."""
    run([vitrine, "sample", work / "sample", "--only", "recording"])
    command = [vitrine, "capture", work / "sample/walk", "-o", work / "shots", "--area", "--continue", "--json"]
    shots, kills = 0, 0
    while kills < count:
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(generator.random() * 3)
        kills += process.poll() is None
        process.kill()
        process.wait()
        images = complete_shots(work / "shots")
        if len(images) < shots:
            fail(f"a capture lost {shots - len(images)} shots")
        shots = len(images)
    last = json.loads(run(command).splitlines()[-1])
    if last["event"] != "result" or last["shots"] <= shots:
        fail(f"the last capture added no shot: {last}")
    left = [p.name for p in (work / "shots").iterdir() if p.name.endswith(".tmp")]
    if left:
        fail(f"temporary files were left: {left}")
    return last["shots"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vitrine", type=lambda p: Path(p).resolve())
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--only", default="video,passes,capture,full")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only.split(","):
            work = Path(folder) / name
            work.mkdir()
            os.chdir(work)
            if name == "capture":
                shots = capture(work, options.vitrine, options.kills, generator)
                print(f"capture: {options.kills} random kills, {shots} shots, none was lost", flush=True)
                continue
            if name == "full":
                shots = full(work, options.vitrine)
                if shots:
                    print(f"full: {shots} shots were kept, and the capture continued", flush=True)
                continue
            job = {"video": video, "passes": passes}[name](work, options.vitrine)
            job.whole()
            stages = job.kill_at_every_stage()
            job.kill_at_random(options.kills, generator)
            where = ", ".join(f"{stage} {count}" for stage, count in job.stages.items())
            print(f"{name}: {stages} kills as files appear, {options.kills} random kills ({where}); the same bytes", flush=True)


main()
