"""Recordings of simulated rooms, tracked and scored: see ar.sh."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A phone as sold: rolling shutter, uncalibrated errors of scale and misalignment of the IMU, vibration, blur, auto exposure.
PHONE = ["--readout", "0.02", "--imu-error", "0.01", "--vibration", "0.3", "--blur", "0.01", "--exposure-variation", "0.5", "--drift", "0.5"]
# Kinds and seconds of a loss, which begins at this second of the recording.
LOSS_CAMERA = ["--gray", "--size", "480x360", "--fps", "15"]
LOSS_KINDS, LOSS_SECONDS, LOSS_START = ("cover", "pocket", "kidnap"), (3, 8, 30), 25
# Seconds that are cut from a recording, so that both views overlap, and the seconds at which the cuts begin.
CUT_SECONDS, CUT_STARTS = (0.1, 0.15, 0.2, 0.25, 0.3), (20, 30, 40, 50)


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


def phone_runs(data, seeds, half, baseline):
    """The real paths with ideal sensors and as a phone, for each seed: name, path, sensors, seed, arguments. baseline: metres to a second camera."""
    found = []
    for seed in range(1, seeds + 1):
        for name, text, counts, arguments in runs(data):
            if not counts or "real IMU" in text:
                continue
            path = text.split(",")[0]
            if half:
                name, arguments = f"{name}-half", [*arguments, "--size", "256x256" if "tum-vi" in arguments else "376x240"]
            if baseline:
                name, arguments = f"{name}-stereo", [*arguments, "--stereo", str(baseline)]
            found.append((f"{name}-ideal-{seed}" if seed > 1 else name, path, "ideal", seed, [*arguments, *(["--seed", str(seed)] if seed > 1 else [])]))
            found.append((f"{name}-phone-{seed}", path, "phone", seed, [*arguments, *PHONE, "--seed", str(seed)]))
    return found


def loss_runs(seeds):
    """Recordings of 75 s without a loss, which `ar score --loss` adds: name, room, seed, arguments."""
    return [(f"loss-{path}-{seed}", f"{room}, {path}", seed, [room, "--path", path, *LOSS_CAMERA, "--seconds", "75", "--seed", str(seed)])
            for seed in range(1, seeds + 1) for room, path in (("study", "around"), ("hall", "eight"), ("study", "walk"))]


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


def shortened(arguments, options):
    return [*arguments, *(["--fps", str(options.fps)] if options.fps else [])]


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


def phone_table(rows):
    lines = [
        "| path | sensors | seeds | tracked | RMSE, m, mean | worst seed | scale | NEES position, each seed | orientation | ms per frame | 99 % |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- | --- | --- | ---: | ---: |",
    ]
    groups = {}
    for path, sensors, score in rows:
        groups.setdefault((path, sensors), []).append(score)
    for (path, sensors), scores in groups.items():
        def mean(key):
            return sum(score[key] for score in scores) / len(scores)

        def each(key, digits):
            return ", ".join(f"{score[key]:.{digits}f}" for score in scores)
        scales = ", ".join(f"{1 / score['scale']:.3f}" for score in scores)
        tracked = 100 * sum(score["tracked"] for score in scores) / sum(score["frames"] for score in scores)
        lines.append(
            f"| {path} | {sensors} | {len(scores)} | {tracked:.0f} % | {mean('position_rmse'):.3f} | {max(s['position_rmse'] for s in scores):.3f} | "
            f"{scales} | {each('position_nees', 1)} | {each('orientation_nees', 1)} | "
            f"{mean('median_milliseconds'):.1f} | {mean('slow_milliseconds'):.1f} |")
    return "\n".join(lines)


def loss_table(rows):
    lines = [
        "| loss | recordings | `normal` again | after, median | longest | largest error while `normal` | error 2 s later, median | largest |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for kind in LOSS_KINDS:
        for seconds in LOSS_SECONDS:
            losses = [loss for name, length, loss in rows if (name, length) == (kind, seconds)]
            if not losses:
                continue
            recovered = [loss for loss in losses if loss.get("recovery_delay") is not None]

            def values(key):
                return sorted(loss[key] for loss in recovered if loss.get(key) is not None)

            def number(value, digits):
                return f"{value:.{digits}f}"
            delays, largest = values("recovery_delay"), values("largest_error")
            later, latest = values("median_error"), values("largest_later_error")
            cells = [number(delays[len(delays) // 2], 1) + " s", number(delays[-1], 1) + " s", number(100 * largest[-1], 1) + " cm"] if delays else [""] * 3
            cells += [number(100 * later[len(later) // 2], 1) + " cm", number(100 * latest[-1], 1) + " cm"] if later else [""] * 2
            lines.append(f"| {kind}, {seconds} s | {len(losses)} | {len(recovered)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cut_table(rows):
    lines = [
        "| cut | cuts | noticed | `normal` again after, median | longest | largest error while `normal` | error 2 s later, median | largest |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for seconds in CUT_SECONDS:
        losses = [loss for length, loss in rows if length == seconds]
        if not losses:
            continue
        # An unnoticed cut leaves the state normal; after others it may never be normal again.
        delays = [loss.get("recovery_delay") for loss in losses]
        noticed = [delay for delay in delays if delay is None or delay > 0.1]
        recovered = sorted(delay for delay in noticed if delay is not None)
        later = sorted(loss["median_error"] for loss in losses if loss.get("median_error") is not None)
        after = [f"{recovered[len(recovered) // 2]:.1f} s", f"{recovered[-1]:.1f} s"] if recovered else ["", ""]
        if len(recovered) < len(noticed):
            after[1] = "never"
        largest = max(loss["largest_error"] for loss in losses)
        latest = [loss["largest_later_error"] for loss in losses if loss.get("largest_later_error") is not None]
        errors = [f"{100 * later[len(later) // 2]:.1f} cm" if later else "", f"{100 * max(latest):.1f} cm" if latest else ""]
        cells = [*after, f"{100 * largest:.1f} cm", *errors]
        lines.append(f"| {seconds} s | {len(losses)} | {len(noticed)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write(name, text):
    page = ROOT / "docs/measurements/ar.md"
    content = page.read_text()
    first, last = f"<!-- {name} -->", f"<!-- /{name} -->"
    begin, end = content.index(first), content.index(last)
    page.write_text(content[: begin + len(first)] + "\n" + text + "\n" + content[end:])


def rooms(options, data, out):
    rows = []
    for name, text, counts, arguments in runs(data):
        if options.only and options.only != name:
            continue
        seconds = None if options.long and counts else options.seconds or 40
        arguments = shortened(arguments, options)
        if options.draw:
            drawn(name, arguments, seconds, out)
            continue
        made, score = measure(name, arguments, seconds, out)
        report(name, made, score)
        rows.append((text, counts, score))
        if not options.keep:
            shutil.rmtree(out / name)
    return table(rows)


def phones(options, data, out):
    rows = []
    for name, path, sensors, _, arguments in phone_runs(data, options.seeds, options.half, options.stereo):
        if options.only and options.only != name or options.sensors not in ("both", sensors):
            continue
        seconds = None if options.long else options.seconds or 30
        arguments = shortened(arguments, options)
        if options.draw:
            drawn(name, arguments, seconds, out)
            continue
        made, score = measure(name, arguments, seconds, out)
        report(name, made, score)
        rows.append((path, sensors, score))
        if not options.keep:
            shutil.rmtree(out / name)
    return phone_table(rows)


def cuts(options, data, out):
    rows = scored_losses(options, out, [("kidnap", start, seconds) for seconds in CUT_SECONDS for start in CUT_STARTS])
    return cut_table([(seconds, loss) for _, seconds, loss in rows])


def losses(options, data, out):
    return loss_table(scored_losses(options, out, [(kind, LOSS_START, seconds) for kind in LOSS_KINDS for seconds in LOSS_SECONDS]))


def scored_losses(options, out, planned):
    """Scores each of the recordings with each planned loss: kind, start and duration in seconds."""
    rows = []
    for name, _, _, arguments in loss_runs(options.seeds):
        if options.only and options.only != name:
            continue
        drawn(name, arguments, None, out)
        if options.draw:
            continue
        for kind, start, seconds in planned:
            score = vitrine(["score", str(out / name), "--loss", f"{kind}:{start}:{seconds}"])
            print(f"{name}: {kind} at {start} s for {seconds} s: {json.dumps(score['loss'])}", flush=True)
            rows.append((kind, seconds, score["loss"]))
        if not options.keep:
            shutil.rmtree(out / name)
    return rows


def report(name, made, score):
    frames, milliseconds = made["frames"], made["milliseconds_per_frame"]
    print(f"{name}: {frames} frames at {milliseconds:.0f} ms, RMSE {score['position_rmse']:.3f} m, NEES {score['position_nees']:.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--table", choices=["rooms", "phones", "losses", "cuts"], default="rooms")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--fps", type=float)
    parser.add_argument("--sensors", choices=["ideal", "phone", "both"], default="both")
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--stereo", type=float, metavar="METRES")
    options = parser.parse_args()
    named = os.environ.get("VITRINE_DATA")
    candidates = [pathlib.Path(named)] if named else [ROOT.parent / "shared" / "data", ROOT.parent.parent / "shared" / "data"]
    data = next((folder for folder in candidates if folder.is_dir()), None)
    out = ROOT / "out" / "ar"
    out.mkdir(parents=True, exist_ok=True)
    text = {"rooms": rooms, "phones": phones, "losses": losses, "cuts": cuts}[options.table](options, data, out)
    if options.draw:
        return
    print(text)
    if options.write:
        write("simulated-stereo" if options.stereo else f"simulated-{options.table}", text)


if __name__ == "__main__":
    main()
