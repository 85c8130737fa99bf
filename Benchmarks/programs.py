"""The measured programs and how to call them: output, duration and memory of a process."""

import json
import os
import resource
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BASELINES = ROOT / ".build/baselines"


@dataclass
class Run:
    report: dict
    wall_ms: float
    peak_mib: float


class Failed(Exception):
    pass


def call(command, limit=600, environment=None):
    """Runs a program to its end. Raises Failed with its last words."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})}
    )
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Failed(f"not done after {limit} s") from None
    wall = (time.perf_counter() - begin) * 1000
    if process.returncode != 0:
        words = (err.strip() or out.strip()).splitlines()
        raise Failed(words[-1] if words else f"ended with {process.returncode}")
    lines = [line for line in out.splitlines() if line.startswith("{")]
    try:
        report = json.loads(out if out.lstrip().startswith("{") else lines[-1])
    except (ValueError, IndexError):
        report = {}
    return Run(report, wall, 0.0)


def call_measuring_memory(command, limit=600, environment=None):
    """As `call`, in a process of its own so that the peak is this program's and no other's."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            run = call(command, limit, environment)
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            answer = {"report": run.report, "wall_ms": run.wall_ms, "peak_mib": peak}
        except Failed as failure:
            answer = {"failed": str(failure)}
        except OSError as failure:
            answer = {"failed": str(failure)}
        os.write(writing, json.dumps(answer).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    answer = json.loads(text or '{"failed": "no answer"}')
    if "failed" in answer:
        raise Failed(answer["failed"])
    return Run(answer["report"], answer["wall_ms"], answer["peak_mib"])


@dataclass
class View:
    """A model and a camera."""

    model: Path
    environment: Path | None
    size: str = "1280x720"
    orbit: str = "-33.7,10.5,3.3"
    target: str = "0,0,0"
    fov: str = "45"
    extra: dict = field(default_factory=dict)


class Vitrine:
    def __init__(self, msaa, program):
        self.name = "Vitrine" + (", MSAA 4×" if msaa == 4 else "")
        self.msaa, self.program = msaa, program

    def missing(self):
        return None if Path(self.program).exists() else f"{self.program} is not there: make build"

    def command(self, view, frames=0, output=None):
        command = [
            self.program, "render", view.model, f"--size={view.size}", f"--orbit={view.orbit}",
            f"--target={view.target}", f"--fov={view.fov}", f"--msaa={self.msaa}", "--tonemap=none", "--background=color:#000000", "--json",
        ]  # fmt: skip
        # Without an environment image, the light is the generated studio.
        if view.environment:
            command.append(f"--environment={view.environment}")
        if frames:
            command.append(f"--benchmark={frames}")
        return command + ["-o", output] if output else command


class Pygfx:
    name = "pygfx"
    python = BASELINES / "venv/bin/python"

    def missing(self):
        return None if (BASELINES / "venv/requirements.txt").exists() else "pygfx is not installed"

    def command(self, view, frames=0, output=None):
        command = [
            self.python, ROOT / "Benchmarks/baselines/pygfx_frame.py", view.model, f"--environment={view.environment}", f"--size={view.size}",
            f"--orbit={view.orbit}", f"--target={view.target}", f"--fov={view.fov}", f"--benchmark={frames}",
        ]  # fmt: skip
        command += [f"--{name}={value}" for name, value in view.extra.items()]
        return command + ["-o", output] if output else command


class Filament:
    def __init__(self, msaa):
        self.name = "Filament" + (", MSAA 4×" if msaa == 4 else "")
        self.msaa = msaa

    def missing(self):
        return None if (BASELINES / "filament-frame").exists() and shutil.which("cmgen") else "Filament is not installed"

    def light(self, environment):
        """The environment as `cmgen` prefilters it; made once, its time is measured apart."""
        folder = BASELINES / "light" / Path(environment).stem
        if not (folder / f"{folder.name}_ibl.ktx").exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            call(["cmgen", "-q", "-f", "ktx", "-x", folder, environment])
        return folder

    def command(self, view, frames=0, output=None):
        command = [
            BASELINES / "filament-frame", view.model, self.light(view.environment), "--size", view.size, "--orbit", view.orbit, "--target", view.target,
            "--fov", view.fov, "--msaa", self.msaa, "--benchmark", frames,
        ]  # fmt: skip
        return command + ["-o", output] if output else command
