// Thin C bridges to the codec libraries. Each decoder works in two calls over bytes in memory: `…_header` reads sizes
// without decoding, `…_decode` writes tightly packed RGBA rows, top first, into the caller's buffer. Each encoder returns
// bytes that the caller gives back with vitrine_codec_free. No call aborts, prints, or keeps state between calls; only
// the decoders behind libheif complain about some damaged files on the standard error.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What went wrong, the reason for a call's result 0.
typedef enum vitrine_codec_failure {
    vitrine_codec_malformed = 0,
    vitrine_codec_truncated = 1,
    vitrine_codec_unsupported = 2,
    vitrine_codec_no_memory = 3,
} vitrine_codec_failure;

typedef struct vitrine_codec_error {
    vitrine_codec_failure failure;
    int64_t offset;  // byte in the file, or -1 where the library does not tell
    int64_t row;     // image row from the top, or -1
    char text[200];  // always ends with a zero byte
} vitrine_codec_error;

typedef struct vitrine_image_header {
    uint32_t width;
    uint32_t height;
    uint32_t bytes_per_channel;  // 1: rgba8, 2: rgba16 little endian
} vitrine_image_header;

typedef struct vitrine_encoded {
    uint8_t *bytes;
    size_t count;
} vitrine_encoded;

void vitrine_codec_free(uint8_t *bytes);

// Whether the fourth channel is 1 everywhere: 255, 65535 or 1.0f by bytes_per_channel 1, 2 or 4. A loop over every pixel,
// here because Swift's debug builds take a hundred times as long.
int vitrine_is_opaque(const uint8_t *pixels, size_t count, uint32_t bytes_per_channel);

// PNG: every colour type and depth, interlaced or not, tRNS applied, gamma and profiles ignored.
int vitrine_png_header(const uint8_t *bytes, size_t count, vitrine_image_header *header, vitrine_codec_error *error);
int vitrine_png_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, vitrine_codec_error *error);
// Writes RGB where has_alpha is 0: the fourth channel of the pixels is then not stored.
int vitrine_png_encode(const uint8_t *pixels, const vitrine_image_header *header, int has_alpha, int level, vitrine_encoded *encoded,
                       vitrine_codec_error *error);

// JPEG: grey, YCbCr, RGB, CMYK, YCCK; baseline, progressive, arithmetic where the library has it.
int vitrine_jpeg_header(const uint8_t *bytes, size_t count, vitrine_image_header *header, vitrine_codec_error *error);
int vitrine_jpeg_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, vitrine_codec_error *error);
// The picture at 1, 2, 4 or 8 eighths of its size, sides rounded up; `decoded` tells the size.
int vitrine_jpeg_decode_scaled(const uint8_t *bytes, size_t count, unsigned eighths, uint8_t *pixels, size_t capacity,
                               vitrine_image_header *decoded, vitrine_codec_error *error);
// Quality 1 to 100; from 90 on colour is not subsampled.
int vitrine_jpeg_encode(const uint8_t *pixels, const vitrine_image_header *header, int quality, vitrine_encoded *encoded,
                        vitrine_codec_error *error);

// WebP: lossy and lossless stills.
int vitrine_webp_header(const uint8_t *bytes, size_t count, vitrine_image_header *header, vitrine_codec_error *error);
int vitrine_webp_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, vitrine_codec_error *error);

// HEIF: the primary still of a HEIC or AVIF file, turned, mirrored and cropped as it says; over 8 bits as 16.
int vitrine_heif_header(const uint8_t *bytes, size_t count, vitrine_image_header *header, vitrine_codec_error *error);
int vitrine_heif_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, vitrine_codec_error *error);
// The item with the EXIF data, as stored; no bytes where there is none.
int vitrine_heif_exif(const uint8_t *bytes, size_t count, vitrine_encoded *encoded, vitrine_codec_error *error);

// OpenEXR: flat scanline and tiled files, every compression and channel type; values arrive as floats. Headers are read in
// Swift (EXRHeader), which decides what to ask for here.
typedef struct vitrine_exr_slice {
    const char *channel;
    float *first;              // where the sample at the data window's upper left corner goes
    size_t x_stride, y_stride; // in bytes, from one sample to the next
    int32_t x_sampling, y_sampling;
    float fill;                // where the file lacks the channel
} vitrine_exr_slice;

// Reads the whole data window of the first part, whose size and corner must be what the caller expects.
int vitrine_exr_decode(const uint8_t *bytes, size_t count, const int32_t data_window[4], const vitrine_exr_slice *slices, size_t slice_count,
                       vitrine_codec_error *error);
// Takes premultiplied float RGBA; writes scanlines as half or float, alpha only where asked for; compression by the format's number.
int vitrine_exr_encode(const float *pixels, uint32_t width, uint32_t height, int has_alpha, int is_half, int compression,
                       vitrine_encoded *encoded, vitrine_codec_error *error);

// The versions of libpng, libjpeg-turbo, libwebp, OpenEXR and libheif, as text.
void vitrine_codec_versions(char png[32], char jpeg[32], char webp[32], char openexr[32], char heif[32]);

#ifdef __cplusplus
}
#endif
