"""Prints the exact reflectances that Tests/VitrinePathTracerTests/ExactLobeTests.swift compares the path tracer's lobes with.

    .build/quality-venv/bin/python scripts/quality/lobe_albedo.py

A row is a lobe of lobe_rows.py at a roughness and the cosine of the viewer: reflected light of white light from everywhere, and of light that grows
towards the mirrored side (the square of the direction's component there), three channels each.
"""

import lobe_rows
import numpy
from lobe_surface import Surface, dot

SAMPLES = 1 << 20
COSINES = [0.3, 0.8]


class Even:
    """Random numbers for a lobe's samples: an even lattice for its direction, a generator for the rest."""

    def __init__(self, count):
        self.source, self.calls, self.index = numpy.random.default_rng(11), 0, numpy.arange(count)

    def one(self, step):
        self.calls += 1
        return (0.5 + 0.137 * self.calls + step * self.index) % 1

    def two(self):
        return self.one(0.7548776662466927), self.one(0.5698402909980532)

    def random(self, shape, kind=numpy.float64):
        return self.source.random(shape, kind)


def lights(l):
    return numpy.stack([numpy.ones(len(l)), numpy.maximum(-l[:, 0], 0) ** 2], -1)


def reflectances(surface, cosine):
    """Two lights times three channels."""
    random = Even(SAMPLES)
    v = numpy.tile(numpy.array([(1 - cosine**2) ** 0.5, 0, cosine], numpy.float32), (SAMPLES, 1))
    total = numpy.zeros((2, 3))
    for strategy in surface.strategies:
        l = strategy.draw(v, random)
        up = l[:, 2] > 1e-5
        l[:, 2] = numpy.maximum(l[:, 2], 1e-5)
        value = surface.reflected(v, l) / sum(s.density(v, l) for s in surface.strategies)[:, None]
        total += lights(l).T @ numpy.where(up[:, None], value, 0)
    l, share = surface.scattered_again(v, random)
    if l is not None:
        total += lights(l).T @ share
    return total / SAMPLES


def main():
    for row in lobe_rows.ROWS:
        if "glass" in row.name and "film" not in row.name or row.name == "dispersion":
            continue
        for index in range(1, lobe_rows.COUNT):
            surface = Surface(row.materials[index])
            for cosine in COSINES:
                even, side = reflectances(surface, cosine)
                numbers = ", ".join(f"{value:.4f}" for value in [*even, *side])
                print(f'("{row.name}", {row.values[index]:g}, {cosine}, [{numbers}]),')


main()
