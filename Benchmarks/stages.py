"""Single stages of a reconstruction beside other programs: `Benchmarks/stages.sh` prepares what this needs."""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import open3d as o3d
import trimesh
import xatlas
from scipy.spatial import cKDTree

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts/quality"))
from documents import write_section  # noqa: E402

OUT = ROOT / "out/bench"
POINTS, DEPTH, TRIANGLES = 433_000, 9, 50_000
# Seconds that depth may take a photo.
DEPTH_LIMIT = 4.0


def ours(*words):
    run = subprocess.run([ROOT / ".build/benchmarks/release/vitrine-stages", *map(str, words)], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def timed(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def write_mesh(path, vertices, faces):
    with open(path, "wb") as file:
        np.array([len(vertices), len(faces)], np.uint32).tofile(file)
        np.asarray(vertices, np.float32).tofile(file)
        np.asarray(faces, np.uint32).tofile(file)


def read_mesh(path):
    words = np.fromfile(path, np.uint32)
    corner = 2 + 3 * words[0]
    return words[2:corner].view(np.float32).reshape(-1, 3), words[corner:].reshape(-1, 3)


def distance(vertices, faces, tree, diagonal):
    """Median distance of a surface from the true one, in per cent of its diagonal."""
    samples = trimesh.sample.sample_surface(trimesh.Trimesh(vertices, faces, process=False), 200_000, seed=3)[0]
    return float(np.median(tree.query(samples, workers=2)[0]) / diagonal * 100)


class Stages:
    def __init__(self, rounds):
        self.rounds = rounds
        shutil.rmtree(OUT / "sample", ignore_errors=True)
        subprocess.run([ROOT / ".build/release/vitrine", "sample", OUT / "sample", "--only", "model"], check=True, stdout=subprocess.DEVNULL)
        owl = trimesh.load(OUT / "sample/owl.glb", force="mesh", process=False)
        owl.merge_vertices(merge_tex=True, merge_norm=True)
        self.diagonal = float(np.linalg.norm(np.ptp(owl.vertices, axis=0)))
        places, faces = trimesh.sample.sample_surface(owl, POINTS, seed=1)
        noise = np.random.default_rng(1).normal(0, 3e-4 * self.diagonal, places.shape)
        self.points, self.normals = places + noise, owl.face_normals[faces]
        np.hstack([self.points, self.normals]).astype(np.float32).tofile(OUT / "points.f32")
        self.tree = cKDTree(trimesh.sample.sample_surface(owl, 1_500_000, seed=2)[0])

    def alternate(self, mine, theirs):
        """Medians of both, taken in turn, and what the last round made."""
        times = [], []
        for _ in range(self.rounds):
            mine_seconds, made = mine()
            theirs_seconds, baseline = theirs()
            times[0].append(mine_seconds)
            times[1].append(theirs_seconds)
        return statistics.median(times[0]), statistics.median(times[1]), made, baseline

    def poisson(self):
        cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(self.points))
        cloud.normals = o3d.utility.Vector3dVector(self.normals)

        def mine():
            said = ours("poisson", OUT / "points.f32", DEPTH, OUT / "surface.mesh")
            return said["seconds"], read_mesh(OUT / "surface.mesh")

        def theirs():
            make = o3d.geometry.TriangleMesh.create_from_point_cloud_poisson
            seconds, (mesh, _) = timed(lambda: make(cloud, depth=DEPTH, scale=1.2, n_threads=2))
            return seconds, (np.asarray(mesh.vertices), np.asarray(mesh.triangles))

        return self.row("screened Poisson, 433,000 points, depth 9", "Open3D 0.20", *self.alternate(mine, theirs))

    def reduction(self):
        vertices, faces = read_mesh(OUT / "surface.mesh")
        mesh = o3d.geometry.TriangleMesh(o3d.utility.Vector3dVector(vertices.astype(float)), o3d.utility.Vector3iVector(faces.astype(np.int32)))

        def mine():
            said = ours("reduce", OUT / "surface.mesh", TRIANGLES, OUT / "reduced.mesh")
            return said["seconds"], read_mesh(OUT / "reduced.mesh")

        def theirs():
            seconds, made = timed(lambda: mesh.simplify_quadric_decimation(TRIANGLES))
            return seconds, (np.asarray(made.vertices), np.asarray(made.triangles))

        return self.row(f"{len(faces):,} → 50,000 triangles", "Open3D 0.20", *self.alternate(mine, theirs))

    def row(self, what, baseline, mine, theirs, made, other):
        errors = [f"{distance(*mesh, self.tree, self.diagonal):.3f} %" for mesh in (made, other)]
        return [what, baseline, f"{mine:.2f}", f"{theirs:.2f}", f"{theirs / mine:.1f}", f"{len(made[1]):,}, {errors[0]}", f"{len(other[1]):,}, {errors[1]}"]

    def charts(self):
        vertices, faces = read_mesh(OUT / "reduced.mesh")

        def mine():
            said = ours("charts", OUT / "reduced.mesh", 2048)
            return said["seconds"], said

        def theirs():
            def unwrap():
                atlas = xatlas.Atlas()
                atlas.add_mesh(vertices, faces)
                options = xatlas.PackOptions()
                options.resolution, options.padding = 2048, 2
                atlas.generate(pack_options=options)
                return atlas

            seconds, atlas = timed(unwrap)
            return seconds, atlas

        mine_seconds, theirs_seconds, made, atlas = self.alternate(mine, theirs)
        cells = f"{made['charts']} charts, {100 * made['used']:.0f} % used", f"{atlas.chart_count} charts, {100 * atlas.utilization:.0f} % used"
        return ["charts and packing, 50,000 triangles", "xatlas", f"{mine_seconds:.2f}", f"{theirs_seconds:.2f}", f"{theirs_seconds / mine_seconds:.1f}", *cells]

    def depth(self):
        """Depth has no counterpart in a package: the limit is the share of `reduced`'s six seconds a photo that it may take, two thirds."""
        said = [ours("depth") for _ in range(self.rounds)]
        seconds = statistics.median(s["seconds"] for s in said)
        pixels, known, right = said[-1]["pixels"], said[-1]["known"], said[-1]["right"]
        what = f"depth of a photo of 1,024 × 768 from six others: {known / seconds:,.0f} points per second"
        found = f"{100 * known / pixels:.0f} % known, {100 * right / pixels:.0f} % within 0.2 %; {said[-1]['ns_a_comparison']:.0f} ns a bare comparison"
        return [what, "limit", f"{seconds:.2f}", f"{DEPTH_LIMIT:.2f}", f"{DEPTH_LIMIT / seconds:.1f}", found, ""]


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/stages.sh", description="Measures stages of a reconstruction beside other programs.")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is run, in turn; medians count (default 3)")
    parser.add_argument("--write", action="store_true", help="put the table into docs/measurements/speed.md")
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    stages = Stages(options.rounds)
    rows = [stages.poisson(), stages.reduction(), stages.charts(), stages.depth()]
    heads = ["stage", "baseline", "Vitrine, s", "baseline, s", "baseline ÷ Vitrine", "result of Vitrine", "result of the baseline"]
    lines = ["| " + " | ".join(heads) + " |", "| --- | --- | ---: | ---: | ---: | --- | --- |", *("| " + " | ".join(row) + " |" for row in rows)]
    print("\n".join(lines))
    if options.write:
        write_section(ROOT / "docs/measurements/speed.md", "stages", "\n".join(lines))


main()
