#pragma once

#include "CCodecs.h"

// Whether an image is small enough to be packed in one go. `channels`: 1 grey, 3 or 4 of pixels that have four.
int vitrine_png_fits_fast(const vitrine_image_header *header, int channels);

int vitrine_png_encode_fast(const uint8_t *pixels, const vitrine_image_header *header, int channels, vitrine_encoded *encoded,
                            vitrine_codec_error *error);
