"""The score of a model made from rendered photos, against the exact surface and cameras. Needs numpy and scipy.

A set is a folder with images/, cameras.json, truth.obj and, for objects that are moved between passes, passes.json with the pass of each photo.
"""

import json
from pathlib import Path

import numpy as np

THRESHOLDS = (0.25, 0.5, 1.0)


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


def registered(model, truth, true_from_model):
    """The similarity refined on the surfaces (iterative closest points, point to plane): cameras half a metre from an object align it to a millimetre only."""
    from scipy.spatial import cKDTree

    scale, turn, shift = true_from_model
    exact, exact_faces = read_obj(truth)
    low, high = exact.min(0), exact.max(0)
    diagonal = np.linalg.norm(high - low)
    made = samples(*read_obj(model), 40_000, 1)[0]
    surface, normals = samples(exact, exact_faces, 200_000, 2)
    tree = cKDTree(surface)
    for _ in range(25):
        moved = scale * made @ turn.T + shift
        distance, nearest = tree.query(moved, workers=2)
        # The underside is not observed.
        near = (distance < 0.015 * diagonal) & (moved[:, 1] > low[1] + 0.02 * (high[1] - low[1]))
        points, normal = moved[near], normals[nearest[near]]
        middle = points.mean(0)
        arms = points - middle
        system = np.hstack([np.cross(arms, normal), normal, (arms * normal).sum(1)[:, None]])
        step = np.linalg.lstsq(system, ((surface[nearest[near]] - points) * normal).sum(1), rcond=None)[0]
        angle = np.linalg.norm(step[:3])
        x, y, z = step[:3] / max(angle, 1e-12)
        k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        rotation = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
        growth = 1 + step[6]
        scale, turn, shift = growth * scale, rotation @ turn, middle + growth * rotation @ (shift - middle) + step[3:6]
    return scale, turn, shift


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


def read_cameras(folder):
    """By file name: the set's true cameras."""
    return {Path(c["image"]).name: c for c in json.loads((Path(folder) / "cameras.json").read_text())["cameras"]}


def rotation_error(poses, truth, rotation):
    """The mean angle in degrees between the cameras' true viewing directions and those found, after alignment."""
    angles = []
    for name, quaternion in poses.items():
        x, y, z, w = quaternion
        # The column of the rotation matrix along which the camera looks: −Z of the pose.
        forward = -np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
        true = np.array(truth[name]["R"])[2]
        angles.append(np.degrees(np.arccos(np.clip(rotation @ forward @ true, -1, 1))))
    return float(np.mean(angles))


def score(folder, model, poses):
    """Cameras, and if there is a model, its accuracy, completeness, F-scores, recall of what faces down, pieces and open edges."""
    folder = Path(folder)
    truth = read_cameras(folder)
    passes = {name: "all" for name in truth}
    if (folder / "passes.json").exists():
        passes = json.loads((folder / "passes.json").read_text())
    found = [p for p in json.loads(Path(poses).read_text())["cameras"] if p.get("position")]
    centers = {Path(p["name"]).name: p["position"] for p in found}
    used = [n for n in truth if n in centers]
    true_centers = np.array([-np.array(truth[n]["R"]).T @ np.array(truth[n]["t"]) for n in used])
    model_centers = np.array([centers[n] for n in used])
    scale, rotation, shift = alignment(model_centers, true_centers, [passes[n] for n in used])
    exact, exact_faces = read_obj(folder / "truth.obj")
    diagonal = np.linalg.norm(exact.max(0) - exact.min(0))
    error = np.linalg.norm(scale * model_centers @ rotation.T + shift - true_centers, axis=1)
    result = {"photos": len(used), "of": len(truth), "camera_percent": float(np.sqrt((error**2).mean()) / diagonal * 100)}
    turned = {Path(p["name"]).name: p["rotation"] for p in found if p.get("rotation")}
    if turned:
        result["camera_degrees"] = rotation_error(turned, truth, rotation)
    if len(set(passes.values())) > 1:
        result["by_pass"] = {p: sum(1 for n in used if passes[n] == p) for p in dict.fromkeys(passes.values())}
    return {**result, **surface(exact, exact_faces, model, (scale, rotation, shift))} if model else result


def surface(exact, exact_faces, model, move):
    from scipy.spatial import cKDTree

    vertices, faces = read_obj(model)
    scale, rotation, shift = move
    vertices = scale * vertices @ rotation.T + shift
    diagonal = np.linalg.norm(exact.max(0) - exact.min(0))
    made, _ = samples(vertices, faces, 200_000, 1)
    wanted, normals = samples(exact, exact_faces, 200_000, 2)
    accuracy = cKDTree(samples(exact, exact_faces, 800_000, 3)[0]).query(made)[0] / diagonal * 100
    completeness = cKDTree(samples(vertices, faces, 800_000, 4)[0]).query(wanted)[0] / diagonal * 100
    pieces, open_edges = shape(vertices, faces)
    result = {
        "triangles": len(faces), "pieces": pieces, "open_edges": open_edges,
        "accuracy_median": float(np.median(accuracy)), "completeness_median": float(np.median(completeness)),
    }
    below = normals[:, 1] < -0.8
    for limit in THRESHOLDS:
        precision, recall = float((accuracy < limit).mean()), float((completeness < limit).mean())
        result[f"at {limit}"] = {
            "precision": precision, "recall": recall, "f": 2 * precision * recall / max(1e-9, precision + recall),
            "recall_below": float((completeness[below] < limit).mean())}
    return result


def show(result):
    for key, value in result.items():
        if isinstance(value, dict):
            value = "  ".join(f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}" for k, v in value.items())
        print(f"{key:20} {value}")
