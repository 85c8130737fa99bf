"""A sphere of glass in light from all around: paths through it, bounce by bounce."""

import numpy

from lobe_light import Frame
from lobe_surface import GGX, dot, fresnel


class Glass:
    """A glTF material with full transmission and a volume, on a sphere of radius 1 whose thickness is its diameter."""

    def __init__(self, material):
        more = material["extensions"]
        index, volume = more["KHR_materials_ior"]["ior"], more["KHR_materials_volume"]
        # KHR_materials_dispersion: red, green and blue by the Abbe number.
        spread = (index - 1) * 0.025 * more.get("KHR_materials_dispersion", {}).get("dispersion", 0)
        self.indices = [index - spread, index, index + spread] if spread else [index]
        self.color = numpy.array(material["pbrMetallicRoughness"].get("baseColorFactor", [1, 1, 1, 1])[:3], numpy.float32)
        self.fading = -numpy.log(numpy.array(volume.get("attenuationColor", [1, 1, 1]))) / volume.get("attenuationDistance", 1)
        self.facets = GGX(material["pbrMetallicRoughness"]["roughnessFactor"] ** 2)

    def cross(self, v, ratio, random, bounces=24):
        """Where light from v leaves a rough boundary, and whether it passed: all bounces between the microfacets (Heitz et al. 2016), nothing is
        lost. Below the surface the walk is the same upside down.
        """
        count = len(v)
        w, height, passed = -v.copy(), numpy.full(count, 0.999, numpy.float32), numpy.zeros(count, bool)
        alive = numpy.arange(count)
        for _ in range(bounces):
            smith = self.facets.smith(w[alive])
            u = random.random(len(alive), numpy.float32)
            free = numpy.where(w[alive, 2] > 0, height[alive] ** numpy.maximum(smith, 0), 0)
            stays = u < 1 - free
            alive, smith, u = alive[stays], smith[stays], u[stays]
            if len(alive) == 0:
                break
            smith = numpy.where(numpy.abs(smith) < 1e-6, 1e-6, smith)
            height[alive] = numpy.clip(height[alive] * (1 - u) ** (-1 / smith), 1e-6, 1 - 1e-6)
            d = w[alive]
            m = self.facets.normal(-d, *random.random((2, len(alive)), numpy.float32))
            cosine = numpy.maximum(-dot(d, m), 1e-6)
            n = numpy.where(passed[alive], 1 / ratio[alive], ratio[alive])
            through = random.random(len(alive), numpy.float32) >= fresnel(cosine, n)
            inside = numpy.sqrt(numpy.maximum(1 - (1 - cosine**2) / n**2, 0))
            bent = d / n[:, None] + (cosine / n - inside)[:, None] * m
            mirrored = d + 2 * cosine[:, None] * m
            w[alive] = numpy.where(through[:, None], -bent, mirrored)
            height[alive] = numpy.where(through, 1 - height[alive], height[alive])
            passed[alive] ^= through
        return w * numpy.where(passed, -1, 1)[:, None], passed

    def seen(self, light, normal, view, random):
        """One path a row and index, from the eye to the light."""
        paths = [self.path(light, normal, view, index, random) for index in self.indices]
        return paths[0] if len(paths) == 1 else numpy.stack([p[:, channel] for channel, p in enumerate(paths)], -1)

    def path(self, light, normal, view, index, random, bounces=32):
        p, w, inside = normal.copy(), -view.copy(), numpy.zeros(len(normal), bool)
        weight, result = numpy.ones((len(normal), 3), numpy.float32), numpy.zeros((len(normal), 3), numpy.float32)
        alive = numpy.arange(len(normal))
        for _ in range(bounces):
            within = inside[alive]
            frame = Frame(p[alive] * numpy.where(within, -1, 1)[:, None])
            v = frame.inward(-w[alive])
            v[:, 2] = numpy.maximum(v[:, 2], 1e-5)
            l, passed = self.cross(v, numpy.where(within, 1 / index, index).astype(numpy.float32), random)
            w[alive] = frame.outward(l)
            inside[alive] ^= passed
            out = alive[~inside[alive]]
            result[out] = weight[out] * light.radiance(w[out])
            alive = alive[inside[alive]]
            if len(alive) == 0:
                break
            length = numpy.maximum(-2 * dot(p[alive], w[alive]), 0)
            p[alive] += length[:, None] * w[alive]
            p[alive] /= numpy.linalg.norm(p[alive], axis=-1, keepdims=True)
            weight[alive] *= numpy.exp(-self.fading * length[:, None])
        return result
