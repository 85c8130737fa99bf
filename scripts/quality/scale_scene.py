#!/usr/bin/env python3
"""Photos of one large textured scene with exact cameras: a square with buildings, filmed by a camera that flies over it in a meander.

    scripts/quality/scale_scene.py PHOTOS FOLDER [--size 640x480] [--strangers N] [--processes N]

The scene is as large as the number of photos needs: each photo overlaps about the same number of others, as in photos of a long façade or a district.
FOLDER gets images/NNNN.jpg and cameras.json (x ~ K(RX + t), x right, y down, z forward, the first pixel's centre at (0.5, 0.5)). Needs numpy and Pillow.
--strangers adds photos of other places, each of its own, which no program can align with the others: cameras.json does not have them.
Every pixel is a ray that is intersected with the ground and with boxes; colours are noise of several octaves in the surface's own coordinates. The
same arguments give the same pixels.
"""
import argparse
import json
import multiprocessing
import pathlib

import numpy as np
from PIL import Image

HEIGHT = 12.0  # of the camera over the ground, metres
STEP = 2.2  # between photos of a lane
LANE = 3.6  # between lanes
CELL = 5.0  # a building for each cell


def hash01(terms):
    """Noise of lattice points, 0…1, from the sum of their multiplied coordinates and seeds."""
    h = (terms ^ (terms >> np.uint32(13))) * np.uint32(1274126177)
    return ((h ^ (h >> np.uint32(16))) & np.uint32(0xFFFF)).astype(np.float32) / 65535


def noise(u, v, seed):
    x, y = np.floor(u), np.floor(v)
    fx, fy = (u - x).astype(np.float32), (v - y).astype(np.float32)
    fx, fy = fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)
    along, across = np.uint32(374761393), np.uint32(668265263)
    corner = x.astype(np.int64).astype(np.uint32) * along + y.astype(np.int64).astype(np.uint32) * across + seed * np.uint32(2246822519)
    a, b, c, d = hash01(corner), hash01(corner + along), hash01(corner + across), hash01(corner + along + across)
    return (a + (b - a) * fx) * (1 - fy) + (c + (d - c) * fx) * fy


def texture(u, v, seed):
    """Grey values at coordinates of surfaces, one seed (UInt32) for each."""
    value = np.zeros(u.shape, np.float32)
    weight = 0.0
    for octave, amount in ((0.7, 0.6), (2.3, 0.8), (6.1, 1.0), (14.0, 1.0), (31.0, 0.8)):
        value += amount * noise(u * octave, v * octave, seed)
        weight += amount
        seed = seed + np.uint32(17)
    # Contrast as of gravel, brick and plaster.
    return np.clip(0.5 + 2.1 * (value / weight - 0.5), 0, 1)


def path(count):
    """Positions and headings of a meander over a nearly square area."""
    lanes = max(1, round((count * STEP / LANE) ** 0.5))
    per_lane = -(-count // lanes)
    random = np.random.default_rng(7)
    poses = []
    for index in range(count):
        lane, place = divmod(index, per_lane)
        forth = lane % 2 == 0
        x = (place if forth else per_lane - 1 - place) * STEP
        position = np.array([x, HEIGHT, lane * LANE]) + random.normal(0, [0.25, 0.4, 0.25])
        # Oblique, forward and to the sides in turn.
        yaw = (0 if forth else np.pi) + random.normal(0, 0.12) + (index % 3 - 1) * 0.35
        pitch = np.radians(55) + random.normal(0, 0.06)
        poses.append((position, yaw, pitch, random.normal(0, 0.03)))
    return poses


def rotation(yaw, pitch, roll):
    """Camera from world: x right, y down, z forward; the world has y up."""
    forward = np.array([np.cos(yaw) * np.cos(pitch), -np.sin(pitch), np.sin(yaw) * np.cos(pitch)])
    right = np.cross(forward, [0, 1, 0])
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    R = np.stack([right, down, forward])
    c, s = np.cos(roll), np.sin(roll)
    return np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ R


def boxes(low, high):
    """The buildings whose cells touch the area: minimum and maximum corners and a seed each."""
    x0, z0 = np.floor(low / CELL).astype(int)
    x1, z1 = np.ceil(high / CELL).astype(int)
    found = []
    for i in range(x0, x1 + 1):
        for j in range(z0, z1 + 1):
            random = np.random.default_rng([(i + 4096), (j + 4096), 3])
            if random.random() < 0.25:
                continue
            size = random.uniform(1.2, 3.4, 2)
            center = (np.array([i, j]) + 0.5) * CELL + random.uniform(-0.6, 0.6, 2)
            height = random.uniform(0.6, 5.0)
            found.append((np.array([center[0] - size[0] / 2, 0, center[1] - size[1] / 2]), np.array([center[0] + size[0] / 2, height, center[1] + size[1] / 2]), int(random.integers(1 << 20))))
    return found


def render(position, R, K, width, height, number):
    ys, xs = np.mgrid[0:height, 0:width]
    local = np.stack([(xs + 0.5 - K[0, 2]) / K[0, 0], (ys + 0.5 - K[1, 2]) / K[1, 1], np.ones(xs.shape)], -1)
    rays = (local @ R).reshape(-1, 3)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.where(rays[:, 1] < -1e-6, -position[1] / rays[:, 1], np.inf)
        seeds = np.full(distance.shape, 1, np.int64)
        face = np.full(distance.shape, 1, np.int8)
        reach = np.where(np.isfinite(distance), np.minimum(distance, 80), 80)[:, None] * rays[:, [0, 2]] + position[[0, 2]]
        inverse = 1 / rays
        pixels = np.arange(len(rays)).reshape(height, width)
        for low, high, seed in boxes(reach.min(0) - 1, reach.max(0) + 1):
            # The rays around the box only.
            corners = np.array(np.meshgrid(*zip(low, high))).reshape(3, 8).T
            seen = (corners - position) @ R.T @ K.T
            part = pixels
            if (seen[:, 2] > 0.1).all():
                place = seen[:, :2] / seen[:, 2:]
                (left, top), (right, bottom) = np.maximum(0, np.floor(place.min(0)).astype(int) - 1), np.maximum(0, np.ceil(place.max(0)).astype(int) + 1)
                part = pixels[top:bottom, left:right]
            part = part.ravel()
            a, b = (low - position) * inverse[part], (high - position) * inverse[part]
            near, far = np.minimum(a, b), np.maximum(a, b)
            enter, leave = near.max(1), far.min(1)
            hit = (enter > 0) & (enter < leave) & (enter < distance[part])
            distance[part[hit]] = enter[hit]
            seeds[part[hit]] = seed
            face[part[hit]] = near[hit].argmax(1)
    sky = ~np.isfinite(distance) | (distance > 80)
    distance = np.where(sky, 1, distance)
    points = position + rays * distance[:, None]
    u = np.where(face == 0, points[:, 2], points[:, 0])
    v = np.where(face == 1, points[:, 2], points[:, 1])
    kinds, kind = np.unique(seeds * 3 + face, return_inverse=True)
    tints = np.array([np.random.default_rng(int(seed)).uniform(0.7, 1.0, 3) * (0.8, 1.0, 0.62)[seed % 3] for seed in kinds], np.float32)
    color = texture(u + 1000, v + 1000, kinds[kind].astype(np.uint32))[:, None] * tints[kind]
    color[sky] = (0.7, 0.8, 0.9)
    noisy = color * 235 + 10 + np.random.default_rng(number).normal(0, 1.5, color.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8).reshape(height, width, 3)


def write(work):
    """Renders a photo and stores it; `work` is the file and the arguments of `render`."""
    file, *view = work
    Image.fromarray(render(*view)).save(file, quality=93)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("photos", type=int)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--size", default="640x480")
    parser.add_argument("--strangers", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    focal = 0.95 * width
    K = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])
    (options.folder / "images").mkdir(parents=True, exist_ok=True)
    cameras, photos = [], []
    for number, (position, yaw, pitch, roll) in enumerate(path(options.photos)):
        R = rotation(yaw, pitch, roll)
        name = f"{number:04}.jpg"
        photos.append((options.folder / "images" / name, position, R, K, width, height, number))
        cameras.append({"image": name, "width": width, "height": height, "K": K.tolist(), "R": R.tolist(), "t": (-R @ position).tolist()})
    for number in range(options.strangers):
        position = np.array([-2000.0 - 60 * number, HEIGHT, 0])
        turned = rotation(0.4 * number, np.radians(55), 0)
        photos.append((options.folder / "images" / f"stranger-{number:02}.jpg", position, turned, K, width, height, options.photos + number))
    with multiprocessing.Pool(options.processes) as pool:
        pool.map(write, photos, chunksize=1)
    (options.folder / "cameras.json").write_text(json.dumps({"cameras": cameras}))


if __name__ == "__main__":
    main()
