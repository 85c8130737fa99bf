#!/usr/bin/env python3
"""Photo sets of an object that is turned over between passes, with exact truth, and the score of a model made from them.

    flips.py make FOLDER [--passes upright,side,head] [--photos 18] [--size 480x360] [--no-table] [--vitrine COMMAND]
    flips.py score FOLDER MODEL.obj POSES.json [--json]

`make` renders the sample owl in each pose on the same patterned table: FOLDER/images/NUMBER.jpg in the order of the passes, cameras.json and
truth.obj in the frame of the upright object, and passes.json with the pass of each photo. `score` aligns the model by the cameras' centres
and prints accuracy, completeness and F-score at 0.25, 0.5 and 1 % of the object's diagonal over the whole surface, the same for the third
of it that faces down when the object is upright, and the number of pieces and open edges. Needs numpy and scipy.
"""
import argparse
import json
import math
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import numpy as np

THRESHOLDS = (0.25, 0.5, 1.0)


def turn(axis, degrees):
    axis, angle = np.asarray(axis, float) / np.linalg.norm(axis), math.radians(degrees)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


# Table from object: how the object lies in each pass.
POSES = {
    "upright": np.eye(3),
    "side": turn((0, 1, 0), 40) @ turn((1, 0, 0), -90),
    "head": turn((0, 1, 0), 110) @ turn((0, 0, 1), 172),
    "moved": turn((0, 1, 0), 70),
}


def turned(model, rotation):
    """The bytes of a GLB whose root nodes are turned."""
    data = model.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    content, rest = json.loads(data[20 : 20 + length]), data[20 + length :]
    scene = content["scenes"][content.get("scene", 0)]
    matrix = np.eye(4)
    matrix[:3, :3] = rotation
    content["nodes"].append({"name": "Pose", "matrix": matrix.T.ravel().tolist(), "children": scene["nodes"]})
    scene["nodes"] = [len(content["nodes"]) - 1]
    text = json.dumps(content, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + rest
    return struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body


def make(arguments):
    out = Path(arguments.folder)
    shutil.rmtree(out, ignore_errors=True)
    (out / "images").mkdir(parents=True)
    names, cameras = [], []
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        run = lambda *command: subprocess.run([arguments.vitrine, *map(str, command)], check=True, stdout=subprocess.DEVNULL)
        if arguments.model:
            model = Path(arguments.model)
        else:
            run("sample", work / "sample", "--only", "model")
            model = work / "sample" / "owl.glb"
        for index, name in enumerate(arguments.passes.split(",")):
            pose = POSES[name]
            (work / "pose.glb").write_bytes(turned(model, pose))
            table = [] if arguments.no_table else ["--table"]
            rings = ["--rings", arguments.rings] if arguments.rings else []
            run(
                "render", work / "pose.glb", "-o", work / "set", "--photoset", arguments.photos, *table, *rings, "--size", arguments.size, "--fov", 40,
                "--samples", 6, "--environment-rotation", 0)
            if index == 0:
                # The frame of the truth is that of the first pass.
                first = pose
                shutil.copy(work / "set" / "truth.obj", out / "truth.obj")
            # What the renderer moved besides the turn: nothing, if it leaves the model where it is.
            for camera in json.loads((work / "set" / "cameras.json").read_text())["cameras"]:
                number = f"{len(cameras):03d}.jpg"
                source = next((work / "set" / "images").glob(Path(camera["image"]).stem + ".*"))
                assert source.suffix == ".jpg", source
                shutil.copy(source, out / "images" / number)
                rotation = np.array(camera["R"]) @ pose @ first.T
                cameras.append({**camera, "image": "images/" + number, "R": rotation.tolist()})
                names.append(name)
            shutil.rmtree(work / "set")
    convention = "x ~ K(RX+t), OpenCV axes, frame of the object as it stands in the first pass, metres"
    (out / "cameras.json").write_text(json.dumps({"convention": convention, "cameras": cameras}, indent=1))
    (out / "passes.json").write_text(json.dumps({Path(c["image"]).name: n for c, n in zip(cameras, names)}, indent=1))
    print(f"{out}: {len(cameras)} photos in {len(arguments.passes.split(','))} passes")


def read_obj(path):
    vertices, faces = [], []
    for line in open(path):
        parts = line.split()
        if not parts:
            continue
        if parts[0] == "v":
            vertices.append([float(x) for x in parts[1:4]])
        elif parts[0] == "f":
            corners = [int(p.split("/")[0]) - 1 for p in parts[1:]]
            faces += [[corners[0], corners[k], corners[k + 1]] for k in range(1, len(corners) - 1)]
    return np.array(vertices), np.array(faces)


def samples(vertices, faces, count, seed):
    """Points evenly over the surface, with normals."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    cross = np.cross(b - a, c - a)
    area = np.linalg.norm(cross, axis=1)
    random = np.random.default_rng(seed)
    chosen = random.choice(len(faces), count, p=area / area.sum())
    u, v = random.random((2, count))
    u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
    points = a[chosen] + u[:, None] * (b - a)[chosen] + v[:, None] * (c - a)[chosen]
    return points, cross[chosen] / np.maximum(area[chosen], 1e-30)[:, None]


def similarity(source, target):
    """Scale, rotation and translation that take source points onto target points (Umeyama 1991)."""
    ms, mt = source.mean(0), target.mean(0)
    u, d, vt = np.linalg.svd((target - mt).T @ (source - ms) / len(source))
    sign = np.diag([1, 1, np.sign(np.linalg.det(u @ vt))])
    rotation = u @ sign @ vt
    scale = np.trace(np.diag(d) @ sign) * len(source) / ((source - ms) ** 2).sum()
    return scale, rotation, mt - scale * rotation @ ms


def alignment(centers, true_centers, passes):
    """By all cameras if they agree to 5 % of the ring; else by the pass with the most photos: the model is in pieces, or of one pass."""
    found = similarity(centers, true_centers)
    error = np.linalg.norm(found[0] * centers @ found[1].T + found[2] - true_centers, axis=1)
    if np.median(error) < 0.05 * np.linalg.norm(true_centers - true_centers.mean(0), axis=1).mean():
        return found
    largest = max(dict.fromkeys(passes), key=passes.count)
    chosen = [i for i, name in enumerate(passes) if name == largest]
    return similarity(centers[chosen], true_centers[chosen])


def shape(vertices, faces):
    """Pieces and open edges once the vertices that texture seams split are one again."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    _, vertex = np.unique(vertices, axis=0, return_inverse=True)
    faces = vertex.ravel()[faces]
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    _, uses = np.unique(edges, axis=0, return_counts=True)
    ends = coo_matrix((np.ones(len(edges)), edges.T), shape=(vertex.max() + 1,) * 2)
    return int(connected_components(ends)[0]), int((uses == 1).sum())


def score(arguments):
    from scipy.spatial import cKDTree

    folder = Path(arguments.folder)
    truth = {Path(c["image"]).name: c for c in json.loads((folder / "cameras.json").read_text())["cameras"]}
    passes = json.loads((folder / "passes.json").read_text())
    poses = json.loads(Path(arguments.poses).read_text())
    centers = {Path(p["name"]).name: p["position"] for p in poses["cameras"] if p.get("position")}
    used = [n for n in truth if n in centers]
    vertices, faces = read_obj(arguments.model)
    exact, exact_faces = read_obj(folder / "truth.obj")
    true_centers = np.array([-np.array(truth[n]["R"]).T @ np.array(truth[n]["t"]) for n in used])
    model_centers = np.array([centers[n] for n in used])
    scale, rotation, shift = alignment(model_centers, true_centers, [passes[n] for n in used])
    vertices = scale * vertices @ rotation.T + shift
    diagonal = np.linalg.norm(exact.max(0) - exact.min(0))
    error = np.linalg.norm(scale * model_centers @ rotation.T + shift - true_centers, axis=1)
    made, _ = samples(vertices, faces, 200_000, 1)
    wanted, normals = samples(exact, exact_faces, 200_000, 2)
    accuracy = cKDTree(samples(exact, exact_faces, 800_000, 3)[0]).query(made)[0] / diagonal * 100
    completeness = cKDTree(samples(vertices, faces, 800_000, 4)[0]).query(wanted)[0] / diagonal * 100
    pieces, open_edges = shape(vertices, faces)
    result = {
        "photos": len(used), "of": len(truth), "camera_percent": float(np.sqrt((error**2).mean()) / diagonal * 100),
        "by_pass": {p: sum(1 for n in used if passes[n] == p) for p in dict.fromkeys(passes.values())},
        "triangles": len(faces), "pieces": pieces, "open_edges": open_edges,
        "accuracy_median": float(np.median(accuracy)), "completeness_median": float(np.median(completeness)),
    }
    below = normals[:, 1] < -0.8
    for limit in THRESHOLDS:
        precision, recall = float((accuracy < limit).mean()), float((completeness < limit).mean())
        result[f"at {limit}"] = {
            "precision": precision, "recall": recall, "f": 2 * precision * recall / max(1e-9, precision + recall),
            "recall_below": float((completeness[below] < limit).mean())}
    if arguments.json:
        print(json.dumps(result))
    else:
        for key, value in result.items():
            if isinstance(value, dict):
                value = "  ".join(f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}" for k, v in value.items())
            print(f"{key:20} {value}")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
commands = parser.add_subparsers(required=True)
maker = commands.add_parser("make")
maker.add_argument("folder")
maker.add_argument("--passes", default="upright,side,head")
maker.add_argument("--photos", type=int, default=18)
maker.add_argument("--size", default="480x360")
maker.add_argument("--rings")
maker.add_argument("--model", help="a GLB; default: the sample owl")
maker.add_argument("--no-table", action="store_true")
maker.add_argument("--vitrine", default=".build/release/vitrine")
maker.set_defaults(run=make)
scorer = commands.add_parser("score")
scorer.add_argument("folder")
scorer.add_argument("model")
scorer.add_argument("poses")
scorer.add_argument("--json", action="store_true")
scorer.set_defaults(run=score)
parsed = parser.parse_args()
parsed.run(parsed)
