// What the bridges share: filling in an error, and a growing output buffer.
#pragma once

#include "CCodecs.h"

#ifdef __cplusplus
extern "C" {
#endif

// Both return 0, so that a bridge can `return vitrine_fail(…)`.
int vitrine_fail(vitrine_codec_error *error, vitrine_codec_failure failure, const char *text);
int vitrine_fail_at(vitrine_codec_error *error, vitrine_codec_failure failure, int64_t offset, int64_t row, const char *text);

typedef struct vitrine_output {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
} vitrine_output;

// Returns 0 when memory is short; the output then keeps its content.
int vitrine_output_append(vitrine_output *output, const uint8_t *bytes, size_t count);

// Whether `capacity` bytes hold an RGBA image of this size.
int vitrine_fits(uint64_t width, uint64_t height, uint64_t bytes_per_channel, size_t capacity);

#ifdef __cplusplus
}
#endif
