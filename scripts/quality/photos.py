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
import photo_tables
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
# Drawings and photos are compared at this size: about what a texture of 2,048² holds of an object seen whole.
LONGEST_SIDE = 1200
# Their cameras were found by another program from the same photos: no truth to be measured against.
WITHOUT_TRUTH = {"fox"}


class PhotoSet:
    """A set's photos and truth, and where its results go: OUT/DETAIL/SET, OUT/peer/SET."""

    def __init__(self, name, options):
        self.name, self.options = name, options
        self.folder = Path(options.data) / "photosets" / name
        self.images, self.masks = self.folder / "images", SETS[name]
        self.out, self.peer_out = Path(options.out) / options.detail / name, Path(options.out) / "peer" / name
        self.has_photos = self.images.is_dir()
        if self.has_photos:
            self.true = photo_cameras.truth(self.folder)
            self.photos = sorted(p for p in self.images.iterdir() if p.suffix.lower() in (".jpg", ".png", ".jpeg"))

    def run(self):
        """Everything that was asked for and isn't there yet."""
        if not self.options.held_out_only:
            save(self.out / "scores.json", self.scored())
        if self.options.peer and not (self.peer_out / "scores.json").exists():
            seconds = photo_peer.run(self.images, self.peer_out)
            save(self.peer_out / "scores.json", {**seconds, **photo_cameras.compare(photo_cameras.colmap(self.peer_out / "model"), self.true)[0]})
        if self.options.held_out or self.options.held_out_only:
            save(self.out / "held-out.json", self.held_out())

    def scored(self):
        result = {"set": self.name, "count": len(self.photos), **self.reconstruct(self.images, self.out)}
        if result["exit"] != 0:
            return result
        if self.name in WITHOUT_TRUTH:
            result["photos_used"] = len(photo_cameras.colmap(self.out / "colmap"))
        result["poses"], true_from_model = photo_cameras.compare(photo_cameras.colmap(self.out / "colmap"), self.true)
        if true_from_model and (self.folder / "truth.obj").exists():
            result["surface"] = photo_surface.score(self.out / "model.glb", self.folder / "truth.obj", self.true.values(), true_from_model)
        result["shape"] = photo_surface.shape(self.out / "model.glb")
        if true_from_model:
            result["seen"] = self.draw(self.out, self.photos[:: max(1, len(self.photos) // 8)], true_from_model)
        return result

    def held_out(self):
        """Every eighth photo is never shown to the reconstruction."""
        out, away = Path(f"{self.out}-held-out"), self.photos[4::8]
        kept = Path(f"{out}-photos")
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        for photo in self.photos:
            if photo not in away:
                (kept / photo.name).symlink_to(photo.resolve())
        if self.reconstruct(kept, out)["exit"] != 0:
            return {}
        _, true_from_model = photo_cameras.compare(photo_cameras.colmap(out / "colmap"), self.true)
        return self.draw(out, away, true_from_model) if true_from_model else {}

    def reconstruct(self, images, out):
        """Runs the command; returns seconds, peak memory and its output."""
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        command = [self.options.vitrine, "reconstruct", images, "-o", out / "model.glb", "--detail", self.options.detail, "--json"]
        command += ["--poses", out / "poses.json", "--colmap", out / "colmap", "--report", out / "report.html", *self.options.extra.split()]
        begin = time.time()
        with open(out / "log.txt", "w") as log:
            process = subprocess.Popen(list(map(str, command)), stdout=log, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
        result = {"seconds": time.time() - begin, "memory": usage.ru_maxrss / 1024**2, "cpu": usage.ru_utime + usage.ru_stime}
        result["exit"] = os.waitstatus_to_exitcode(status)
        lines = (out / "log.txt").read_text().splitlines()
        if result["exit"] != 0:
            print(f"{self.name}: failed with exit code {result['exit']}:", *lines[-3:], sep="\n   ")
        else:
            result["steps"] = next(json.loads(line) for line in reversed(lines) if '"event":"result"' in line)["steps"]
            # The program sets its own peak back before each step, which also resets the peak that the system reports at the end.
            result["memory"] = max(result["memory"], max(step["peak_memory_mb"] for step in result["steps"]) / 1024)
        return result

    def draw(self, run, photos, true_from_model):
        """Mean scores of the model drawn from the photos' own true cameras, registered with the photo; both side by side in `beside`."""
        (run / "beside").mkdir(parents=True, exist_ok=True)
        scale, R, t = true_from_model
        model_from_true = (1 / scale, R.T, -R.T @ t / scale)
        model, scores = photo_views.TexturedModel(run / "model.glb"), []
        truth_path = self.folder / "truth.obj"
        truth = photo_surface.caster(photo_surface.load(truth_path)) if truth_path.exists() else None
        for photo in photos:
            camera = self.true.get(photo.stem)
            if camera is None:
                continue
            camera = camera.within(LONGEST_SIDE)
            keep = photo_views.object_mask(photo, camera, self.folder, self.masks, truth)
            drawn, score = photo_views.compare_registered(model, camera, model_from_true, photo, keep)
            photo_views.side_by_side(photo, drawn, run / "beside" / f"{photo.stem}.png")
            scores.append(score)
        scores = [s for s in scores if s]
        keys = ("psnr", "ssim", "unmoved", "covered")
        return {k: float(np.mean([s[k] for s in scores if k in s])) for k in keys if any(k in s for s in scores)}


def save(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1))


def main():
    parser = argparse.ArgumentParser(prog="scripts/quality/photos.sh", description="Scores reconstructions against truth and against pycolmap.")
    parser.add_argument("--vitrine", default=ROOT / ".build/release/vitrine", help="the program (default: .build/release/vitrine)")
    parser.add_argument("--data", default=os.environ.get("VITRINE_DATA", ROOT / "../shared/data"), help="default: $VITRINE_DATA, else ../shared/data")
    parser.add_argument("--out", default=ROOT / "out/quality/photos", help="where everything goes (default: out/quality/photos)")
    parser.add_argument("--detail", default="reduced", help="level of detail (default: reduced)")
    parser.add_argument("--extra", default="", help="more options for `vitrine reconstruct`, in one string")
    parser.add_argument("--only", default="", help="only sets with this in their name")
    parser.add_argument("--peer", action="store_true", help="run pycolmap on the same photos too; its result is kept in OUT/peer and used again")
    parser.add_argument("--held-out", action="store_true", help="reconstruct once more without every eighth photo and score those")
    parser.add_argument("--held-out-only", action="store_true", help="only that")
    parser.add_argument("--tables-only", action="store_true", help="run nothing: tables of the results in OUT")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/measurements/photos.md")
    options = parser.parse_args()
    if not Path(options.vitrine).exists():
        sys.exit(f"error: {options.vitrine}: not there. Build it: make build")
    if not (Path(options.data) / "photosets").is_dir():
        sys.exit(f"error: {options.data}: holds no photosets/. Set VITRINE_DATA")
    sets = [PhotoSet(name, options) for name in SETS if options.only in name]
    for one in sets:
        if not one.has_photos:
            print(f"{one.name}: no photos here, skipped")
        elif not options.tables_only:
            one.run()
    text = photo_tables.tables([one for one in sets if (one.out / "scores.json").exists()])
    print("\n" + text)
    if options.write:
        write_section(ROOT / "docs/measurements/photos.md", f"photos-{options.detail}", text)


main()
