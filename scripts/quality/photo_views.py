"""The textured model drawn, unlit, from a photo's camera by ray casting; compared with the photo."""

import numpy as np
import open3d as o3d
import trimesh
from PIL import Image
from skimage.metrics import structural_similarity

import photo_surface


def undistorted(points, lens):
    """Normalized image coordinates without the lens's distortion (fixed point)."""
    k1, k2, p1, p2, k3 = lens
    target, guess = points, points.copy()
    for _ in range(20):
        x, y = guess[:, 0], guess[:, 1]
        r = x * x + y * y
        f = 1 + r * (k1 + r * (k2 + r * k3))
        bent = np.stack([x * f + 2 * p1 * x * y + p2 * (r + 2 * x * x), y * f + p1 * (r + 2 * y * y) + 2 * p2 * x * y], 1)
        guess = guess - (bent - target)
    return guess


class TexturedModel:
    """A GLB or OBJ of one textured mesh."""

    def __init__(self, path):
        loaded = trimesh.load(path, process=False)
        meshes = [g for g in (loaded.dump() if hasattr(loaded, "dump") else [loaded]) if len(g.faces)]
        self.mesh = max(meshes, key=lambda m: len(m.faces))
        material = self.mesh.visual.material
        picture = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
        self.texture = np.asarray(picture.convert("RGB"), np.float32) / 255
        self.uv = np.asarray(self.mesh.visual.uv, np.float64)
        self.scene = photo_surface.caster(self.mesh)

    def draw(self, camera, model_from_true):
        """Colour (h, w, 3) and hit mask, seen from a camera given in the true world."""
        scale, R, t = model_from_true
        width, height = camera.size
        x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
        pixel = np.stack([x.ravel(), y.ravel(), np.ones(x.size)], 1)
        normalized = (pixel @ np.linalg.inv(camera.K).T)[:, :2]
        if np.any(camera.distortion):
            normalized = undistorted(normalized, camera.distortion)
        rays = np.hstack([normalized, np.ones((len(normalized), 1))]) @ camera.R @ R.T
        origin = np.broadcast_to(scale * R @ camera.center + t, rays.shape)
        hit = self.scene.cast_rays(o3d.core.Tensor(np.hstack([origin, rays]).astype(np.float32)))
        face = hit["primitive_ids"].numpy().astype(np.int64)
        found = np.isfinite(hit["t_hit"].numpy())
        corner = np.asarray(self.mesh.faces)[np.where(found, face, 0)]
        b, c = hit["primitive_uvs"].numpy().T.astype(np.float64)
        uv = self.uv[corner[:, 0]] * (1 - b - c)[:, None] + self.uv[corner[:, 1]] * b[:, None] + self.uv[corner[:, 2]] * c[:, None]
        color = self.sample(uv) * found[:, None]
        return color.reshape(height, width, 3), found.reshape(height, width)

    def sample(self, uv):
        """Bilinear; trimesh's v points up."""
        rows, columns = self.texture.shape[:2]
        x = np.clip(uv[:, 0] * columns - 0.5, 0, columns - 1.001)
        y = np.clip((1 - uv[:, 1]) * rows - 0.5, 0, rows - 1.001)
        i, j = x.astype(int), y.astype(int)
        fx, fy = (x - i)[:, None], (y - j)[:, None]
        T = self.texture
        return (T[j, i] * (1 - fx) + T[j, i + 1] * fx) * (1 - fy) + (T[j + 1, i] * (1 - fx) + T[j + 1, i + 1] * fx) * fy


def compare(drawn, hit, photo_path, keep=None):
    """PSNR and SSIM on the pixels that the model covers (and `keep`, where the object's mask is known)."""
    photo = np.asarray(Image.open(photo_path).convert("RGB"), np.float32) / 255
    mask = hit if keep is None else hit & keep
    if mask.sum() < 100:
        return None
    error = ((drawn - photo)[mask] ** 2).mean()
    _, full = structural_similarity(np.where(mask[..., None], drawn, 0), np.where(mask[..., None], photo, 0), channel_axis=2, data_range=1, full=True)
    result = {"psnr": float(-10 * np.log10(max(error, 1e-10))), "ssim": float(full[mask].mean())}
    if keep is not None:
        result["covered"] = float(mask.sum() / max(1, keep.sum()))
    return result


def side_by_side(photo_path, drawn, out):
    photo = Image.open(photo_path).convert("RGB")
    ours = Image.fromarray((np.clip(drawn, 0, 1) * 255 + 0.5).astype(np.uint8))
    sheet = Image.new("RGB", (photo.width * 2, photo.height))
    sheet.paste(photo, (0, 0))
    sheet.paste(ours, (photo.width, 0))
    sheet.thumbnail((1600, 1600))
    sheet.save(out)


def object_mask(photo, camera, folder, masks, truth):
    """Where the object is in the photo, if anybody knows."""
    if truth is not None:
        width, height = camera.size
        x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
        rays = np.stack([x.ravel(), y.ravel(), np.ones(x.size)], 1) @ np.linalg.inv(camera.K).T @ camera.R
        origin = np.broadcast_to(camera.center, rays.shape)
        hit = truth.cast_rays(o3d.core.Tensor(np.hstack([origin, rays]).astype(np.float32)))["t_hit"].numpy()
        return np.isfinite(hit).reshape(height, width)
    if masks is None:
        return None
    number = int("".join(c for c in photo.stem if c.isdigit()))
    path = next((p for p in (folder / masks).iterdir() if p.stem == photo.stem or int("".join(c for c in p.stem if c.isdigit())) == number), None)
    return np.asarray(Image.open(path).convert("L")) > 127 if path else None
