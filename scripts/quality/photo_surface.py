"""How near a mesh is to the true surface: accuracy, completeness and F-score at 0.25, 0.5 and 1 % of the object's diagonal."""

import numpy as np
import open3d as o3d
import trimesh
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

THRESHOLDS = (0.25, 0.5, 1.0)


def load(path):
    return trimesh.load(path, force="mesh", process=False)


def caster(mesh):
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(o3d.core.Tensor(np.asarray(mesh.vertices, np.float32)), o3d.core.Tensor(np.asarray(mesh.faces, np.uint32)))
    return scene


def seen_by(points, scene, cameras, gap):
    """How many cameras see each point of the surface in `scene`."""
    seen = np.zeros(len(points), int)
    for camera in cameras:
        inside = points @ camera.R.T + camera.t
        pixel = inside / inside[:, 2:] @ camera.K.T
        framed = (inside[:, 2] > 0) & (pixel[:, :2] > 0).all(1) & (pixel[:, 0] < camera.size[0]) & (pixel[:, 1] < camera.size[1])
        toward = camera.center - points
        far = np.linalg.norm(toward, axis=1)
        direction = toward / far[:, None]
        rays = np.hstack([points + direction * gap, direction]).astype(np.float32)
        seen += framed & (scene.cast_rays(o3d.core.Tensor(rays))["t_hit"].numpy() > far)
    return seen


def score(path, truth_path, cameras, true_from_model):
    truth, mesh = load(truth_path), load(path)
    scale, R, t = true_from_model
    mesh.vertices = scale * np.asarray(mesh.vertices) @ R.T + t
    low, high = truth.bounds
    diagonal, middle = np.linalg.norm(high - low), (low + high) / 2
    radius = np.linalg.norm(truth.vertices - middle, axis=1).max()

    def region(points):
        """Around the object, a hand's breadth above its support: the table is not the object."""
        return (np.linalg.norm(points - middle, axis=1) < 1.05 * radius) & (points[:, 1] > low[1] + 0.02 * (high[1] - low[1]))

    candidates = trimesh.sample.sample_surface(truth, 200_000, seed=1)[0]
    candidates = candidates[region(candidates)]
    wanted = candidates[seen_by(candidates, caster(truth), cameras, 2e-3 * diagonal) >= 3]
    near = mesh.submesh([np.nonzero(region(mesh.triangles_center))[0]], append=True)
    made = trimesh.sample.sample_surface(near, 1_000_000, seed=1)[0]
    made = made[region(made)]
    dense = trimesh.sample.sample_surface(truth, 1_500_000, seed=2)[0]
    accuracy = cKDTree(dense).query(made, workers=2)[0] / diagonal * 100
    completeness = cKDTree(made).query(wanted, workers=2)[0] / diagonal * 100
    result = {"accuracy": float(np.median(accuracy)), "completeness": float(np.median(completeness))}
    for limit in THRESHOLDS:
        precision, recall = float((accuracy < limit).mean()), float((completeness < limit).mean())
        result[f"at {limit}"] = {"precision": precision, "recall": recall, "f": 2 * precision * recall / max(1e-9, precision + recall)}
    return result


def shape(path):
    """Pieces and open edges once the vertices that texture seams split are one again."""
    mesh = load(path)
    _, vertex = np.unique(np.asarray(mesh.vertices), axis=0, return_inverse=True)
    faces = vertex.ravel()[np.asarray(mesh.faces)]
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    _, uses = np.unique(edges, axis=0, return_counts=True)
    ends = coo_matrix((np.ones(len(edges)), edges.T), shape=(vertex.max() + 1,) * 2)
    return {"triangles": len(faces), "pieces": int(connected_components(ends)[0]), "boundary_edges": int((uses == 1).sum())}
