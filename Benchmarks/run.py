"""Measures Vitrine and other programs alternately and prints tables: `Benchmarks/run.sh` prepares what this needs."""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import formats
import glb
import looks
import machine
import sizes
import touch
from programs import BASELINES, ROOT, Failed, Filament, Pygfx, View, Vitrine, call, call_measuring_memory

FRAME_LIMIT_S = 150
# These have marks of their own in the document, as they need no other program, or different ones, and are measured at other times.
APART = ("lights", "lobes", "effects", "formats", "touch")
# These draw generated scenes in generated light.
NEEDS_NO_DATA = {"floor", "lights", "lobes", "effects", "touch"}


def table(header, rows, alignment=None):
    alignment = alignment or ["---"] + ["---:"] * (len(header) - 1)
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [header, alignment, *rows])


def say(text):
    print(text, flush=True)


class Bench:
    def __init__(self, options):
        self.options = options
        self.data = Path(options.data)
        self.folder = ROOT / "out/bench"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = self.data / "environments/royal_esplanade_1k.hdr"
        self.vitrine = options.vitrine
        self.tables = []

    def programs(self, *wanted):
        present = []
        for program in wanted:
            reason = program.missing()
            if reason:
                say(f"bench: {program.name} is skipped: {reason}")
            else:
                present.append(program)
        return present

    def add(self, title, text):
        say(f"\n### {title}\n\n{text}\n")
        self.tables.append(f"### {title}\n\n{text}")

    def add_rows(self, title, header, rows, alignment=None):
        self.add(title, table(header, rows, alignment))

    def helmet(self):
        path = self.folder / "helmet.glb"
        if not path.exists():
            glb.pack(self.data / "gltf/DamagedHelmet/glTF/DamagedHelmet.gltf", path)
        return path

    def alternate(self, programs, view, frames, rounds):
        """Runs the programs in turn, `rounds` times: {name: [Run]}; one that fails is skipped with its reason."""
        runs, failed = {program.name: [] for program in programs}, {}
        for turn in range(rounds):
            for program in programs:
                if program.name in failed:
                    continue
                try:
                    runs[program.name].append(call_measuring_memory(program.command(view, frames), FRAME_LIMIT_S))
                except Failed as failure:
                    failed[program.name] = str(failure)
                    say(f"bench: {program.name}, {view.model.name}: {failure}")
                    continue
                median = runs[program.name][-1].report["frame_ms"]["median"]
                say(f"  {view.model.name} round {turn + 1} {program.name:20} {median:8.1f} ms")
        return runs, failed

    @staticmethod
    def frame_row(name, runs, against):
        frames = [run.report["frame_ms"] for run in runs]
        medians = [frame["median"] for frame in frames]
        # The ratio of each round, so that what else the machine does weighs on both.
        ratios = [run.report["frame_ms"]["median"] / other.report["frame_ms"]["median"] for run, other in zip(runs, against)]
        return [
            name, f"{statistics.median(medians):.1f}", f"{min(f['min'] for f in frames):.1f}", f"{max(f['max'] for f in frames):.1f}",
            f"{min(medians):.1f}–{max(medians):.1f}", f"{statistics.median(ratios):.2f}" if ratios else "", f"{max(r.peak_mib for r in runs):.0f}",
        ]  # fmt: skip

    FRAME_HEADER = ["program", "median ms", "min", "max", "medians of the rounds", "time against Vitrine", "peak memory, MiB"]

    def frames(self):
        view = View(self.helmet(), self.environment)
        programs = self.programs(Vitrine(1, self.vitrine), Pygfx(), Filament(1), Vitrine(4, self.vitrine), Filament(4))
        runs, failed = self.alternate(programs, view, self.options.frames, self.options.rounds)
        rows = []
        for program in programs:
            own = runs[program.name]
            if not own:
                rows.append([program.name, f"failed: {failed[program.name]}"] + [""] * 5)
                continue
            partner = "Vitrine, MSAA 4×" if program.name.endswith("4×") else "Vitrine"
            rows.append(self.frame_row(program.name, own, runs.get(partner, [])))
        self.add(f"One frame of DamagedHelmet, 1280×720, 1k environment ({self.options.rounds} rounds of {self.options.frames} frames)", table(self.FRAME_HEADER, rows))

    def boxes(self):
        rows = []
        for count in (1000, 10000, 100000):
            path = self.folder / f"boxes-{count}.glb"
            if not path.exists():
                glb.boxes(count, path)
            _, side = glb.box_places(count)
            # Far enough to have them all in view: nothing can be culled.
            view = View(path, self.environment, orbit=f"30,20,{side * 3.4:g}", extra={"boxes": count})
            # A program that exceeded its time limit does not run with more.
            programs = [p for p in self.programs(Vitrine(1, self.vitrine), Pygfx(), Filament(1)) if p.name not in self.too_slow]
            runs, failed = self.alternate(programs, view, 10, max(1, self.options.rounds - 1))
            for program in programs:
                own = runs[program.name]
                if not own:
                    self.too_slow.add(program.name)
                    rows.append([f"{count:,}", program.name, f"failed: {failed[program.name]}"] + [""] * 5)
                    continue
                rows.append([f"{count:,}", *self.frame_row(program.name, own, runs.get("Vitrine", []))])
        self.add("Boxes that share one mesh, all in view, the camera moving, no antialiasing", table(["boxes", *self.FRAME_HEADER], rows, ["---:", "---"] + ["---:"] * 6))

    def first_frame(self):
        view = View(self.helmet(), self.environment)
        rows = []
        programs = self.programs(Vitrine(4, self.vitrine), Vitrine(1, self.vitrine), Pygfx(), Filament(1))
        for cold in (True, False):
            # The software driver keeps compiled shaders on disk.
            settings = {"MESA_SHADER_CACHE_DISABLE": "true"} if cold else {}
            results = {program.name: [] for program in programs}
            for _ in range(self.options.rounds):
                for program in programs:
                    output = self.folder / ("first.ppm" if isinstance(program, Filament) else "first.png")
                    try:
                        results[program.name].append(call_measuring_memory(program.command(view, 0, output), FRAME_LIMIT_S, settings))
                    except Failed as failure:
                        say(f"bench: {program.name}: {failure}")
            for name, runs in results.items():
                if runs:
                    walls = [run.wall_ms for run in runs]
                    rows.append([name, "empty" if cold else "filled", f"{statistics.median(walls):.0f}", f"{min(walls):.0f}", f"{max(walls):.0f}", f"{max(run.peak_mib for run in runs):.0f}"])
        self.add("From the start of the process to the image on disk (DamagedHelmet.glb, 1280×720)", table(["program", "driver's shader cache", "median ms", "min", "max", "peak memory, MiB"], rows))

    def files(self):
        measure = ROOT / ".build/benchmarks/release/vitrine-measure"
        rows = []
        python = BASELINES / "venv/bin/python"
        script = ROOT / "Benchmarks/baselines/load.py"
        boxes = self.folder / "boxes-100000.glb"
        if not boxes.exists():
            glb.boxes(100000, boxes)
        for path in (self.helmet(), boxes):
            commands = {}
            if measure.exists():
                commands["Vitrine"] = [measure, "load", path]
                commands["Vitrine, images not decoded"] = [measure, "parse", path]
            if python.exists():
                for library in ("trimesh", "pygfx"):
                    # pygfx takes minutes for 100,000 nodes.
                    if library == "trimesh" or path != boxes:
                        commands[f"{library}"] = [python, script, library, path]
            times = {name: [] for name in commands}
            for _ in range(self.options.rounds):
                for name, command in commands.items():
                    try:
                        times[name].append(call(command, 120).report["ms"])
                    except (Failed, KeyError) as failure:
                        say(f"bench: {name}: {failure}")
            for name, values in times.items():
                if values:
                    rows.append([path.name, name, f"{statistics.median(v['median'] for v in values):.1f}", f"{min(v['min'] for v in values):.1f}"])
        if rows:
            self.add("Reading a GLB file, in the process", table(["file", "reader", "median ms", "min"], rows, ["---", "---", "---:", "---:"]))
        self.environment_preparation(measure)
        self.in_process(measure)

    def environment_preparation(self, measure):
        rows = []
        if measure.exists():
            report = call([measure, "environment", self.environment]).report
            rows.append(["Vitrine, first in its process", f"{report['first_ms']:.0f}"])
            rows.append(["Vitrine, again", f"{report['ms']['median']:.0f}"])
        if shutil.which("cmgen"):
            with tempfile.TemporaryDirectory() as folder:
                begin = time.perf_counter()
                subprocess.run(["cmgen", "-q", "-f", "ktx", "-x", folder, self.environment], check=True, capture_output=True)
                rows.append(["Filament's cmgen, 256² faces, 1,024 samples, its process and files with it", f"{(time.perf_counter() - begin) * 1000:.0f}"])
        if rows:
            self.add("Preparing an environment of 1024×512", table(["program", "ms"], rows))

    def in_process(self, measure):
        if not measure.exists():
            return
        rows = []
        for name, title in (("nodes", "move and update 100,000 nodes"), ("cull", "test 100,000 boxes against the frustum")):
            report = call([measure, name]).report
            rows.append([title, f"{report['ms']['median']:.2f}", f"{report['ms']['min']:.2f}"])
        self.add("Inside the process, one thread", table(["what", "median ms", "min"], rows))

    def floor(self):
        measure = ROOT / ".build/benchmarks/release/vitrine-measure"
        if not measure.exists():
            return
        report = call([measure, "floor"]).report
        rows = [[row["name"], f"{row['ms']['min']:.1f}", f"{row['ms']['median']:.1f}"] for row in report["rows"]]
        self.add("What the driver takes for the parts of a frame, 1280×720", table(["pass", "min ms", "median"], rows))

    def lights(self):
        looks.lights(self)
        measure = ROOT / ".build/benchmarks/release/vitrine-measure"
        if not measure.exists():
            return
        report = call([measure, "lights"], 600).report
        rows = [[row["name"], f"{row['ms']['min']:.1f}", f"{row['ms']['median']:.1f}"] for row in report["rows"]]
        self.add("Lights and shadows: a floor with 400 boxes, 1280×720, no antialiasing, the camera moving", table(["what", "min ms", "median"], rows))

    def size(self):
        rows = sizes.measure(self.folder)
        if rows:
            self.add("Size of a program that shows a model", table(["what", "MB"], rows))

    def run(self):
        self.too_slow = set()
        # The measured texts by part.
        self.parts = {}
        parts = {"frame": self.frames, "boxes": self.boxes, "first": self.first_frame, "files": self.files, "floor": self.floor, "lights": self.lights}
        parts |= {"lobes": lambda: looks.lobes(self), "effects": lambda: looks.effects(self), "formats": lambda: formats.formats(self), "touch": lambda: touch.touch(self), "size": self.size}
        wanted = self.options.only.split(",") if self.options.only else list(parts)
        for name in wanted:
            if name not in parts:
                sys.exit(f"error: bench: unknown part '{name}' (known: {', '.join(parts)})")
        for name in wanted:
            load = os.getloadavg()[0]
            self.tables = []
            parts[name]()
            note = f"<small>Load average when this part began: {load:.1f}.</small>"
            self.parts[name] = "\n\n".join([*self.tables, note])
        about = machine.describe()
        say(about)
        if self.options.write:
            self.write(about, parts)

    def write(self, about, parts):
        """Replaces the measured parts in the document; the others stay."""
        texts = parts_of_document() | self.parts
        together = [f"<!-- part {name} -->\n{texts[name]}" for name in parts if name not in APART and name in texts]
        if any(name not in APART for name in self.parts):
            write_document("measured", "\n\n".join([about, *together]))
        for name, text in self.parts.items():
            if name in APART:
                write_document(name, text)


DOCUMENT = ROOT / "docs/measurements/speed.md"


def parts_of_document():
    """The texts of the parts that `write` marked, by name."""
    text = DOCUMENT.read_text().partition("<!-- measured -->")[2].partition("<!-- /measured -->")[0]
    pieces = re.split(r"<!-- part (\w+) -->\n", text)
    return {name: piece.strip() for name, piece in zip(pieces[1::2], pieces[2::2])}


def write_document(mark, text, document=DOCUMENT):
    """Replaces the text between `<!-- mark -->` and `<!-- /mark -->`."""
    begin, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    old = document.read_text()
    new = old[: old.index(begin) + len(begin)] + "\n" + text + "\n" + old[old.index(end) :]
    temporary = document.with_suffix(".new")
    temporary.write_text(new)
    temporary.replace(document)


def start_display():
    """Filament's OpenGL asks for an X display even where it draws into memory."""
    if os.environ.get("DISPLAY") or not shutil.which("Xvfb"):
        return None
    reading, writing = os.pipe()
    # -noreset: as a desktop, which always has clients. Otherwise the server restarts, in 10 ms, whenever the last client leaves.
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-noreset", "-screen", "0", "1280x800x24", "-nolisten", "tcp"], pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        os.environ["DISPLAY"] = ":" + pipe.readline().strip()
    return server


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/run.sh", description="Measures Vitrine and other programs alternately.")
    parser.add_argument("--vitrine", default=ROOT / ".build/release/vitrine", help="the program (default: .build/release/vitrine)")
    parser.add_argument("--data", default=os.environ.get("VITRINE_DATA", ROOT / "../shared/data"), help="default: $VITRINE_DATA, else ../shared/data")
    parser.add_argument("--rounds", type=int, default=3, help="how often each program runs (default 3)")
    parser.add_argument("--frames", type=int, default=30, help="frames a run (default 30)")
    parser.add_argument("--only", help="some of frame,boxes,first,files,floor,lights,lobes,effects,formats,touch,size")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/measurements/speed.md")
    options = parser.parse_args()
    wanted = set(options.only.split(",")) if options.only else {"frame"}
    if wanted - NEEDS_NO_DATA and not (Path(options.data) / "environments").exists():
        sys.exit(f"error: bench: {options.data}: no environments/ there. Set VITRINE_DATA")
    server = start_display()
    try:
        Bench(options).run()
    finally:
        if server:
            server.terminate()


if __name__ == "__main__":
    main()
