#include "bridge.h"

#include <stdlib.h>
#include <string.h>

int vitrine_fail(vitrine_codec_error *error, vitrine_codec_failure failure, const char *text) {
    return vitrine_fail_at(error, failure, -1, -1, text);
}

int vitrine_fail_at(vitrine_codec_error *error, vitrine_codec_failure failure, int64_t offset, int64_t row, const char *text) {
    error->failure = failure;
    error->offset = offset;
    error->row = row;
    size_t length = strlen(text);
    if (length >= sizeof error->text) length = sizeof error->text - 1;
    memmove(error->text, text, length);
    error->text[length] = 0;
    return 0;
}

int vitrine_output_append(vitrine_output *output, const uint8_t *bytes, size_t count) {
    if (count > SIZE_MAX / 2 - output->count) return 0;
    size_t needed = output->count + count;
    if (needed > output->capacity) {
        size_t capacity = output->capacity < 1 << 16 ? 1 << 16 : output->capacity * 2;
        if (capacity < needed) capacity = needed;
        uint8_t *grown = realloc(output->bytes, capacity);
        if (!grown) return 0;
        output->bytes = grown;
        output->capacity = capacity;
    }
    memcpy(output->bytes + output->count, bytes, count);
    output->count = needed;
    return 1;
}

int vitrine_fits(uint64_t width, uint64_t height, uint64_t bytes_per_channel, size_t capacity) {
    if (width == 0 || height == 0 || width > UINT32_MAX || height > UINT32_MAX) return 0;
    return width * height <= capacity / (4 * bytes_per_channel);
}

void vitrine_codec_free(uint8_t *bytes) { free(bytes); }

int vitrine_is_opaque(const uint8_t *pixels, size_t count, uint32_t bytes_per_channel) {
    static const uint8_t one[3][4] = {{0xff}, {0xff, 0xff}, {0x00, 0x00, 0x80, 0x3f}};
    const uint8_t *expected = one[bytes_per_channel == 4 ? 2 : bytes_per_channel - 1];
    const uint8_t *alpha = pixels + 3 * (size_t)bytes_per_channel;
    for (size_t index = 0; index < count; index += 1, alpha += 4 * (size_t)bytes_per_channel) {
        if (memcmp(alpha, expected, bytes_per_channel) != 0) return 0;
    }
    return 1;
}
