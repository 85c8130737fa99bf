#!/usr/bin/env python3
"""Time, memory and accuracy for growing sets of photos of one large rendered scene.

    scripts/quality/scale.py VITRINE OUT COUNT [COUNT ...] [--scenes FOLDER] [--size 640x480] [--strangers N] [--model DETAIL]
        [--options "…"]
    scripts/quality/scale.py VITRINE OUT COUNT [COUNT ...] [--scenes FOLDER] --peer [--mapper incremental hierarchical global] [--limit SECONDS]

For each number of photos: renders the set (scale_scene.py) unless FOLDER/sN has it and runs `vitrine reconstruct --colmap` on it, with --model a whole
model of this level of detail, too. With --peer: after it pycolmap on the same photos, with exhaustive matching and one or several mappers with the same
matches (both programs get no order or positions of the photos, and two threads); a program that takes more than --limit seconds is stopped.
OUT/results.json and tables on standard output: processor seconds by step (of all threads; they depend little on other programs), peak memory,
registered photos, rotation error against the truth, the exponent between consecutive sizes, and the error of the time left after the first tenth as a
share of the whole time: by the clock, and as if other programs had slowed the run down evenly. Needs numpy and Pillow; --peer needs pycolmap.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import threading
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import photo_cameras  # noqa: E402
import time_left  # noqa: E402


def version(program):
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]


def vitrine(program, photos, out, options, model=None, limit=None):
    out.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    command = [program, "reconstruct", str(photos), "--colmap", str(out / "colmap"), "--json", "--whole-scene", *options]
    if model:
        command += ["-o", str(out / "model.glb"), "--detail", model]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=(out / "log.txt").open("w"), text=True)
    meter = time_left.Meter(process.pid)
    stop = threading.Timer(limit, process.kill) if limit else None
    if stop:
        stop.start()
    result, estimates = None, []
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "result":
            result = event
        if event["event"] == "progress" and "remaining_s" in event:
            estimates.append((time.monotonic(), event["remaining_s"]))
    end = time.monotonic()
    meter.ended = True
    if stop:
        stop.cancel()
    if process.wait() != 0 or result is None:
        return {"failed": (out / "log.txt").read_text()[-300:]}
    steps, moment = {}, end - result["seconds"]
    for step in result["steps"]:
        after = moment + step["seconds"]
        # "surface, preview"
        entry = steps.setdefault(step["name"].split(",")[0], {"processor_s": 0.0, "elapsed_s": 0.0, "peak_memory_mb": 0})
        entry["processor_s"] += meter.at(after) - meter.at(moment)
        entry["elapsed_s"] += step["seconds"]
        entry["peak_memory_mb"] = max(entry["peak_memory_mb"], step.get("peak_memory_mb", 0))
        moment = after
    total = end - begin
    samples = [(at - begin, meter.at(at), left) for at, left in estimates]
    (out / "progress.json").write_text(json.dumps({"seconds": total, "processor_s": meter.at(end), "samples": samples}))
    errors, even = time_left.after_first_tenth(samples, total, meter.at(end))
    return {
        "program": f"Vitrine {version(program)}", "steps": steps, "processor_s": sum(step["processor_s"] for step in steps.values()), "elapsed_s": total, "photos_used": result["photos_used"],
        "points": result["sparse_points"], "models": result.get("models"), "estimate_error_median": float(np.median(errors)) if errors else None,
        "estimate_error_largest": max(errors, default=None),
        "even_estimate_error_median": float(np.median(even)) if even else None, "even_estimate_error_largest": max(even, default=None),
    }


def peer(photos, out, mappers, limit=None):
    """A row for each of the mappers, which share the matches."""
    script = f"""
import json, resource, sys, time
sys.path.insert(0, {str(HERE)!r})
import pathlib, pycolmap
pycolmap.set_random_seed(0)
out = pathlib.Path({str(out)!r}); (out / "model").mkdir(parents=True, exist_ok=True)
database = out / "database.db"; database.unlink(missing_ok=True)
seconds = {{}}
def timed(name, work):
    begin, clock = time.process_time(), time.monotonic(); result = work()
    seconds[name] = {{"processor_s": time.process_time() - begin, "elapsed_s": time.monotonic() - clock}}
    return result
extraction = pycolmap.FeatureExtractionOptions(); extraction.use_gpu, extraction.num_threads = False, 2
matching = pycolmap.FeatureMatchingOptions(); matching.use_gpu, matching.num_threads = False, 2
reader = pycolmap.ImageReaderOptions(); reader.camera_model = "SIMPLE_RADIAL"
cpu = pycolmap.Device.cpu
timed("features", lambda: pycolmap.extract_features(database, {str(photos)!r}, camera_mode=pycolmap.CameraMode.SINGLE, reader_options=reader, extraction_options=extraction, device=cpu))
timed("matching", lambda: pycolmap.match_exhaustive(database, matching_options=matching, device=cpu))
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
rows = []
for mapper in {mappers!r}:
    place = out / mapper; (place / "model").mkdir(parents=True, exist_ok=True)
    if mapper == "global":
        work = lambda: pycolmap.global_mapping(database, {str(photos)!r}, place)
    elif mapper == "hierarchical":
        work = lambda: pycolmap.hierarchical_mapping(database, {str(photos)!r}, place)
    else:
        options = pycolmap.IncrementalPipelineOptions(); options.num_threads = 2
        work = lambda: pycolmap.incremental_mapping(database, {str(photos)!r}, place, options=options)
    try:
        models = timed("mapping", work)
        best = max(models.values(), key=lambda m: m.num_reg_images())
        best.write_text(str(place / "model"))
        rows.append({{"program": "pycolmap " + pycolmap.__version__, "mapper": mapper, "steps": dict(seconds), "peak_memory_mb": peak()}})
    except Exception as error:
        rows.append({{"mapper": mapper, "failed": repr(error)[-300:]}})
print(json.dumps(rows))
"""
    try:
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return [{"failed": f"stopped after {limit} s"}]
    if run.returncode != 0:
        return [{"failed": run.stderr[-300:]}]
    rows = json.loads(run.stdout.strip().splitlines()[-1])
    for row in rows:
        if "failed" not in row:
            row["steps"]["cameras"] = row["steps"].pop("mapping")
            for total in ("processor_s", "elapsed_s"):
                row[total] = sum(step[total] for step in row["steps"].values())
    return rows


def accuracy(model, truth):
    """Registered photos and rotation errors in degrees, after the best similarity of the camera centres."""
    found, true = photo_cameras.colmap(model), photo_cameras.truth(truth)
    names = sorted(set(found) & set(true))
    if len(names) < 3:
        return {"registered": len(names)}
    scale, R, t = photo_cameras.similarity([found[n].center for n in names], [true[n].center for n in names])
    turns = [math.degrees(math.acos(max(-1, min(1, (np.trace(true[n].R.T @ found[n].R @ R.T) - 1) / 2)))) for n in names]
    gaps = [np.linalg.norm(scale * R @ found[n].center + t - true[n].center) for n in names]
    return {"registered": len(names), "rotation_median_deg": float(np.median(turns)), "rotation_largest_deg": max(turns), "center_median_m": float(np.median(gaps)), "center_largest_m": float(max(gaps))}


STEPS = ["reading photos", "features", "matching", "cameras", "placement", "depth", "points", "surface", "texture", "writing"]


def pairs_of_sizes(rows):
    """Consecutive sizes of the same program and mapper."""
    last = {}
    for row in rows:
        own = (row["program"], row.get("mapper"))
        if own in last and last[own]["photos"] != row["photos"]:
            yield last[own], row
        last[own] = row


def table(rows):
    used = [n for n in STEPS if any(n in row["steps"] for row in rows)]
    lines = ["| photos | " + " | ".join(used) + " | all, s | peak MB | registered | rotation median, largest ° | time left by the clock, evenly slowed: % |", "| ---: |" + " ---: |" * (len(used) + 5)]
    for row in rows:
        seconds = [f"{row['steps'].get(n, {}).get('processor_s', 0):.1f}" for n in used]
        peak = row.get("peak_memory_mb") or max(s.get("peak_memory_mb", 0) for s in row["steps"].values())
        left = [f"{100 * (row.get(name) or 0):.0f}" for name in ("estimate_error_largest", "even_estimate_error_largest")]
        turns = f"{row.get('rotation_median_deg', 0):.3f}, {row.get('rotation_largest_deg', 0):.3f}"
        name = f"{row['photos']}, {row['program']}{', ' + row['mapper'] if 'mapper' in row else ''}"
        lines.append(f"| {name} | " + " | ".join(seconds) + f" | {row['processor_s']:.0f} | {peak:.0f} | {row.get('registered', '')} | {turns} | {', '.join(left)} |")
    for a, b in pairs_of_sizes(rows):

        def exponent(x, y):
            return f"{math.log(y / x) / math.log(b['photos'] / a['photos']):.2f}" if x > 0 and y > 0 else ""
        parts = [exponent(a["steps"].get(n, {}).get("processor_s", 0), b["steps"].get(n, {}).get("processor_s", 0)) for n in used]
        lines.append(f"| exponent {a['photos']} → {b['photos']}, {b['program']} | " + " | ".join(parts) + f" | {exponent(a['processor_s'], b['processor_s'])} | | | | |")
    lines += ["", "Peak memory by step, MB:", "| photos | " + " | ".join(used) + " |", "| ---: |" + " ---: |" * len(used)]
    for row in rows:
        if "mapper" not in row:
            lines.append(f"| {row['photos']} | " + " | ".join(f"{row['steps'].get(n, {}).get('peak_memory_mb', 0):.0f}" for n in used) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vitrine")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("counts", type=int, nargs="+")
    parser.add_argument("--scenes", type=pathlib.Path)
    parser.add_argument("--size", default="640x480")
    parser.add_argument("--strangers", type=int, default=0, help="photos of other places beside those of the scene")
    parser.add_argument("--model", help="a level of detail")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--mapper", default=["incremental"], nargs="+", choices=["incremental", "hierarchical", "global"])
    parser.add_argument("--limit", type=float, help="seconds after which a program is stopped")
    parser.add_argument("--options", default="", help="more options of vitrine reconstruct")
    options = parser.parse_args()
    scenes = options.scenes or options.out / "scenes"
    rows = []
    for count in options.counts:
        scene = scenes / (f"s{count}" + (f"-{options.strangers}" if options.strangers else "") + (f"-{options.size}" if options.size != "640x480" else ""))
        if not (scene / "cameras.json").exists():
            subprocess.run([sys.executable, str(HERE / "scale_scene.py"), str(count), str(scene), "--size", options.size, "--strangers", str(options.strangers)], check=True)
        place = options.out / f"vitrine{count}"
        found = [(place / "colmap", vitrine(options.vitrine, scene / "images", place, options.options.split(), options.model, options.limit))]
        if options.peer:
            place = options.out / f"peer{count}"
            place.mkdir(parents=True, exist_ok=True)
            found += [(place / row.get("mapper", "") / "model", row) for row in peer(scene / "images", place, options.mapper, options.limit)]
        for model, row in found:
            row["photos"], row["load"] = count, os.getloadavg()[0]
            if "failed" in row:
                print(f"{count} photos failed: {row['failed']}", flush=True)
                continue
            row |= accuracy(model, scene)
            rows.append(row)
            (options.out / "results.json").write_text(json.dumps(rows, indent=1))
            print(f"{count}, {row['program']}: {row['processor_s']:.0f} s of processors, {row['elapsed_s']:.0f} s, {row.get('registered')} registered", flush=True)
    if rows:
        print(table(rows))


if __name__ == "__main__":
    main()
