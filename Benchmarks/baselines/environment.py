"""Reads a Radiance image and turns an equirectangular environment into the six faces of a cube (numpy only)."""

import numpy


def read_radiance(path):
    """Returns the linear radiance of a .hdr file as float32 (height, width, 3)."""
    data = open(path, "rb").read()
    header, _, rest = data.partition(b"\n\n")
    if not header.startswith(b"#?"):
        raise ValueError(f"{path}: not a Radiance file")
    resolution, _, body = rest.partition(b"\n")
    words = resolution.split()
    if len(words) != 4 or words[0] != b"-Y" or words[2] != b"+X":
        raise ValueError(f"{path}: only rows from top to bottom are read")
    height, width = int(words[1]), int(words[3])
    pixels = numpy.empty((height, 4, width), numpy.uint8)
    position = 0
    for row in range(height):
        if body[position : position + 2] != b"\x02\x02":
            raise ValueError(f"{path}: row {row} has no run-length header")
        position += 4
        for channel in range(4):
            column = 0
            while column < width:
                count = body[position]
                if count > 128:
                    pixels[row, channel, column : column + count - 128] = body[position + 1]
                    column += count - 128
                    position += 2
                else:
                    run = numpy.frombuffer(body, numpy.uint8, count, position + 1)
                    pixels[row, channel, column : column + count] = run
                    column += count
                    position += 1 + count
    mantissa = pixels[:, :3].transpose(0, 2, 1).astype(numpy.float32)
    scale = numpy.ldexp(numpy.float32(1), pixels[:, 3].astype(numpy.int32) - 136)
    return mantissa * scale[..., None]


def cube_directions(size):
    """Directions through the texel centres of a cube map, in its own (left-handed) frame: (6, size, size, 3)."""
    axis = (numpy.arange(size) + 0.5) / size * 2 - 1
    s, t = numpy.meshgrid(axis, axis)
    one = numpy.ones_like(s)
    faces = [(one, -t, -s), (-one, -t, s), (s, one, t), (s, -one, -t), (s, -t, one), (-s, -t, -one)]
    directions = numpy.stack([numpy.stack(face, -1) for face in faces])
    return directions / numpy.linalg.norm(directions, axis=-1, keepdims=True)


def sample_equirectangular(image, directions):
    """Bilinear look-up; the image's middle lies towards +X, its right half towards +Z."""
    height, width = image.shape[:2]
    u = 0.5 + numpy.arctan2(directions[..., 2], directions[..., 0]) / (2 * numpy.pi)
    v = numpy.arccos(numpy.clip(directions[..., 1], -1, 1)) / numpy.pi
    x, y = u * width - 0.5, v * height - 0.5
    left, top = numpy.floor(x).astype(int), numpy.floor(y).astype(int)
    fx, fy = (x - left)[..., None], (y - top)[..., None]
    pick = lambda row, column: image[numpy.clip(row, 0, height - 1), column % width]
    upper = pick(top, left) * (1 - fx) + pick(top, left + 1) * fx
    lower = pick(top + 1, left) * (1 - fx) + pick(top + 1, left + 1) * fx
    return upper * (1 - fy) + lower * fy


def cube_faces(image, size, samples=4):
    """Six faces in pygfx's convention (it samples with the x axis negated), each texel averaged over samples² directions."""
    directions = cube_directions(size * samples)
    directions[..., 0] *= -1
    fine = sample_equirectangular(image, directions)
    return fine.reshape(6, size, samples, size, samples, 3).mean((2, 4)).astype(numpy.float32)
