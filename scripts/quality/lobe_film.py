"""Colours of thin films, wavelength by wavelength."""

import numpy

WAVELENGTHS = numpy.arange(380, 781, 4.0)


def sensitivities():
    """How much of each wavelength goes to linear Rec.709 red, green and blue; a neutral spectrum becomes 1, 1, 1.

    The eye's curves by Wyman, Sloan and Shirley 2013, "Simple Analytic Approximations to the CIE XYZ Color Matching Functions".
    """
    def bump(middle, below, above):
        t = (WAVELENGTHS - middle) * numpy.where(WAVELENGTHS < middle, below, above)
        return numpy.exp(-0.5 * t * t)

    x = 0.362 * bump(442.0, 0.0624, 0.0374) + 1.056 * bump(599.8, 0.0264, 0.0323) - 0.065 * bump(501.1, 0.0490, 0.0382)
    y = 0.821 * bump(568.8, 0.0213, 0.0247) + 0.286 * bump(530.9, 0.0613, 0.0322)
    z = 1.217 * bump(437.0, 0.0845, 0.0278) + 0.681 * bump(459.0, 0.0385, 0.0725)
    rgb = numpy.array([[3.2404542, -1.5371385, -0.4985314], [-0.9692660, 1.8760108, 0.0415560], [0.0556434, -0.2040259, 1.0572252]]) @ numpy.stack([x, y, z])
    return rgb / rgb.sum(1, keepdims=True)


def film_reflectance(film, thickness, straight_on):
    """A function of the cosine: what a film of an index and a thickness (nanometres) reflects over bases that reflect `straight_on` without it."""
    root = numpy.sqrt(numpy.clip(straight_on, 0, 0.9999))
    bases = (1 + root) / (1 - root)
    cosines = numpy.linspace(0, 1, 257)
    weights = sensitivities()
    table = numpy.stack([airy(cosines, film, thickness, base) @ weights[channel] for channel, base in enumerate(bases)], -1)
    table = numpy.clip(table, 0, 1).astype(numpy.float32)

    def reflectance(cosine):
        place = numpy.clip(cosine, 0, 1) * (len(cosines) - 1)
        low = numpy.minimum(place.astype(int), len(cosines) - 2)
        return table[low] + (table[low + 1] - table[low]) * (place - low)[:, None]

    return reflectance


def airy(cosines, film, thickness, base):
    """Airy's sum over all bounces inside the film, both polarizations: cosines × wavelengths."""
    inside = numpy.sqrt(1 - (1 - cosines**2) / film**2 + 0j)
    behind = numpy.sqrt(1 - (1 - cosines**2) / base**2 + 0j)
    turn = numpy.exp(1j * 4 * numpy.pi * film * thickness * inside[:, None] / WAVELENGTHS)
    total = 0
    for first, second in (
        ((cosines - film * inside) / (cosines + film * inside), (film * inside - base * behind) / (film * inside + base * behind)),
        ((film * cosines - inside) / (film * cosines + inside), (base * inside - film * behind) / (base * inside + film * behind)),
    ):
        a, b = first[:, None], second[:, None]
        total = total + 0.5 * numpy.abs((a + b * turn) / (1 + a * b * turn)) ** 2
    return total
