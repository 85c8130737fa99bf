"""What surfaces do to light, by the published lobes and without a renderer's shortcuts: exact Fresnel terms, films by wavelengths, microfacets with
everything that is scattered between them. Materials are glTF's. Vectors are local: z along the normal, x along the tangent.
"""

import numpy

from lobe_film import film_reflectance

LEAST_ALPHA = 1e-3


def unit(v):
    return v / numpy.maximum(numpy.linalg.norm(v, axis=-1, keepdims=True), 1e-20)


def dot(a, b):
    return (a * b).sum(-1)


def fresnel(cosine, ratio):
    """The share of unpolarized light that a boundary reflects; ratio: index behind it over index before it."""
    c = numpy.clip(cosine, 0, 1)
    squared = 1 - (1 - c * c) / (ratio * ratio)
    t = numpy.sqrt(numpy.maximum(squared, 0))
    s, p = (c - ratio * t) / (c + ratio * t + 1e-12), (ratio * c - t) / (ratio * c + t + 1e-12)
    return numpy.where(squared > 0, 0.5 * (s * s + p * p), 1)


def schlick(f0, cosine):
    return f0 + (1 - f0) * (numpy.clip(1 - cosine, 0, 1) ** 5)[:, None]


class Cosine:
    def draw(self, v, random):
        share, turn = random.two()
        r, angle = numpy.sqrt(share), 2 * numpy.pi * turn
        x, y = r * numpy.cos(angle), r * numpy.sin(angle)
        return numpy.stack([x, y, numpy.sqrt(numpy.maximum(1 - x * x - y * y, 1e-9))], -1).astype(numpy.float32)

    def density(self, v, l):
        return numpy.maximum(l[:, 2], 0) / numpy.pi


class GGX:
    """Microfacets of two widths (Heitz 2014)."""

    def __init__(self, along, across=None):
        self.x, self.y = max(along, LEAST_ALPHA), max(along if across is None else across, LEAST_ALPHA)

    def distribution(self, m):
        p = (m[:, 0] / self.x) ** 2 + (m[:, 1] / self.y) ** 2 + m[:, 2] ** 2
        return numpy.where(m[:, 2] > 0, 1 / (numpy.pi * self.x * self.y * p * p), 0)

    def smith(self, w):
        """Λ, also of directions that go down."""
        root = numpy.sqrt(1 + ((self.x * w[:, 0]) ** 2 + (self.y * w[:, 1]) ** 2) / numpy.maximum(w[:, 2] ** 2, 1e-12))
        return 0.5 * (numpy.sign(w[:, 2]) * root - 1)

    def lobe(self, v, l):
        """Distribution, masking and shadowing over 4 n·v, so with the light's cosine in it."""
        both = 1 / (1 + self.smith(v) + self.smith(l))
        return self.distribution(unit(v + l)) * both / (4 * v[:, 2])

    def normal(self, v, share, turn):
        """A microfacet that v sees (Dupuy and Benyoub 2023, spherical caps), by two random numbers."""
        stretched = unit(v * numpy.array([self.x, self.y, 1], numpy.float32))
        angle = 2 * numpy.pi * turn
        z = (1 - share) * (1 + stretched[:, 2]) - stretched[:, 2]
        sine = numpy.sqrt(numpy.clip(1 - z * z, 0, 1))
        h = numpy.stack([sine * numpy.cos(angle), sine * numpy.sin(angle), z], -1) + stretched
        return unit(h * numpy.array([self.x, self.y, 1], numpy.float32)).astype(numpy.float32)

    def draw(self, v, random):
        m = self.normal(v, *random.two())
        return 2 * dot(v, m)[:, None] * m - v

    def density(self, v, l):
        return self.distribution(unit(v + l)) / ((1 + self.smith(v)) * 4 * v[:, 2])

    def walk(self, v, reflectance, random, orders=12):
        """Light that leaves after two bounces between the facets or more (Heitz, Hanika, d'Eon, Dachsbacher 2016): a direction, and its weight."""
        count = len(v)
        w, height = -v.copy(), numpy.full(count, 0.999, numpy.float32)
        weight, out = numpy.ones((count, 3), numpy.float32), numpy.zeros((count, 3), numpy.float32)
        leaving, alive = numpy.tile(numpy.array([0, 0, 1], numpy.float32), (count, 1)), numpy.arange(count)
        for order in range(orders):
            smith = self.smith(w[alive])
            u = random.random(len(alive), numpy.float32)
            free = numpy.where(w[alive, 2] > 0, height[alive] ** numpy.maximum(smith, 0), 0)
            gone = u >= 1 - free
            if order >= 2:
                out[alive[gone]] = weight[alive[gone]]
                leaving[alive[gone]] = w[alive[gone]]
            alive, smith, u = alive[~gone], smith[~gone], u[~gone]
            if len(alive) == 0:
                break
            smith = numpy.where(numpy.abs(smith) < 1e-6, 1e-6, smith)
            height[alive] = numpy.clip(height[alive] * (1 - u) ** (-1 / smith), 1e-6, 1)
            m = self.normal(-w[alive], *random.random((2, len(alive)), numpy.float32))
            cosine = numpy.maximum(-dot(w[alive], m), 0)
            w[alive] += 2 * cosine[:, None] * m
            weight[alive] *= reflectance(cosine)
        return leaving, out


class Sheen:
    """Fibres (Estevez and Kulla 2017), without the cosine; its albedo by integration."""

    def __init__(self, roughness):
        self.alpha = roughness * roughness
        cosines = numpy.linspace(0, 1, 65)[1:].astype(numpy.float32)
        self.cosines, self.albedos = cosines, numpy.array([self.integral(c) for c in cosines])

    def masking(self, c):
        t = (1 - self.alpha) ** 2
        mix = lambda wide, narrow: (1 - t) * wide + t * narrow
        a, b, e = mix(21.5473, 25.3245), mix(3.82987, 3.32435), mix(0.19823, 0.16801)
        d, k = mix(-1.97760, -1.27393), mix(-4.32054, -4.85967)
        fit = lambda x: a / (1 + b * numpy.maximum(x, 1e-6) ** e) + d * x + k
        return numpy.exp(numpy.where(c < 0.5, fit(c), 2 * fit(numpy.float32(0.5)) - fit(1 - c)))

    def lobe(self, v, l):
        h = unit(v + l)
        sine = numpy.sqrt(numpy.clip(1 - h[:, 2] ** 2, 0, 1))
        distribution = (2 + 1 / self.alpha) * sine ** (1 / self.alpha) / (2 * numpy.pi)
        z = numpy.maximum(l[:, 2], 1e-5)
        return distribution / ((1 + self.masking(v[:, 2]) + self.masking(z)) * 4 * v[:, 2] * z)

    def integral(self, c, steps=192):
        z, azimuth = numpy.meshgrid((numpy.arange(steps) + 0.5) / steps, (numpy.arange(steps) + 0.5) / steps * 2 * numpy.pi)
        z, azimuth = z.ravel(), azimuth.ravel()
        r = numpy.sqrt(1 - z * z)
        l = numpy.stack([r * numpy.cos(azimuth), r * numpy.sin(azimuth), z], -1)
        v = numpy.tile(numpy.array([numpy.sqrt(1 - c * c), 0, c]), (len(l), 1))
        return (self.lobe(v, l) * z).mean() * 2 * numpy.pi

    def albedo(self, c):
        return numpy.interp(c, self.cosines, self.albedos)


class Surface:
    """A glTF material that lets nothing through."""

    def __init__(self, material):
        base, more = material["pbrMetallicRoughness"], material.get("extensions", {})
        self.color = numpy.array(base.get("baseColorFactor", [1, 1, 1, 1])[:3], numpy.float32)
        self.metal, alpha = base["metallicFactor"], base["roughnessFactor"] ** 2
        self.index = more.get("KHR_materials_ior", {}).get("ior", 1.5)
        self.specular = more.get("KHR_materials_specular", {}).get("specularFactor", 1)
        drawn = more.get("KHR_materials_anisotropy", {}).get("anisotropyStrength", 0)
        self.facets = GGX(alpha + (1 - alpha) * drawn**2, alpha)
        film, coat, sheen = (more.get("KHR_materials_" + name) for name in ("iridescence", "clearcoat", "sheen"))
        self.film = film and film_reflectance(film["iridescenceIor"], film["iridescenceThicknessMaximum"], self.straight_on())
        self.coat = GGX(coat["clearcoatRoughnessFactor"] ** 2) if coat else None
        self.sheen = Sheen(sheen["sheenRoughnessFactor"]) if sheen else None
        self.sheen_color = numpy.array(sheen["sheenColorFactor"], numpy.float32) if sheen else None
        self.tabulate()
        self.strategies = [Cosine(), self.facets] + ([self.coat] if coat else [])

    def straight_on(self):
        return self.color if self.metal else numpy.full(3, ((self.index - 1) / (self.index + 1)) ** 2 * self.specular)

    def reflectance(self, cosine):
        """Of one microfacet. Metals are given by their colour straight on only: Schlick's curve continues from there."""
        if self.film is not None:
            return self.film(cosine)
        if self.metal:
            return schlick(self.color, cosine)
        return numpy.repeat((self.specular * fresnel(cosine, self.index))[:, None], 3, 1).astype(numpy.float32)

    def tabulate(self, count=4096):
        """The energy left for the diffuse layer below, by the cosine."""
        random = numpy.random.default_rng(3)
        self.cosines = numpy.linspace(0.01, 1, 64).astype(numpy.float32)
        c = numpy.repeat(self.cosines, count)
        v = numpy.stack([numpy.sqrt(1 - c * c), 0 * c, c], -1)
        m = self.facets.normal(v, *random.random((2, len(c))))
        l = 2 * dot(v, m)[:, None] * m - v
        weight = numpy.where(l[:, 2] > 0, (1 + self.facets.smith(v)) / (1 + self.facets.smith(v) + self.facets.smith(l)), 0)
        share = self.reflectance(dot(v, unit(v + l))).max(-1) * weight
        self.left = 1 - share.reshape(-1, count).mean(1)
        self.left_of_all = 2 * (self.left * self.cosines).mean() / (2 * self.cosines.mean())

    def coupling(self, v, l):
        """Of a diffuse layer below a reflecting one: reciprocal, loses nothing (Kelemen and Szirmay-Kalos 2001)."""
        left = numpy.interp(v[:, 2], self.cosines, self.left) * numpy.interp(l[:, 2], self.cosines, self.left)
        return left / self.left_of_all

    def reflected(self, v, l):
        """The lobes times the light's cosine; sheen and coat lie on the rest as Khronos' extensions put them."""
        share = self.reflectance(dot(v, unit(v + l)))
        result = share * self.facets.lobe(v, l)[:, None]
        z = numpy.maximum(l[:, 2], 0)
        if not self.metal:
            result += self.color * (self.coupling(v, l) * z / numpy.pi)[:, None]
        if self.sheen:
            hidden = self.sheen_color.max() * numpy.maximum(self.sheen.albedo(v[:, 2]), self.sheen.albedo(z))
            result = result * numpy.maximum(1 - hidden, 0)[:, None] + self.sheen_color * (self.sheen.lobe(v, l) * z)[:, None]
        if self.coat:
            kept = 1 - fresnel(v[:, 2], 1.5)
            result = result * kept[:, None] + (fresnel(dot(v, unit(v + l)), 1.5) * self.coat.lobe(v, l))[:, None]
        return result

    def scattered_again(self, v, random):
        if not self.metal:
            return None, None
        return self.facets.walk(v, self.reflectance, random)
