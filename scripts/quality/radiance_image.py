"""Radiance images (.hdr)."""

import numpy


def read(path):
    """Linear RGB (height, width, 3) of a run-length coded RGBE image whose rows go down."""
    data = path.read_bytes()
    head, _, _ = data.partition(b"\n\n")
    size = data[len(head) + 2 :].partition(b"\n")[0]
    words = size.split()
    if not head.startswith(b"#?") or len(words) != 4 or words[0] != b"-Y" or words[2] != b"+X":
        raise ValueError(f"{path}: not a Radiance image with rows that go down")
    height, width = int(words[1]), int(words[3])
    bytes_ = numpy.frombuffer(data, numpy.uint8)
    place, rows = len(head) + 2 + len(size) + 1, numpy.empty((height, 4, width), numpy.uint8)
    for y in range(height):
        if bytes_[place] != 2 or bytes_[place + 1] != 2:
            raise ValueError(f"{path}: row {y} is not run-length coded")
        place += 4
        for channel in range(4):
            x = 0
            while x < width:
                count = int(bytes_[place])
                if count > 128:
                    rows[y, channel, x : x + count - 128] = bytes_[place + 1]
                    place, x = place + 2, x + count - 128
                else:
                    rows[y, channel, x : x + count] = bytes_[place + 1 : place + 1 + count]
                    place, x = place + 1 + count, x + count
    exponent = rows[:, 3].astype(numpy.float32) - 136
    return numpy.moveaxis(rows[:, :3].astype(numpy.float32) * numpy.where(rows[:, 3] > 0, 2**exponent, 0)[:, None], 1, 2)
