// Encodes a PNG whose rows libdeflate packs in one go: in half of zlib's time at the same size.
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "png_whole.h"

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

enum { filter_count = 5, filter_up = 2 };

// The filters of PNG. `row` and `above` are preceded by `step` zeros, the bytes of a pixel.
static void subtract_left(const uint8_t *restrict row, uint8_t *restrict into, size_t count, size_t step) {
    for (size_t i = 0; i < count; i += 1) into[i] = (uint8_t)(row[i] - row[i - step]);
}

static void subtract_above(const uint8_t *restrict row, const uint8_t *restrict above, uint8_t *restrict into, size_t count) {
    for (size_t i = 0; i < count; i += 1) into[i] = (uint8_t)(row[i] - above[i]);
}

static void subtract_mean(const uint8_t *restrict row, const uint8_t *restrict above, uint8_t *restrict into, size_t count, size_t step) {
    for (size_t i = 0; i < count; i += 1) into[i] = (uint8_t)(row[i] - ((row[i - step] + above[i]) >> 1));
}

static void subtract_paeth(const uint8_t *restrict row, const uint8_t *restrict above, uint8_t *restrict into, size_t count, size_t step) {
    for (size_t i = 0; i < count; i += 1) {
        int16_t left = row[i - step], up = above[i], corner = above[i - step];
        int16_t a = (int16_t)(up - corner), b = (int16_t)(left - corner), c = (int16_t)(a + b);
        a = a < 0 ? -a : a;
        b = b < 0 ? -b : b;
        c = c < 0 ? -c : c;
        int16_t nearest = a <= b && a <= c ? left : b <= c ? up : corner;
        into[i] = (uint8_t)(row[i] - nearest);
    }
}

// The sum of the magnitudes of signed bytes, by which the specification of PNG compares filters (12.8).
static uint64_t magnitude(const uint8_t *bytes, size_t count) {
    uint64_t sum = 0;
    for (size_t first = 0; first < count; first += 4096) {
        size_t end = count - first < 4096 ? count : first + 4096;
        uint32_t part = 0;
        for (size_t i = first; i < end; i += 1) {
            uint8_t value = bytes[i], negative = (uint8_t)-value;
            part += value < negative ? value : negative;
        }
        sum += part;
    }
    return sum;
}

// Writes all rows, each after the number of its filter. `adaptive`: the filter of least magnitude; otherwise the difference to the row above.
static int filter(const uint8_t *pixels, uint8_t *rows, const vitrine_image_header *header, int channels, int adaptive) {
    size_t sample = header->bytes_per_channel, step = (size_t)channels * sample, count = (size_t)header->width * step;
    size_t stride = (size_t)header->width * (channels == 1 ? 1 : 4) * sample;
    uint8_t *memory = calloc(2 + filter_count, step + count);
    if (!memory) return 0;
    uint8_t *row = memory + step, *above = row + count + step, *filtered[filter_count];
    for (int i = 0; i < filter_count; i += 1) filtered[i] = memory + (size_t)(2 + i) * (step + count);
    for (uint32_t y = 0; y < header->height; y += 1) {
        pack_row(pixels + y * stride, row, header->width, channels, sample);
        subtract_above(row, above, filtered[filter_up], count);
        int best = filter_up;
        if (adaptive) {
            memcpy(filtered[0], row, count);
            subtract_left(row, filtered[1], count, step);
            subtract_mean(row, above, filtered[3], count, step);
            subtract_paeth(row, above, filtered[4], count, step);
            uint64_t least = UINT64_MAX;
            for (int i = 0; i < filter_count; i += 1) {
                uint64_t sum = magnitude(filtered[i], count);
                if (sum < least) {
                    least = sum;
                    best = i;
                }
            }
        }
        *rows = (uint8_t)best;
        memcpy(rows + 1, filtered[best], count);
        rows += 1 + count;
        uint8_t *used = above;
        above = row;
        row = used;
    }
    free(memory);
    return 1;
}

static size_t write_file(uint8_t *file, size_t room, const uint8_t *rows, size_t count, const vitrine_image_header *header, int channels,
                         int level) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
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

int vitrine_png_fits_whole(const vitrine_image_header *header, int channels) {
    if (header->width == 0 || header->height == 0) return 0;
    uint64_t row = (uint64_t)header->width * (uint64_t)channels * header->bytes_per_channel + 1;
    return row <= limit / header->height;
}

int vitrine_png_encode_whole(const uint8_t *pixels, const vitrine_image_header *header, int channels, int level, vitrine_encoded *encoded,
                             vitrine_codec_error *error) {
    error->text[0] = 0;
    size_t row = (size_t)header->width * (size_t)channels * header->bytes_per_channel;
    size_t count = (row + 1) * header->height, room = libdeflate_zlib_compress_bound(NULL, count);
    uint8_t *rows = malloc(count), *file = malloc(room + 64);
    size_t length = 0;
    if (rows && file && filter(pixels, rows, header, channels, level > 1)) length = write_file(file, room, rows, count, header, channels, level);
    free(rows);
    if (length == 0) {
        free(file);
        return vitrine_fail(error, vitrine_codec_no_memory, "out of memory");
    }
    uint8_t *fitting = realloc(file, length);
    encoded->bytes = fitting ? fitting : file;
    encoded->count = length;
    return 1;
}
