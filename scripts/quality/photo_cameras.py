"""Cameras of a photo set: truth from cameras.json, ours and the peer's from a COLMAP text model; and how far they are apart."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass
class Camera:
    """x ~ K(RX + t) with OpenCV axes; `distortion` is k1, k2, p1, p2, k3."""

    size: tuple
    K: np.ndarray
    R: np.ndarray
    t: np.ndarray
    distortion: np.ndarray

    @property
    def center(self):
        return -self.R.T @ self.t

    def within(self, longest):
        """The camera of the photo made smaller, its longer side at most `longest` pixels."""
        width, height = self.size
        scale = min(1, longest / max(width, height))
        size = round(width * scale), round(height * scale)
        K = np.diag([size[0] / width, size[1] / height, 1]) @ self.K
        return Camera(size, K, self.R, self.t, self.distortion)


def truth(folder):
    cameras = {}
    for entry in json.loads((folder / "cameras.json").read_text())["cameras"]:
        lens = entry.get("distortion") or entry.get("dist") or []
        if isinstance(lens, dict):
            lens = [lens.get(k, 0) for k in ("k1", "k2", "p1", "p2", "k3")]
        lens = np.resize(np.array(list(lens)[:5] + [0] * (5 - len(list(lens)[:5])), float), 5)
        stem = Path(entry["image"]).stem
        cameras[stem] = Camera(
            (entry["width"], entry["height"]), np.array(entry["K"], float), np.array(entry["R"], float), np.array(entry["t"], float).ravel(), lens
        )
    return cameras


# focal, centre and lens parameters of COLMAP's models, as places in PARAMS: fx, fy, cx, cy, then k1, k2, p1, p2, k3.
MODELS = {
    "SIMPLE_PINHOLE": ((0, 0, 1, 2), ()),
    "PINHOLE": ((0, 1, 2, 3), ()),
    "SIMPLE_RADIAL": ((0, 0, 1, 2), (3,)),
    "RADIAL": ((0, 0, 1, 2), (3, 4)),
    "OPENCV": ((0, 1, 2, 3), (4, 5, 6, 7)),
    "FULL_OPENCV": ((0, 1, 2, 3), (4, 5, 6, 7, 8)),
}


def colmap(folder):
    def rows(name):
        return [line for line in (folder / name).read_text().splitlines() if not line.startswith("#")]

    lenses = {}
    for line in rows("cameras.txt"):
        if not line.strip():
            continue
        number, model, width, height, *values = line.split()
        values = [float(v) for v in values]
        (fx, fy, cx, cy), places = MODELS[model]
        K = np.array([[values[fx], 0, values[cx]], [0, values[fy], values[cy]], [0, 0, 1]])
        lenses[number] = (int(width), int(height)), K, np.array([values[i] for i in places] + [0.0] * (5 - len(places)))
    cameras = {}
    # Two lines a photo: pose and name, then its points (possibly none).
    for line in rows("images.txt")[::2]:
        if not line.strip():
            continue
        _, w, x, y, z, tx, ty, tz, lens, name = line.split(maxsplit=9)
        size, K, distortion = lenses[lens]
        cameras[Path(name).stem] = Camera(size, K, rotation(*map(float, (w, x, y, z))), np.array([float(tx), float(ty), float(tz)]), distortion)
    return cameras


def rotation(w, x, y, z):
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def similarity(source, target):
    """scale, R, t with target ≈ scale · R · source + t (Umeyama 1991)."""
    a, b = np.asarray(source), np.asarray(target)
    ma, mb = a.mean(0), b.mean(0)
    U, S, Vt = np.linalg.svd((b - mb).T @ (a - ma) / len(a))
    D = np.diag([1, 1, np.sign(np.linalg.det(U @ Vt))])
    R = U @ D @ Vt
    scale = np.trace(np.diag(S) @ D) / ((a - ma) ** 2).sum() * len(a)
    return scale, R, mb - scale * R @ ma


def compare(found, true):
    """Scores and the similarity that takes the found world to the true one."""
    names = sorted(set(found) & set(true))
    if len(names) < 3:
        return {"registered": len(names), "photos": len(true)}, None
    scale, R, t = similarity([found[n].center for n in names], [true[n].center for n in names])
    gaps = np.array([np.linalg.norm(scale * R @ found[n].center + t - true[n].center) for n in names])
    turns = []
    for n in names:
        cosine = (np.trace(true[n].R.T @ found[n].R @ R.T) - 1) / 2
        turns.append(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
    centers = np.array([true[n].center for n in names])
    extent = np.linalg.norm(centers.max(0) - centers.min(0))
    # A rotation common to all photos comes from an unknown principal point and is not an error of the model: shown separately.
    relative = []
    for a, b in zip(names, names[1:]):
        D = (true[b].R @ true[a].R.T).T @ (found[b].R @ found[a].R.T)
        relative.append(np.degrees(np.arccos(np.clip((np.trace(D) - 1) / 2, -1, 1))))
    focal = [found[n].K[0, 0] / true[n].K[0, 0] * true[n].size[0] / found[n].size[0] - 1 for n in names]
    return {
        "registered": len(names),
        "photos": len(true),
        "rotation": float(np.mean(turns)),
        "rotation_max": float(np.max(turns)),
        "neighbour_rotation": float(np.mean(relative)),
        "position_percent": float(100 * np.sqrt((gaps**2).mean()) / extent),
        "focal_percent": float(100 * np.mean(focal)),
    }, (scale, R, t)
