"""Scores reconstructions of the photo sets beside the project: `scripts/quality/photos.sh --help`."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import photo_cameras
import photo_peer
import photo_surface
import photo_views
from documents import write_section

ROOT = Path(__file__).resolve().parents[2]
# Set, and where its masks of the object lie (for scoring only).
SETS = {
    "bust36": None,
    "strecha-fountain-P11": None,
    "middlebury-templeRing47": None,
    "dtu_scan24": "mask",
    "fox": None,
    "saharov32": None,
}


def reconstruct(options, images, out):
    """Runs the command; seconds, peak memory and what it said."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    command = [options.vitrine, "reconstruct", images, "-o", out / "model.glb", "--detail", options.detail]
    command += ["--poses", out / "poses.json", "--colmap", out / "colmap", "--report", out / "report.html", *options.extra.split()]
    begin = time.time()
    with open(out / "log.txt", "w") as log:
        process = subprocess.Popen(list(map(str, command)), stdout=log, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return {"seconds": time.time() - begin, "memory": usage.ru_maxrss / 1024**2, "cpu": usage.ru_utime + usage.ru_stime, "exit": code}


def score_set(name, masks, options):
    folder, out = Path(options.data) / "photosets" / name, Path(options.out) / name
    images = folder / "images"
    if not images.is_dir():
        print(f"{name}: no photos here, left out")
        return None
    true = photo_cameras.truth(folder)
    photos = sorted(p for p in images.iterdir() if p.suffix.lower() in (".jpg", ".png", ".jpeg"))
    result = {"set": name, "count": len(photos), **reconstruct(options, images, out)}
    if result["exit"] != 0:
        print(f"{name}: failed with exit code {result['exit']}:", *(out / "log.txt").read_text().splitlines()[-3:], sep="\n   ")
        return result
    result["poses"], true_from_model = photo_cameras.compare(photo_cameras.colmap(out / "colmap"), true)
    if true_from_model and (folder / "truth.obj").exists():
        result["surface"] = photo_surface.score(out / "model.glb", folder / "truth.obj", true.values(), true_from_model)
    if true_from_model:
        result["seen"] = draw(out / "model.glb", photos[:: max(1, len(photos) // 4)], folder, masks, true, true_from_model, out / "beside")
    if options.peer:
        peer = photo_peer.run(images, Path(options.out) / "peer" / name)
        result["peer"] = {**peer, **photo_cameras.compare(photo_cameras.colmap(Path(options.out) / "peer" / name / "model"), true)[0]}
    if options.held_out:
        result["held_out"] = held_out(photos, folder, masks, true, options, Path(options.out) / f"{name}-held-out")
    (out / "scores.json").write_text(json.dumps(result, indent=1))
    return result


def held_out(photos, folder, masks, true, options, out):
    """Every eighth photo is never shown to the reconstruction."""
    kept = Path(f"{out}-photos")
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    away = photos[4::8]
    for photo in photos:
        if photo not in away:
            (kept / photo.name).symlink_to(photo.resolve())
    run = reconstruct(options, kept, out)
    if run["exit"] != 0:
        return None
    _, true_from_model = photo_cameras.compare(photo_cameras.colmap(out / "colmap"), true)
    return draw(out / "model.glb", away, folder, masks, true, true_from_model, out / "beside") if true_from_model else None


def draw(model_path, photos, folder, masks, true, true_from_model, out):
    """Mean scores of the model drawn from the photos' own true cameras."""
    out.mkdir(parents=True, exist_ok=True)
    scale, R, t = true_from_model
    model_from_true = (1 / scale, R.T, -R.T @ t / scale)
    model, scores = photo_views.TexturedModel(model_path), []
    truth = photo_surface.caster(photo_surface.load(folder / "truth.obj")) if (folder / "truth.obj").exists() else None
    for photo in photos:
        camera = true.get(photo.stem)
        if camera is None:
            continue
        drawn, hit = model.draw(camera, model_from_true)
        photo_views.side_by_side(photo, drawn, out / f"{photo.stem}.png")
        scores.append(photo_views.compare(drawn, hit, photo, photo_views.object_mask(photo, camera, folder, masks, truth)))
    scores = [s for s in scores if s]
    return {k: float(np.mean([s[k] for s in scores if k in s])) for k in ("psnr", "ssim", "covered") if any(k in s for s in scores)}


def number(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


def tables(results):
    lines = ["| set | photos | seconds | of all cores | seconds a photo | peak memory, GB | registered | rotation, ° | between neighbours, ° | position, % | focal length, % |"]
    lines += ["| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for r in results:
        if r["exit"] != 0:
            lines.append(f"| {r['set']} | {r['count']} | failed |" + " |" * 8)
            continue
        time_cells = f"{r['seconds']:.0f} | {r['cpu']:.0f} | {r['seconds'] / r['count']:.1f} | {r['memory']:.2f}"
        lines.append(f"| {r['set']} | {r['count']} | {time_cells} | " + pose_cells(r["poses"]))
        if "peer" in r:
            p = r["peer"]
            seconds = p["features"] + p["matching"] + p["mapping"]
            lines.append(f"| *pycolmap, poses only* | | *{seconds:.0f}* | | *{seconds / r['count']:.1f}* | | " + pose_cells(p))
    shapes = ["", "| set | triangles | closed | accuracy, % | completeness, % | F at 0.25 % | F at 0.5 % | F at 1 % |"]
    shapes += ["| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |"]
    for r in results:
        s = r.get("surface")
        if s:
            scores = " | ".join(f"{s[f'at {limit}']['f']:.3f}" for limit in photo_surface.THRESHOLDS)
            closed = "yes" if s["watertight"] else "no"
            shapes.append(f"| {r['set']} | {s['triangles']} | {closed} | {s['accuracy']:.3f} | {s['completeness']:.3f} | {scores} |")
    views = ["", "| set | photos used: PSNR, dB | SSIM | held-out photos: PSNR, dB | SSIM | object covered |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for r in results:
        if "seen" in r:
            seen, away = r["seen"], r.get("held_out") or {}
            cells = [number(seen.get("psnr"), 2), number(seen.get("ssim"), 3), number(away.get("psnr"), 2), number(away.get("ssim"), 3)]
            views.append(f"| {r['set']} | " + " | ".join(cells) + f" | {number(seen.get('covered'), 3)} |")
    return "\n".join(lines + shapes + views)


def pose_cells(p):
    if "rotation" not in p:
        return f"{p['registered']} of {p['photos']} |" + " |" * 4
    return (
        f"{p['registered']} of {p['photos']} | {p['rotation']:.3f} | {p['neighbour_rotation']:.4f} | "
        f"{p['position_percent']:.3f} | {p['focal_percent']:.2f} |"
    )


def main():
    parser = argparse.ArgumentParser(prog="scripts/quality/photos.sh", description="Scores reconstructions against truth.")
    parser.add_argument("--vitrine", default=ROOT / ".build/release/vitrine", help="the program (default: .build/release/vitrine)")
    parser.add_argument("--data", default=os.environ.get("VITRINE_DATA", ROOT / "../shared/data"), help="default: $VITRINE_DATA, else ../shared/data")
    parser.add_argument("--out", default=ROOT / "out/quality/photos", help="where everything goes (default: out/quality/photos)")
    parser.add_argument("--detail", default="reduced", help="level of detail (default: reduced)")
    parser.add_argument("--extra", default="", help="more options for `vitrine reconstruct`, in one string")
    parser.add_argument("--only", help="only sets with this in their name")
    parser.add_argument("--peer", action="store_true", help="run pycolmap on the same photos and score its cameras too")
    parser.add_argument("--held-out", action="store_true", help="reconstruct once more without every eighth photo and score those")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/quality.md")
    options = parser.parse_args()
    if not Path(options.vitrine).exists():
        sys.exit(f"error: {options.vitrine}: not there. Build it: make build")
    if not (Path(options.data) / "photosets").is_dir():
        sys.exit(f"error: {options.data}: holds no photosets/. Set VITRINE_DATA")
    results = [r for name, masks in SETS.items() if not options.only or options.only in name for r in [score_set(name, masks, options)] if r]
    text = tables(results)
    print("\n" + text)
    if options.write:
        write_section(ROOT / "docs/quality.md", f"photos-{options.detail}", text)


main()
