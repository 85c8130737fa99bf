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
    int64_t offset;  // byte in the file, or -1 if the library does not report it
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
// Decodes gray images unchanged: 1 or 2 (little endian) bytes per pixel, by the header; a palette, colour, alpha or fewer than 8 bits are unsupported.
int vitrine_png_decode_grey(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, vitrine_codec_error *error);
int vitrine_png_encode_grey(const uint8_t *pixels, const vitrine_image_header *header, int level, vitrine_encoded *encoded,
                            vitrine_codec_error *error);

// JPEG: grey, YCbCr, RGB, CMYK, YCCK; baseline, progressive, arithmetic where the library has it.
int vitrine_jpeg_header(const uint8_t *bytes, size_t count, vitrine_image_header *header, vitrine_codec_error *error);
int vitrine_jpeg_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, vitrine_codec_error *error);
// The image at 1, 2, 4 or 8 eighths of its size, sides rounded up. Stores the size in `decoded`.
int vitrine_jpeg_decode_scaled(const uint8_t *bytes, size_t count, unsigned eighths, uint8_t *pixels, size_t capacity,
                               vitrine_image_header *decoded, vitrine_codec_error *error);
// The planes as the file has them, without a detour by RGB: `channels` becomes 1 (grey) or 3 (YCbCr, full range, interleaved, colour at full
// size). `capacity` must hold 3 channels. Other colour spaces are unsupported.
int vitrine_jpeg_decode_planes(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, uint32_t *channels,
                               vitrine_codec_error *error);
// Quality 1 to 100; from 90 on colour is not subsampled.
int vitrine_jpeg_encode(const uint8_t *pixels, const vitrine_image_header *header, int quality, vitrine_encoded *encoded,
                        vitrine_codec_error *error);

// WebP: lossy and lossless stills.
int vitrine_webp_header(const uint8_t *bytes, size_t count, vitrine_image_header *header, vitrine_codec_error *error);
int vitrine_webp_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, vitrine_codec_error *error);
// Quality 0 to 100 is lossy with exact alpha; above 100 every pixel is kept bit for bit, also where alpha is 0.
int vitrine_webp_encode(const uint8_t *pixels, const vitrine_image_header *header, int quality, int has_alpha, vitrine_encoded *encoded,
                        vitrine_codec_error *error);

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

// The versions of Draco and Zstandard, as text.
void vitrine_packing_versions(char draco[32], char zstd[32]);

// The versions of libpng, libjpeg-turbo, libwebp, OpenEXR and libheif, as text.
void vitrine_codec_versions(char png[32], char jpeg[32], char webp[32], char openexr[32], char heif[32]);

// Draco meshes. A decoded mesh is asked for its parts and given back with vitrine_draco_free.
typedef struct vitrine_draco_mesh vitrine_draco_mesh;

typedef enum vitrine_draco_kind {
    vitrine_draco_position = 0,
    vitrine_draco_normal = 1,
    vitrine_draco_color = 2,
    vitrine_draco_coordinate = 3,
    vitrine_draco_generic = 4,
} vitrine_draco_kind;

// A stream to be encoded: `components` floats per point.
typedef struct vitrine_draco_stream {
    int32_t kind;
    int32_t components;  // 1 to 16
    int32_t bits;        // what each number is rounded to; 0: kept exactly
    int32_t is_integer;  // whole numbers 0 to 65535, kept exactly
    const float *values;
} vitrine_draco_stream;

// At most `limit` triangles; refused before memory is asked for where the stream says more. NULL with an error.
vitrine_draco_mesh *vitrine_draco_decode(const uint8_t *bytes, size_t count, uint32_t limit, vitrine_codec_error *error);
void vitrine_draco_free(vitrine_draco_mesh *mesh);
uint32_t vitrine_draco_points(const vitrine_draco_mesh *mesh);
uint32_t vitrine_draco_faces(const vitrine_draco_mesh *mesh);
int32_t vitrine_draco_attributes(const vitrine_draco_mesh *mesh);
// Three a face; each below the number of points.
void vitrine_draco_indices(const vitrine_draco_mesh *mesh, uint32_t *indices);
void vitrine_draco_attribute(const vitrine_draco_mesh *mesh, int32_t index, uint32_t *id, int32_t *components);
// `points * components` floats; integers are not normalized. Returns 0 for unsupported types.
int vitrine_draco_values(const vitrine_draco_mesh *mesh, int32_t index, float *values);
// The streams' ids in the file are 0, 1, 2 … Points may come back in another order, split or merged, unless `keeps_order`.
int vitrine_draco_encode(const uint32_t *indices, uint32_t faces, uint32_t points, const vitrine_draco_stream *streams,
                         int32_t stream_count, int keeps_order, vitrine_encoded *encoded, vitrine_codec_error *error);

// A Zstandard frame of which the unpacked size is known: 1 where exactly `capacity` bytes came out.
int vitrine_zstd_decode(const uint8_t *bytes, size_t count, uint8_t *unpacked, size_t capacity, vitrine_codec_error *error);

#ifdef __cplusplus
}
#endif
