"""How long a mesh takes to read in each format, by Vitrine and by the libraries that people use from Python."""

import statistics

import glb
from programs import BASELINES, ROOT, Failed, call

ROUNDS = 5
# Name in the table, extension, how it is written, and which libraries read it.
FORMATS = [
    ("GLB", "glb", [], ("trimesh", "assimp")),
    ("glTF", "gltf", [], ("trimesh", "assimp")),
    ("GLB, Draco", "draco.glb", ["--compress=draco"], ("trimesh", "assimp")),
    ("GLB, meshopt", "meshopt.glb", ["--compress=meshopt"], ("trimesh", "assimp")),
    ("OBJ", "obj", [], ("trimesh", "assimp")),
    ("PLY", "ply", [], ("trimesh", "assimp")),
    ("STL", "stl", [], ("trimesh", "assimp")),
    ("USDZ", "usdz", [], ("OpenUSD",)),
    ("DAE", "dae", [], ("trimesh", "assimp")),
]
LIBRARIES = ("trimesh", "assimp", "OpenUSD")


def formats(bench):
    ball = bench.folder / "ball.glb"
    glb.one_mesh(ball, *glb.sphere(224), {"pbrMetallicRoughness": {"metallicFactor": 0}})
    for name, model in (("DamagedHelmet", bench.helmet()), ("A ball", ball)):
        folder = bench.folder / f"formats-{model.stem}"
        folder.mkdir(exist_ok=True)
        files = {}
        for title, ending, options, _ in FORMATS:
            files[title] = folder / f"model.{ending}"
            call([bench.vitrine, "convert", model, files[title], *options])
        compare(bench, name, files)


def compare(bench, name, files):
    true, _ = inspect(bench, files["GLB"])
    times, failed = {}, {}
    for turn in range(ROUNDS):
        times_of_vitrine(bench, files, true, times)
        for library in LIBRARIES:
            times_of(library, files, true, times, failed)
        print(f"  {name}: round {turn + 1} of {ROUNDS}", flush=True)
    rows = []
    for title, ending, _, _ in FORMATS:
        own = times[title, "Vitrine"]
        row = [title, f"{size_of(files[title]) / 1e6:.1f}", f"{statistics.median(own):.1f}"]
        for library in LIBRARIES:
            values = times.get((title, library))
            if values:
                # Vitrine's time is a difference, too unsteady for the ratio of each round.
                middle = statistics.median(values)
                row.append(f"{middle:.1f} ({middle / statistics.median(own):.1f})")
            else:
                row.append("wrong" if failed.get((title, library)) == "wrong" else "no")
        rows.append(row)
    triangles = true["counts"]["triangles"]
    header = ["format", "MB", "Vitrine, ms", *(f"{library}, ms (÷ Vitrine)" for library in LIBRARIES)]
    bench.add_rows(f"Reading {name}, {triangles:,} triangles, images not decoded (median of {ROUNDS})", header, rows)


def size_of(path):
    """Of the model's file, and of the .bin that stands beside a .gltf."""
    beside = path.with_suffix(".bin")
    return path.stat().st_size + (beside.stat().st_size if path.suffix == ".gltf" and beside.exists() else 0)


def inspect(bench, path):
    """Vitrine's contents of the file, and the lesser of two times: a process's start is many small things that only ever take longer."""
    runs = [call([bench.vitrine, "inspect", path, "--json"]) for _ in range(2)]
    return runs[0].report["model"], min(run.wall_ms for run in runs)


def times_of_vitrine(bench, files, true, times):
    """In the process by `vitrine-measure` where that is built; else what `vitrine inspect` takes longer than for a file of one triangle."""
    measure = ROOT / ".build/benchmarks/release/vitrine-measure"
    triangle = bench.folder / "triangle.glb"
    if not triangle.exists():
        corners = [[0, 0, 0, 0, 0, 1, 0, 0], [1, 0, 0, 0, 0, 1, 1, 0], [0, 1, 0, 0, 0, 1, 0, 1]]
        glb.one_mesh(triangle, corners, [0, 1, 2], {})
    for title, path in files.items():
        found, time = inspect(bench, path)
        if not same(true, found["counts"]["triangles"], found["bounds"]["size"]):
            raise Failed(f"Vitrine read something else from {path.name}")
        if measure.exists():
            time = call([measure, "parse", path]).report["ms"]["median"]
        else:
            # One right after the other, so that both have the same neighbours.
            time -= inspect(bench, triangle)[1]
        times.setdefault((title, "Vitrine"), []).append(max(time, 0.1))


def times_of(library, files, true, times, failed):
    python = BASELINES / "venv/bin/python"
    mine = [title for title, _, _, readers in FORMATS if library in readers and (title, library) not in failed]
    if not mine or not python.exists():
        return
    report = call([python, ROOT / "Benchmarks/baselines/read.py", library, *(files[title] for title in mine)]).report
    for title in mine:
        result = report[files[title].name]
        if "failed" not in result and not same(true, result["triangles"], result["size"]):
            result = {"failed": "wrong"}
        if "failed" in result:
            failed[title, library] = result["failed"]
            print(f"bench: {library}, {title}: {result['failed']}", flush=True)
        else:
            times.setdefault((title, library), []).append(result["ms"])


def same(true, triangles, size):
    """Whether all of the mesh was read. Draco and meshopt round positions; the other programs report sizes before a node rotates the mesh upright."""
    pairs = zip(sorted(size), sorted(true["bounds"]["size"]))
    return triangles == true["counts"]["triangles"] and all(abs(a - b) < 2e-3 for a, b in pairs)
