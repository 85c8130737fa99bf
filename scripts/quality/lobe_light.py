"""Light from an equirectangular image, and estimates of its reflection by a surface."""

import numpy


class Samples:
    """Random numbers for rows of pixels' samples: those that decide most are spread evenly over each pixel's samples (Roberts 2018, R2)."""

    def __init__(self, pixels, seed):
        self.source = numpy.random.default_rng(seed)
        self.starts = self.source.random((pixels, 8))
        self.first = self.at_once = 0

    def take(self, at_once):
        """The next samples of every pixel are wanted: rows are pixels, each so many times."""
        self.first, self.at_once, self.used = self.first + self.at_once, at_once, 0

    def one(self, steps=0.6180339887498949):
        """A number 0…1 a row, spread evenly."""
        numbers = (self.starts[:, self.used, None] + steps * (self.first + numpy.arange(self.at_once))) % 1
        self.used += 1
        return numbers.ravel()

    def two(self):
        return self.one(0.7548776662466927), self.one(0.5698402909980532)

    def random(self, count, kind=numpy.float64):
        return self.source.random(count, kind)


class Light:
    """Radiance from all around, linear. The middle of the image lies towards +X, as glTF viewers have it."""

    def __init__(self, image):
        self.image = numpy.ascontiguousarray(image, numpy.float32)
        self.height, self.width = image.shape[:2]
        edges = numpy.cos(numpy.linspace(0, numpy.pi, self.height + 1))
        self.solid_angle = (edges[:-1] - edges[1:]) * 2 * numpy.pi / self.width
        weight = self.image.mean(-1) * self.solid_angle[:, None]
        # A tenth spread evenly: nothing that shines is never drawn.
        share = 0.9 * weight / weight.sum() + 0.1 * self.solid_angle[:, None] / (4 * numpy.pi)
        self.density = (share / self.solid_angle[:, None]).astype(numpy.float32)
        # In the order of a Z-shaped curve: neighbours in the list are neighbours in the sky.
        y, x = numpy.mgrid[0 : self.height, 0 : self.width]
        self.order = numpy.argsort(sum((x >> bit & 1) << 2 * bit | (y >> bit & 1) << 2 * bit + 1 for bit in range(12)).ravel(), kind="stable")
        self.cumulative = numpy.cumsum(share.ravel()[self.order])
        # Looked up in a table of even steps: quicker than a search.
        self.table = numpy.searchsorted(self.cumulative, (numpy.arange(1 << 22) + 0.5) / (1 << 22) * self.cumulative[-1])

    def place(self, d):
        """Column and row of directions, as fractions of texels."""
        u = (0.5 + numpy.arctan2(d[:, 2], d[:, 0]) / (2 * numpy.pi)) * self.width
        v = numpy.arccos(numpy.clip(d[:, 1], -1, 1)) / numpy.pi * self.height
        return u, v

    def radiance(self, d):
        u, v = self.place(d)
        x, y = numpy.floor(u - 0.5), numpy.floor(v - 0.5)
        fx, fy = (u - 0.5 - x)[:, None], (v - 0.5 - y)[:, None]
        left, right = x.astype(int) % self.width, (x.astype(int) + 1) % self.width
        up, down = numpy.clip(y.astype(int), 0, self.height - 1), numpy.clip(y.astype(int) + 1, 0, self.height - 1)
        p = self.image
        return (p[up, left] * (1 - fx) + p[up, right] * fx) * (1 - fy) + (p[down, left] * (1 - fx) + p[down, right] * fx) * fy

    def densities(self, d):
        """Of `draw`, a steradian."""
        u, v = self.place(d)
        return self.density[numpy.clip(v.astype(int), 0, self.height - 1), numpy.clip(u.astype(int), 0, self.width - 1)]

    def draw(self, random):
        """Directions, bright places more often."""
        places = self.order[numpy.minimum(self.table[(random.one() * len(self.table)).astype(int)], len(self.order) - 1)]
        count = len(places)
        azimuth = ((places % self.width) + random.random(count)) / self.width * 2 * numpy.pi - numpy.pi
        polar = ((places // self.width) + random.random(count)) / self.height * numpy.pi
        sine = numpy.sin(polar)
        return numpy.stack([sine * numpy.cos(azimuth), numpy.cos(polar), sine * numpy.sin(azimuth)], -1).astype(numpy.float32)


class Frame:
    """Local axes: x along the tangent, z along the normal."""

    def __init__(self, normal):
        tangent = numpy.stack([normal[:, 2], numpy.zeros(len(normal), numpy.float32), -normal[:, 0]], -1)
        self.axes = numpy.empty((len(normal), 3, 3), numpy.float32)
        self.axes[:, 0] = tangent / numpy.maximum(numpy.linalg.norm(tangent, axis=-1, keepdims=True), 1e-9)
        self.axes[:, 1] = numpy.cross(normal, self.axes[:, 0])
        self.axes[:, 2] = normal

    def inward(self, d):
        return numpy.einsum("nij,nj->ni", self.axes, d)

    def outward(self, d):
        return numpy.einsum("nij,ni->nj", self.axes, d)


def direct(surface, light, normal, view, random):
    """One estimate a row of the light that `surface` sends towards `view`: a sample of the light and one of each lobe, weighed by the balance
    heuristic (Veach and Guibas 1995), and the light that is scattered more than once.
    """
    frame = Frame(normal)
    v = frame.inward(view)
    v[:, 2] = numpy.maximum(v[:, 2], 1e-4)
    strategies = surface.strategies
    directions = [frame.inward(light.draw(random))] + [s.draw(v, random) for s in strategies]
    total = numpy.zeros((len(v), 3), numpy.float32)
    for l in directions:
        up = l[:, 2] > 1e-5
        l[:, 2] = numpy.maximum(l[:, 2], 1e-5)
        world = frame.outward(l)
        density = light.densities(world) + sum(s.density(v, l) for s in strategies)
        value = surface.reflected(v, l) * light.radiance(world) / density[:, None]
        total += numpy.where(up[:, None], value, 0)
    l, share = surface.scattered_again(v, random)
    if l is not None:
        total += share * light.radiance(frame.outward(l))
    return total
