// PNG where time counts: every row as its difference to the one above, packed whole by libdeflate, which takes half of zlib's time at its fastest level.
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "png_fast.h"

// One chunk of packed bytes, at most 2³¹ − 1 of them, and no surprises in sums of sizes.
static const uint64_t limit = (uint64_t)1 << 30;

static void put32(uint8_t *into, uint32_t value) {
    for (int i = 0; i < 4; i += 1) into[i] = (uint8_t)(value >> (24 - 8 * i));
}

// Ends a chunk whose type and contents are written, and returns where the next begins.
static uint8_t *end_chunk(uint8_t *chunk, size_t count) {
    put32(chunk, (uint32_t)count);
    put32(chunk + 8 + count, libdeflate_crc32(0, chunk + 4, 4 + count));
    return chunk + 12 + count;
}

// A row as PNG stores it: `channels` of each four (or one), samples of 16 bits with the high byte first.
static void pack_row(const uint8_t *pixels, uint8_t *row, uint32_t width, int channels, size_t sample) {
    size_t step = channels == 1 ? 1 : 4;
    if (channels == 3 && sample == 1) {
        for (uint32_t x = 0; x < width; x += 1) {
            row[3 * x] = pixels[4 * x];
            row[3 * x + 1] = pixels[4 * x + 1];
            row[3 * x + 2] = pixels[4 * x + 2];
        }
        return;
    }
    if (sample == 1) {
        memcpy(row, pixels, width * step);
        return;
    }
    for (uint32_t x = 0; x < width; x += 1) {
        for (int c = 0; c < channels; c += 1) {
            const uint8_t *from = pixels + (x * step + (size_t)c) * 2;
            *row++ = from[1];
            *row++ = from[0];
        }
    }
}

// All rows, each after the number of its filter: 2, the difference to the row above.
static void filter(const uint8_t *pixels, uint8_t *rows, uint8_t *last, const vitrine_image_header *header, int channels) {
    size_t sample = header->bytes_per_channel, count = (size_t)header->width * (size_t)channels * sample;
    size_t stride = (size_t)header->width * (channels == 1 ? 1 : 4) * sample;
    uint8_t *now = last + count;
    memset(last, 0, count);
    for (uint32_t y = 0; y < header->height; y += 1) {
        pack_row(pixels + y * stride, now, header->width, channels, sample);
        *rows++ = 2;
        for (size_t i = 0; i < count; i += 1) rows[i] = (uint8_t)(now[i] - last[i]);
        rows += count;
        memcpy(last, now, count);
    }
}

static size_t write_file(uint8_t *file, size_t room, const uint8_t *rows, size_t count, const vitrine_image_header *header, int channels) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(1);
    if (!compressor) return 0;
    memcpy(file, "\x89PNG\r\n\x1a\n", 8);
    uint8_t *chunk = file + 8;
    memcpy(chunk + 4, "IHDR", 4);
    put32(chunk + 8, header->width);
    put32(chunk + 12, header->height);
    chunk[16] = (uint8_t)(header->bytes_per_channel * 8);
    chunk[17] = channels == 1 ? 0 : channels == 3 ? 2 : 6;
    memset(chunk + 18, 0, 3);
    chunk = end_chunk(chunk, 13);
    memcpy(chunk + 4, "IDAT", 4);
    size_t packed = libdeflate_zlib_compress(compressor, rows, count, chunk + 8, room);
    libdeflate_free_compressor(compressor);
    if (packed == 0) return 0;
    chunk = end_chunk(chunk, packed);
    memcpy(chunk + 4, "IEND", 4);
    return (size_t)(end_chunk(chunk, 0) - file);
}

int vitrine_png_fits_fast(const vitrine_image_header *header, int channels) {
    if (header->width == 0 || header->height == 0) return 0;
    uint64_t row = (uint64_t)header->width * (uint64_t)channels * header->bytes_per_channel + 1;
    return row <= limit / header->height;
}

int vitrine_png_encode_fast(const uint8_t *pixels, const vitrine_image_header *header, int channels, vitrine_encoded *encoded,
                            vitrine_codec_error *error) {
    error->text[0] = 0;
    size_t row = (size_t)header->width * (size_t)channels * header->bytes_per_channel;
    size_t count = (row + 1) * header->height, room = libdeflate_zlib_compress_bound(NULL, count);
    uint8_t *rows = malloc(count), *last = malloc(2 * row), *file = malloc(room + 64);
    size_t length = 0;
    if (rows && last && file) {
        filter(pixels, rows, last, header, channels);
        length = write_file(file, room, rows, count, header, channels);
    }
    free(rows);
    free(last);
    if (length == 0) {
        free(file);
        return vitrine_fail(error, vitrine_codec_no_memory, "out of memory");
    }
    uint8_t *fitting = realloc(file, length);
    encoded->bytes = fitting ? fitting : file;
    encoded->count = length;
    return 1;
}
