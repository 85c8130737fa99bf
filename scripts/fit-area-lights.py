#!/usr/bin/env python3
"""Fits linearly transformed cosines to GGX and writes Sources/VitrineRender/Lights/AreaLightTable.swift.

Heitz, Dupuy, Hill and Neubelt 2016, "Real-Time Polygonal-Light Shading with Linearly Transformed Cosines": a cosine lobe, transformed by a
matrix M, stands for D · G₂ · cosine of a microfacet surface, normalised to 1. A cell of the table holds the entries of M⁻¹ that are not 0,
divided by the middle one: (0,0), (0,2), (2,0), (2,2). Columns: perceptual roughness 0…1. Rows: √(1 − cos θ) of the view's angle, 0…1.

Needs numpy and scipy; takes a minute or two. The result is the same on every run up to the libraries' rounding.
"""

import sys

import numpy as np
from scipy.optimize import minimize

SIZE = 32
GRID = 40
# What the shader holds the width of microfacets to.
LEAST_ALPHA = 2e-3

u1, u2 = np.meshgrid((np.arange(GRID) + 0.5) / GRID, (np.arange(GRID) + 0.5) / GRID)
u1, u2 = u1.ravel(), u2.ravel()


def normalized(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def lambda_ggx(w, alpha):
    cosine2 = w[..., 2] ** 2
    return 0.5 * (np.sqrt(1 + alpha**2 * np.maximum(1 - cosine2, 0) / np.maximum(cosine2, 1e-12)) - 1)


def reflected(view, light, alpha):
    """D · G₂ · cosine / (4 cos cos), the reflection without Fresnel's factor, times the light's cosine; and the density of sampling D."""
    half = normalized(view + light)
    d = alpha**2 / (np.pi * (half[..., 2] ** 2 * (alpha**2 - 1) + 1) ** 2)
    g2 = 1 / (1 + lambda_ggx(view, alpha) + lambda_ggx(light, alpha))
    value = np.where(light[..., 2] > 0, d * g2 / (4 * view[2]), 0)
    density = d * np.abs(half[..., 2]) / np.maximum(4 * np.abs(half @ view), 1e-12)
    return value, density


def sample_ggx(view, alpha):
    radius = alpha * np.sqrt(u1 / (1 - u1))
    half = normalized(np.stack([radius * np.cos(2 * np.pi * u2), radius * np.sin(2 * np.pi * u2), np.ones_like(u1)], -1))
    return 2 * (half @ view)[:, None] * half - view


cosine_samples = np.stack([np.sqrt(u1) * np.cos(2 * np.pi * u2), np.sqrt(u1) * np.sin(2 * np.pi * u2), np.sqrt(1 - u1)], -1)


def matrix(frame, p):
    m11, m22, m13 = p
    return frame @ np.array([[m11, 0, m13], [0, m22, 0], [0, 0, 1]])


def lobe(m, w):
    inverse = np.linalg.inv(m)
    original = w @ inverse.T
    length = np.linalg.norm(original, axis=-1)
    return np.maximum(original[:, 2] / length, 0) / np.pi * abs(np.linalg.det(inverse)) / length**3


def fit(view, alpha, start, is_round):
    directions = sample_ggx(view, alpha)
    value, density = reflected(view, directions, alpha)
    weights = np.where(density > 0, value / density, 0)
    norm = weights.mean()
    mean = (weights[:, None] * directions).mean(0)
    mean[1] = 0
    z = mean / np.linalg.norm(mean)
    if is_round:
        z = np.array([0.0, 0.0, 1.0])
    frame = np.stack([np.array([z[2], 0, -z[0]]), np.array([0.0, 1.0, 0.0]), z], -1)
    value = value / norm

    def parameters(x):
        a, b, c = x
        return (np.exp(a), np.exp(a), 0.0) if is_round else (np.exp(a), np.exp(b), c)

    def error(x):
        m = matrix(frame, parameters(x))
        other = normalized(cosine_samples @ m.T)
        total = 0.0
        for w, target in [(directions, value), (other, None)]:
            ggx, d_ggx = reflected(view, w, alpha)
            ggx = ggx / norm
            ltc = lobe(m, w)
            total += np.mean(np.abs(ggx - ltc) ** 3 / np.maximum(d_ggx + ltc, 1e-12))
        return total

    best = minimize(error, start, method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-9, "maxiter": 400})
    inverse = np.linalg.inv(matrix(frame, parameters(best.x)))
    return best.x, np.array([inverse[0, 0], inverse[0, 2], inverse[2, 0], inverse[2, 2]]) / inverse[1, 1], best.fun


def table():
    cells = np.zeros((SIZE, SIZE, 4), np.float32)
    for row in range(SIZE):
        t = row / (SIZE - 1)
        cosine = max(1 - t * t, 1e-3)
        view = np.array([np.sqrt(1 - cosine**2), 0, cosine])
        start = np.zeros(3)
        for column in reversed(range(SIZE)):
            alpha = max((column / (SIZE - 1)) ** 2, LEAST_ALPHA)
            # A lobe narrows as its roughness does.
            if column < SIZE - 1:
                start[:2] += np.log(alpha / max(((column + 1) / (SIZE - 1)) ** 2, LEAST_ALPHA)) * 0.8
            start, cells[row, column], error = fit(view, alpha, start, row == 0)
        print(row, error, file=sys.stderr, flush=True)
    return cells


BASE = 22


def encoded(cells):
    """The halves as text: each entry of all cells after the other, as differences from left + above - above left. Text and file are half as large as with digits."""
    bits = cells.astype(np.float16).view(np.uint16).astype(np.int64)
    # In the order of their values.
    values = np.where(bits & 0x8000, -(bits & 0x7FFF), bits)
    around = np.zeros((SIZE + 1, SIZE + 1, 4), np.int64)
    around[1:, 1:] = values
    text = ""
    for difference in (values - around[1:, :-1] - around[:-1, 1:] + around[:-1, :-1]).transpose(2, 0, 1).ravel():
        number = 2 * int(difference) if difference >= 0 else -2 * int(difference) - 1
        while number >= BASE:
            text += chr(48 + BASE + number % BASE)
            number //= BASE
        text += chr(48 + number)
    return text


def swift(cells):
    text = encoded(cells)
    lines = [text[i : i + 128] for i in range(0, len(text), 128)]
    body = "\n".join(f"        {line}\\" for line in lines)[:-1]
    return f'''/// Linearly transformed cosines for GGX (Heitz, Dupuy, Hill and Neubelt 2016), fitted and written by `scripts/fit-area-lights.py`.
///
/// Four half floats per cell: the entries (0,0), (0,2), (2,0), (2,2) of M⁻¹, divided by the middle one. Columns go along perceptual roughness 0…1,
/// rows along √(1 − cos θ) of the view's angle.
enum AreaLightTable {{
    static let size = {SIZE}

    /// Differences from the neighbours; `words` decodes them.
    static let text: StaticString = """
{body}
        """
}}
'''


if __name__ == "__main__":
    print(swift(table()), end="")
