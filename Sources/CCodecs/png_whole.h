#pragma once

#include "CCodecs.h"

// Whether an image is small enough to be packed in one go. `channels`: 1 grey, 3 or 4 of pixels that have four.
int vitrine_png_fits_whole(const vitrine_image_header *header, int channels);

// `level`: of libdeflate, 1 to 12; from 2 on with the best filter for each row.
int vitrine_png_encode_whole(const uint8_t *pixels, const vitrine_image_header *header, int channels, int level, vitrine_encoded *encoded,
                             vitrine_codec_error *error);
