"""Images of a row's spheres by the published lobes: light from all around, nothing else near. The reference for our images; see lobes.py."""

import numpy

import lobe_rows
from lobe_glass import Glass
from lobe_light import Samples, direct
from lobe_surface import Surface

SIZE, FOV, DISTANCE = (512, 128), 30, 4.8


def rays(x, y):
    """View directions through positions of the image, in pixels from its upper left corner."""
    width, height = SIZE
    scale = numpy.tan(numpy.radians(FOV / 2))
    d = numpy.stack([(2 * x / width - 1) * scale * width / height, (1 - 2 * y / height) * scale, -numpy.ones_like(x)], -1)
    return d / numpy.linalg.norm(d, axis=-1, keepdims=True)


def meet(d, index):
    """Distance along rays to a sphere of the row, and how far from its middle they pass, squared."""
    middle = numpy.array([lobe_rows.center(index), 0, -DISTANCE])
    along = d @ middle
    passing = middle @ middle - along**2
    return along - numpy.sqrt(numpy.maximum(1 - passing, 0)), passing


def masks():
    """Each sphere's pixels, without the outline."""
    y, x = numpy.mgrid[0 : SIZE[1], 0 : SIZE[0]] + 0.5
    return [meet(rays(x, y), index)[1] < 0.97 for index in range(lobe_rows.COUNT)]


def image(row, light, samples, seed=7, at_once=16):
    """Linear radiance (height, width, 3) and its standard error; 0 outside of the spheres."""
    total, squares = numpy.zeros((SIZE[1], SIZE[0], 3)), numpy.zeros((SIZE[1], SIZE[0], 3))
    for index, mask in enumerate(masks()):
        random = Samples(int(mask.sum()), seed + index)
        material = row.materials[index]
        glass = "KHR_materials_transmission" in material.get("extensions", {})
        surface = Glass(material) if glass else Surface(material)
        y, x = (numpy.repeat(axis, at_once) for axis in numpy.nonzero(mask))
        rounds = max(samples // at_once, 2)
        for _ in range(rounds):
            random.take(at_once)
            # A sample anywhere in its pixel; the few beside the sphere are moved back onto its outline.
            d = rays(x + random.random(len(x)), y + random.random(len(x)))
            distance, passing = meet(d, index)
            normal = d * distance[:, None] - numpy.array([lobe_rows.center(index), 0, -DISTANCE])
            normal = (normal / numpy.linalg.norm(normal, axis=-1, keepdims=True)).astype(numpy.float32)
            view = -d.astype(numpy.float32)
            value = surface.seen(light, normal, view, random) if glass else direct(surface, light, normal, view, random)
            value = value.reshape(-1, at_once, 3).mean(1)
            total[mask] += value
            squares[mask] += value**2
        total[mask] /= rounds
        squares[mask] = numpy.sqrt(numpy.maximum(squares[mask] / rounds - total[mask] ** 2, 0) / (rounds - 1))
    return total, squares
