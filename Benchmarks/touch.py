"""What a touch sets off: particles, effects, layers; each beside the least that the driver needs for it."""

import statistics

from programs import BASELINES, ROOT, Failed, call

MEASURE = ROOT / ".build/benchmarks/release/vitrine-measure"
# Number and radius in pixels.
CLOUDS = ((32, 17), (1000, 17), (10_000, 8), (100_000, 2), (100_000, 4), (100_000, 8), (1_000_000, 2))


def particles(bench):
    commands = {"Vitrine": [MEASURE, "particles"], "wgpu alone": [BASELINES / "venv/bin/python", ROOT / "Benchmarks/baselines/particles.py"]}
    commands = {name: command for name, command in commands.items() if command[0].exists()}
    rows = []
    for count, radius in CLOUDS:
        times = {name: [] for name in commands}
        # In turn, so that what else the machine does weighs on both.
        for _ in range(bench.options.rounds):
            for name, command in commands.items():
                try:
                    times[name].append(call([*command, str(count), str(radius)], 300).report["ms"])
                except (Failed, KeyError) as failure:
                    print(f"bench: {name}: {failure}", flush=True)
        ours = times.get("Vitrine", [])
        for name, runs in times.items():
            if not runs:
                continue
            ratios = [run["median"] / own["median"] for run, own in zip(runs, ours)]
            median = statistics.median(run["median"] for run in runs)
            ratio = f"{statistics.median(ratios):.2f}" if ratios else ""
            rows.append([f"{count:,}", radius, name, f"{median:.1f}", f"{min(run['min'] for run in runs):.1f}", ratio])
            print(f"  {count} of {radius} px {name:12} {median:8.1f} ms", flush=True)
    header = ["particles", "radius, px", "program", "median ms", "min", "time against Vitrine"]
    title = f"Particles: soft, additive, moved by a tick and drawn into 1920×1080 half floats ({bench.options.rounds} rounds of 20 frames)"
    bench.add_rows(title, header, rows, ["---:", "---:", "---", "---:", "---:", "---:"])


def effects(bench):
    """Measurements inside the process, with their lower bounds."""
    if not MEASURE.exists():
        return
    for words, title, note in (
        (["effects"], "Effects over an image of 1920×1080 half floats", "floor: one full-screen pass that does the same arithmetic with its numbers in the shader"),
        (["button"], "`Examples/Button`, pressed, in 1920×1080", ""),
        (["layers", "1000"], "Layers in 1280×720: rounded rectangles with borders in one 3D space", ""),
    ):
        runs = []
        for _ in range(bench.options.rounds):
            try:
                runs.append(call([MEASURE, *words], 300).report["rows"])
            except (Failed, KeyError) as failure:
                print(f"bench: {words[0]}: {failure}", flush=True)
        if not runs:
            continue
        rows = []
        for index, row in enumerate(runs[0]):
            times = [run[index]["ms"] for run in runs]
            rows.append([row["name"], f"{statistics.median(t['median'] for t in times):.1f}", f"{min(t['min'] for t in times):.1f}"])
        bench.add_rows(f"{title} ({note + '; ' if note else ''}{bench.options.rounds} rounds)", ["what", "median ms", "min"], rows)


def touch(bench):
    particles(bench)
    effects(bench)
