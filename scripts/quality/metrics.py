"""How an image is compared with its reference, on the pixels of the object only.

All measures read 8-bit sRGB values. Let M be the mask's pixels (value over 127); alpha is ignored.

psnr    10 · log10(255² / E), E the mean of (a − b)² over the pixels of M and their three channels, in sRGB values 0…255.
ssim    Structural similarity (Wang, Bovik, Sheikh, Simoncelli 2004): Gaussian window of 11 × 11, σ = 1.5, K1 = 0.01, K2 = 0.03, population
        covariance, a channel at a time; the map's mean over M and the channels. Pixels outside M are black in both images beforehand.
energy  The mean linear radiance (sRGB curve undone, mean of the three channels) of the image over M, divided by the reference's.
"""

from dataclasses import dataclass

import numpy
from PIL import Image
from skimage.metrics import structural_similarity


@dataclass
class Score:
    psnr: float
    ssim: float
    energy: float


def read_image(path):
    """8-bit RGB as float64 (height, width, 3)."""
    return numpy.asarray(Image.open(path).convert("RGB"), numpy.float64)


def read_mask(path):
    return numpy.asarray(Image.open(path).convert("L")) > 127


def without_border(mask):
    """The mask without the pixels that touch its outside: what antialiasing and the background cannot change."""
    inner = mask.copy()
    inner[1:] &= mask[:-1]
    inner[:-1] &= mask[1:]
    inner[:, 1:] &= mask[:, :-1]
    inner[:, :-1] &= mask[:, 1:]
    return inner


def linear(srgb):
    value = srgb / 255
    return numpy.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def encoded(radiance):
    value = numpy.clip(radiance, 0, 1)
    return numpy.where(value <= 0.0031308, value * 12.92, 1.055 * numpy.maximum(value, 1e-12) ** (1 / 2.4) - 0.055) * 255


def score(image, reference, mask):
    if image.shape != reference.shape or image.shape[:2] != mask.shape:
        raise ValueError(f"sizes differ: {image.shape}, {reference.shape}, {mask.shape}")
    error = ((image - reference)[mask] ** 2).mean()
    psnr = float("inf") if error == 0 else 10 * numpy.log10(255**2 / error)
    shown = mask[..., None]
    _, similarity = structural_similarity(
        image * shown, reference * shown, win_size=11, gaussian_weights=True, sigma=1.5, use_sample_covariance=False,
        data_range=255, channel_axis=2, full=True,
    )
    energy = linear(image)[mask].mean() / linear(reference)[mask].mean()
    return Score(float(psnr), float(similarity[mask].mean()), float(energy))


def difference_image(image, reference, gain=4):
    """Signed difference around middle grey: brighter than grey where the image is brighter than the reference."""
    return numpy.clip(127.5 + gain * (image - reference), 0, 255)


def side_by_side(*images):
    return Image.fromarray(numpy.concatenate([numpy.clip(p, 0, 255).astype(numpy.uint8) for p in images], 1))
