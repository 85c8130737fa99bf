"""Recordings of simulated rooms, tracked and scored: see ar.sh."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARKERS = ("<!-- simulated-rooms -->", "<!-- /simulated-rooms -->")


def runs(data):
    """Name, what the table says, whether it counts for the goal, and the arguments of `vitrine ar simulate`."""
    paths = data / "ar" / "trajectories" if data else None
    euroc = ["--camera", "euroc", "--gray"]
    wide = ["--camera", "tum-vi", "--gray"]
    found = []
    if paths and paths.is_dir():
        v101 = str(paths / "euroc" / "V1_01_easy.txt")
        found += [
            ("v101-real-imu", "EuRoC V1_01, its real IMU, study", True, ["study", "--path", v101, "--imu", str(paths / "euroc" / "V101.txt"), *euroc]),
            ("v101", "EuRoC V1_01, study", True, ["study", "--path", v101, *euroc]),
            ("mh01", "EuRoC MH_01, hall", True, ["hall", "--path", str(paths / "euroc" / "MH_01_easy.txt"), *euroc]),
            ("room1", "TUM-VI room1, study, fish-eye", True, ["study", "--path", str(paths / "tum_vi" / "dataset-room1_512_16.txt"), *wide]),
        ]
    found += [
        ("around", "walk around a table, study, phone", False, ["study", "--path", "around", "--gray"]),
        ("rough", "the same: blur 15 ms, exposure jitter of 1 stop, clock 47 ms late, 1 s covered, 0.4 s gap", False,
         ["study", "--path", "around", "--gray", "--blur", "0.015", "--drift", "1", "--delay", "0.047", "--cover", "12:1", "--gap", "20:0.4"]),
        ("bare", "swaying in a bare room, phone", False, ["bare", "--path", "held", "--gray"]),
    ]
    return found


def vitrine(arguments):
    command = [os.environ.get("VITRINE", str(ROOT / ".build" / "release" / "vitrine")), "ar", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def drawn(name, arguments, seconds, out):
    """What `ar simulate` said of the recording, which is drawn again only where it was asked for differently."""
    folder, note = out / name, out / f"{name}.drawn.json"
    wanted = [*arguments, *(["--seconds", str(seconds)] if seconds else [])]
    if folder.is_dir() and note.is_file():
        kept = json.loads(note.read_text())
        if kept["arguments"] == wanted:
            return kept["made"]
    shutil.rmtree(folder, ignore_errors=True)
    made = vitrine(["simulate", *wanted, "-o", str(folder)])
    note.write_text(json.dumps({"arguments": wanted, "made": made}))
    return made


def measure(name, arguments, seconds, out):
    folder = out / name
    made = drawn(name, arguments, seconds, out)
    score = vitrine(["score", str(folder), "-o", str(out / f"{name}.tum")])
    (out / f"{name}.json").write_text(json.dumps({"made": made, "score": score}, indent=2))
    return made, score


def table(rows):
    lines = [
        "| path | tracked | m | RMSE, m | largest, m | RMSE, ° | scale | NEES position | orientation | ms per frame | 99 % |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for text, _, s in rows:
        share = 100 * s["tracked"] / max(s["frames"], 1)
        lines.append(
            f"| {text} | {share:.0f} % | {s['path_length']:.1f} | {s['position_rmse']:.3f} | {s['largest_position_error']:.3f} | "
            f"{s['orientation_rmse']:.2f} | {1 / s['scale']:.4f} | {s['position_nees']:.1f} | {s['orientation_nees']:.1f} | "
            f"{s['median_milliseconds']:.1f} | {s['slow_milliseconds']:.1f} |")
    judged = [s["position_rmse"] for _, counts, s in rows if counts]
    if judged:
        lines.append(f"| *mean of the real paths (goal: 0.125)* | | | *{sum(judged) / len(judged):.3f}* | | | | | | | |")
    return "\n".join(lines)


def write(text):
    page = ROOT / "docs/measurements/ar.md"
    content = page.read_text()
    begin, end = (content.index(marker) for marker in MARKERS)
    page.write_text(content[: begin + len(MARKERS[0])] + "\n" + text + "\n" + content[end:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    named = os.environ.get("VITRINE_DATA")
    candidates = [pathlib.Path(named)] if named else [ROOT.parent / "shared" / "data", ROOT.parent.parent / "shared" / "data"]
    data = next((folder for folder in candidates if folder.is_dir()), None)
    out = ROOT / "out" / "ar"
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, text, counts, arguments in runs(data):
        if options.only and options.only != name:
            continue
        seconds = None if options.long and counts else 40
        if options.draw:
            drawn(name, arguments, seconds, out)
            continue
        made, score = measure(name, arguments, seconds, out)
        frames, milliseconds = made["frames"], made["milliseconds_per_frame"]
        print(f"{name}: {frames} frames at {milliseconds:.0f} ms, RMSE {score['position_rmse']:.3f} m", flush=True)
        rows.append((text, counts, score))
        if not options.keep:
            shutil.rmtree(out / name)
    if options.draw:
        return
    text = table(rows)
    print(text)
    if options.write:
        write(text)


main()
