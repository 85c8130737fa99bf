"""The textured model drawn, unlit, from a photo's camera by ray casting; compared with the photo."""

import numpy as np
import open3d as o3d
import trimesh
from PIL import Image
from scipy.ndimage import binary_erosion, gaussian_filter, map_coordinates
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
        image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
        self.texture = np.asarray(image.convert("RGB"), np.float32) / 255
        self.uv = np.asarray(self.mesh.visual.uv, np.float64)
        self.scene = photo_surface.caster(self.mesh)

    def draw(self, camera, model_from_true, shift=None):
        """Colour (h, w, 3) and hit mask, seen from a camera given in the true world; `shift` (3, 3) says where in its image the pixels lie."""
        scale, R, t = model_from_true
        width, height = camera.size
        x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
        pixel = np.stack([x.ravel(), y.ravel(), np.ones(x.size)], 1)
        if shift is not None:
            pixel = pixel @ shift.T
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


def resized_photo(path, size, mode="RGB"):
    """A photo at another size: each pixel the mean of those that it covers."""
    photo = Image.open(path).convert(mode)
    return photo if photo.size == tuple(size) else photo.resize(size, Image.Resampling.BOX)


def compare(drawn, hit, photo_path, keep=None):
    """PSNR and SSIM on the pixels that the model covers (and `keep`, where the object's mask is known)."""
    height, width = hit.shape
    photo = np.asarray(resized_photo(photo_path, (width, height)), np.float32) / 255
    mask = hit if keep is None else hit & keep
    if mask.sum() < 100:
        return None
    error = ((drawn - photo)[mask] ** 2).mean()
    _, full = structural_similarity(np.where(mask[..., None], drawn, 0), np.where(mask[..., None], photo, 0), channel_axis=2, data_range=1, full=True)
    result = {"psnr": float(-10 * np.log10(max(error, 1e-10))), "ssim": float(full[mask].mean())}
    if keep is not None:
        result["covered"] = float(mask.sum() / max(1, keep.sum()))
    return result


def registration(drawn, hit, photo_path, keep=None):
    """Where in the drawn image the photo's pixels lie: an affine map (3, 3), by Gauss–Newton on grey values of equal mean and spread, coarse to fine.

    Found cameras agree with true ones up to an ambiguity of photos: an object a little further along the axis of a ring of cameras, with all
    cameras turned to match and the principal point moved, looks the same in all photos. In a true camera that is a shift of some pixels, which
    is not an error of the texture. None where the map found moves a corner by more than a fiftieth of the image.
    """
    height, width = hit.shape
    photo = np.asarray(resized_photo(photo_path, (width, height), "L"), np.float64) / 255
    ours = drawn @ np.array([0.299, 0.587, 0.114])
    mask = binary_erosion(hit if keep is None else hit & keep, iterations=4)
    if mask.sum() < 1000:
        return None
    middle, unit = np.array([height, width]) / 2, max(height, width) / 2
    # Affine: ours at A (1, v, u) is the photo at (v, u); rows and columns about the middle.
    A = np.array([[0.0, 1, 0], [0, 0, 1]])
    for blur in (8, 4, 2, 1):
        weight = gaussian_filter(mask.astype(float), blur) + 1e-3
        smooth = gaussian_filter(np.where(mask, ours, 0), blur) / weight
        target = gaussian_filter(np.where(mask, photo, 0), blur) / weight
        slopes = np.gradient(smooth)
        step = max(1, blur // 2)
        rows, columns = np.nonzero(mask)
        chosen = (rows % step == 0) & (columns % step == 0)
        rows, columns = rows[chosen], columns[chosen]
        place = np.stack([np.ones(len(rows)), (rows - middle[0]) / unit, (columns - middle[1]) / unit])
        wanted = target[rows, columns]
        for _ in range(12):
            at = (A @ place) * unit + middle[:, None]
            value, dv, du = (map_coordinates(p, at, order=1, mode="nearest") for p in (smooth, *slopes))
            gain = wanted.std() / max(1e-6, value.std())
            error = (value - value.mean()) * gain - (wanted - wanted.mean())
            # Huber: what differs much is another thing, not another place.
            trust = 1 / np.maximum(1, np.abs(error) / max(1e-6, 1.5 * np.median(np.abs(error))))
            J = np.concatenate([place * dv, place * du]) * (gain * unit)
            change = np.linalg.lstsq((J * trust) @ J.T + 1e-9 * np.eye(6), (J * trust) @ error, rcond=None)[0].reshape(2, 3)
            A -= change
            if np.abs(change).max() * unit < 0.01:
                break
    corners = np.array([[1, v, u] for v in (-1, 1) for u in (-1, 1)]) * [1, middle[0] / unit, middle[1] / unit]
    if np.linalg.norm(corners @ A.T - corners[:, 1:], axis=1).max() * unit > 0.02 * max(height, width):
        return None
    # From (row, column) about the middle to (x, y, 1) in pixels with their centres at halves.
    full = np.array([[A[1, 2], A[1, 1], A[1, 0] * unit], [A[0, 2], A[0, 1], A[0, 0] * unit], [0, 0, 1]])
    move = np.array([[1, 0, middle[1] + 0.5], [0, 1, middle[0] + 0.5], [0, 0, 1]])
    return move @ full @ np.linalg.inv(move)


def compare_registered(model, camera, model_from_true, photo_path, keep=None):
    """The image, and `compare` of it after registration; `unmoved` is the PSNR without that."""
    drawn, hit = model.draw(camera, model_from_true)
    score = compare(drawn, hit, photo_path, keep)
    if score is None:
        return drawn, None
    score["unmoved"] = score["psnr"]
    shift = registration(drawn, hit, photo_path, keep)
    if shift is not None:
        moved, hit = model.draw(camera, model_from_true, shift)
        better = compare(moved, hit, photo_path, keep)
        # A map that makes it worse is lost, not found.
        if better and better["psnr"] > score["psnr"]:
            return moved, {**better, "unmoved": score["psnr"]}
    return drawn, score


def side_by_side(photo_path, drawn, out):
    ours = Image.fromarray((np.clip(drawn, 0, 1) * 255 + 0.5).astype(np.uint8))
    photo = resized_photo(photo_path, ours.size)
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
    return np.asarray(resized_photo(path, camera.size, "L")) > 127 if path else None
