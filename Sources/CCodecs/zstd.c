#include <zstd.h>

#include "bridge.h"

int vitrine_zstd_decode(const uint8_t *bytes, size_t count, uint8_t *unpacked, size_t capacity, vitrine_codec_error *error) {
    const size_t result = ZSTD_decompress(unpacked, capacity, bytes, count);
    if (ZSTD_isError(result)) return vitrine_fail(error, vitrine_codec_malformed, ZSTD_getErrorName(result));
    if (result != capacity) return vitrine_fail(error, vitrine_codec_truncated, "unpacks to fewer bytes than it should");
    return 1;
}
