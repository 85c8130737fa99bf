"""A real recording's path against pycolmap's reconstruction of its images: see handheld.sh."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import numpy
import pycolmap

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The camera turns faster than it moves in between: a reconstruction across these moments has two scales.
SPANS = ((3.2, 21), (21, 40))


def recording():
    named = os.environ.get("VITRINE_DATA")
    candidates = [pathlib.Path(named)] if named else [ROOT.parent / "shared" / "data", ROOT.parent.parent / "shared" / "data"]
    found = next((folder / "ar" / "handheld-room" for folder in candidates if (folder / "ar" / "handheld-room").is_dir()), None)
    return found or sys.exit("error: quality: ar/handheld-room: not in the data folder")


def reconstructed(folder, out, every):
    """The times of the images and the positions of the camera, of each model that pycolmap makes."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    images = folder / "cam0" / "images"
    names = [path.name for path in sorted(images.iterdir())[::every]]
    lines = (folder / "cam0" / "camera.txt").read_text().splitlines()
    numbers = next(line for line in lines if not line.startswith("#")).split()
    reader = pycolmap.ImageReaderOptions()
    reader.camera_model, reader.camera_params = "PINHOLE", ",".join(numbers[:4])
    extraction = pycolmap.FeatureExtractionOptions()
    extraction.use_gpu, extraction.num_threads, extraction.sift.max_num_features = False, 2, 1500
    pairing = pycolmap.SequentialPairingOptions()
    pairing.overlap, pairing.quadratic_overlap = 8, True
    matching = pycolmap.FeatureMatchingOptions()
    matching.use_gpu, matching.num_threads = False, 2
    mapping = pycolmap.IncrementalPipelineOptions()
    mapping.ba_refine_focal_length, mapping.ba_refine_extra_params, mapping.num_threads = False, False, 2
    database = out / "database.db"
    pycolmap.extract_features(
        database, images, image_names=names, camera_mode=pycolmap.CameraMode.SINGLE, reader_options=reader, extraction_options=extraction)
    pycolmap.match_sequential(database, matching_options=matching, pairing_options=pairing)
    models = pycolmap.incremental_mapping(database, images, out, options=mapping)
    for model in models.values():
        posed = sorted((image for image in model.images.values() if image.has_pose), key=lambda image: image.name)
        yield numpy.array([[int(pathlib.Path(image.name).stem) / 1e9, *image.projection_center()] for image in posed])


def fitted(places, target):
    """The least squares similarity from `places` to `target` (Umeyama 1991): its scale, and the residual of each."""
    a, b = places - places.mean(0), target - target.mean(0)
    u, d, vt = numpy.linalg.svd(b.T @ a)
    flip = numpy.array([1, 1, numpy.sign(numpy.linalg.det(u @ vt))])
    scale = (d * flip).sum() / (a**2).sum()
    return scale, b - scale * (u @ numpy.diag(flip) @ vt @ a.T).T


def compare(model, path, first):
    for begin, end in SPANS:
        times = model[:, 0] - first
        part = model[(times >= begin) & (times < end)]
        if len(part) < 20:
            continue
        best = None
        # The camera's clock is off by some hundredths of a second.
        for offset in numpy.arange(-0.12, 0.121, 0.01):
            reported = numpy.stack([numpy.interp(part[:, 0] + offset, path[:, 0], path[:, k]) for k in (1, 2, 3)], 1)
            _, left = fitted(part[:, 1:], reported)
            error = numpy.sqrt((left**2).sum(1).mean())
            if best is None or error < best[0]:
                best = (error, numpy.sqrt(((reported - reported.mean(0)) ** 2).sum(1).mean()))
        error, size = best
        print(f"{part[0, 0] - first:5.1f} to {part[-1, 0] - first:4.1f} s, {len(part)} images: "
              f"{100 * error:.1f} cm RMSE, of a path that lies {100 * size:.0f} cm RMS about its middle")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracker", default="world")
    parser.add_argument("--every", type=int, default=5)
    options = parser.parse_args()
    folder, out = recording(), ROOT / "out" / "handheld"
    models = list(reconstructed(folder, out / "colmap", options.every))
    command = os.environ.get("VITRINE", str(ROOT / ".build" / "release" / "vitrine"))
    trajectory = out / f"{options.tracker}.tum"
    subprocess.run([command, "ar", "track", str(folder), "--tracker", options.tracker, "-o", str(trajectory)], check=True)
    path = numpy.loadtxt(trajectory)
    first = min(model[0, 0] for model in models)
    for model in models:
        compare(model, path, first)


main()
