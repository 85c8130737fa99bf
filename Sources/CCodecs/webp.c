#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/encode.h>

#include "bridge.h"

static int failed(vitrine_codec_error *error, VP8StatusCode status) {
    switch (status) {
    case VP8_STATUS_NOT_ENOUGH_DATA: return vitrine_fail(error, vitrine_codec_truncated, "the file ends early");
    case VP8_STATUS_OUT_OF_MEMORY: return vitrine_fail(error, vitrine_codec_no_memory, "out of memory");
    case VP8_STATUS_UNSUPPORTED_FEATURE: return vitrine_fail(error, vitrine_codec_unsupported, "a feature that libwebp does not know");
    default: return vitrine_fail(error, vitrine_codec_malformed, "the bit stream is damaged");
    }
}

// The library treats a container that claims more bytes than there are as readable: the claim is checked here.
static int container_is_whole(const uint8_t *bytes, size_t count) {
    if (count < 12 || memcmp(bytes, "RIFF", 4) != 0) return 1;
    uint64_t claimed = bytes[4] | (uint64_t)bytes[5] << 8 | (uint64_t)bytes[6] << 16 | (uint64_t)bytes[7] << 24;
    return claimed + 8 <= count;
}

int vitrine_webp_header(const uint8_t *bytes, size_t count, vitrine_image_header *header, vitrine_codec_error *error) {
    WebPBitstreamFeatures features;
    error->text[0] = 0;
    if (!container_is_whole(bytes, count)) return failed(error, VP8_STATUS_NOT_ENOUGH_DATA);
    VP8StatusCode status = WebPGetFeatures(bytes, count, &features);
    if (status != VP8_STATUS_OK) return failed(error, status);
    if (features.has_animation) return vitrine_fail(error, vitrine_codec_unsupported, "an animated WebP is not a still image");
    header->width = (uint32_t)features.width;
    header->height = (uint32_t)features.height;
    header->bytes_per_channel = 1;
    return 1;
}

int vitrine_webp_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, vitrine_codec_error *error) {
    vitrine_image_header header;
    if (!vitrine_webp_header(bytes, count, &header, error)) return 0;
    if (!vitrine_fits(header.width, header.height, 1, capacity)) {
        return vitrine_fail(error, vitrine_codec_malformed, "the buffer does not hold the image");
    }
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return vitrine_fail(error, vitrine_codec_unsupported, "libwebp has another version");
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = (int)header.width * 4;
    config.output.u.RGBA.size = (size_t)header.width * 4 * header.height;
    VP8StatusCode status = WebPDecode(bytes, count, &config);
    WebPFreeDecBuffer(&config.output);
    return status == VP8_STATUS_OK ? 1 : failed(error, status);
}

int vitrine_webp_encode(const uint8_t *pixels, const vitrine_image_header *header, int quality, int has_alpha, vitrine_encoded *encoded,
                        vitrine_codec_error *error) {
    WebPConfig config;
    WebPPicture input;
    error->text[0] = 0;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&input)) {
        return vitrine_fail(error, vitrine_codec_unsupported, "libwebp has another version");
    }
    config.thread_level = 0;
    if (quality > 100) {
        config.lossless = 1;
        config.exact = 1;
        config.quality = 75;
        config.method = 4;
    } else {
        config.quality = (float)quality;
        config.method = 4;
        config.use_sharp_yuv = 1;
        config.alpha_quality = 100;
    }
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    input.use_argb = 1;
    input.width = (int)header->width;
    input.height = (int)header->height;
    input.writer = WebPMemoryWrite;
    input.custom_ptr = &writer;
    int stride = (int)header->width * 4;
    int done = (has_alpha ? WebPPictureImportRGBA(&input, pixels, stride) : WebPPictureImportRGBX(&input, pixels, stride)) &&
               WebPEncode(&config, &input);
    WebPEncodingError status = input.error_code;
    WebPPictureFree(&input);
    if (done) {
        // The caller frees what malloc gave; libwebp has an allocator of its own.
        encoded->bytes = malloc(writer.size);
        encoded->count = writer.size;
        if (encoded->bytes) memcpy(encoded->bytes, writer.mem, writer.size);
        else status = VP8_ENC_ERROR_OUT_OF_MEMORY;
        done = encoded->bytes != NULL;
    }
    WebPMemoryWriterClear(&writer);
    if (done) return 1;
    if (status == VP8_ENC_ERROR_OUT_OF_MEMORY || status == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY) {
        return vitrine_fail(error, vitrine_codec_no_memory, "out of memory");
    }
    return vitrine_fail(error, vitrine_codec_unsupported, "libwebp cannot encode the image");
}
