#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "png_whole.h"

// Everything a longjmp may cross lives here, in the caller's frame of the function that calls setjmp.
typedef struct png_work {
    png_structp png;
    png_infop info;
    const uint8_t *bytes;
    size_t count;
    size_t offset;
    int64_t row;
    int passes;
    vitrine_output output;
    vitrine_codec_error *error;
} png_work;

static void on_error(png_structp png, png_const_charp text) {
    png_work *work = png_get_error_ptr(png);
    if (work->error->text[0] == 0) vitrine_fail_at(work->error, vitrine_codec_malformed, (int64_t)work->offset, work->row, text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void fail(png_work *work, vitrine_codec_failure failure, const char *text) {
    vitrine_fail_at(work->error, failure, (int64_t)work->offset, work->row, text);
    png_error(work->png, text);
}

static void read_bytes(png_structp png, png_bytep into, size_t count) {
    png_work *work = png_get_io_ptr(png);
    if (count > work->count - work->offset) fail(work, vitrine_codec_truncated, "the file ends early");
    memcpy(into, work->bytes + work->offset, count);
    work->offset += count;
}

static void write_bytes(png_structp png, png_bytep from, size_t count) {
    png_work *work = png_get_io_ptr(png);
    if (!vitrine_output_append(&work->output, from, count)) fail(work, vitrine_codec_no_memory, "out of memory");
}

static void flush_bytes(png_structp png) { (void)png; }

static int begin_reading(png_work *work) {
    work->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, work, on_error, on_warning);
    if (work->png) work->info = png_create_info_struct(work->png);
    if (!work->info) {
        png_destroy_read_struct(&work->png, NULL, NULL);
        return vitrine_fail(work->error, vitrine_codec_no_memory, "libpng does not start");
    }
    return 1;
}

static void read_header(png_work *work) {
    png_set_read_fn(work->png, work, read_bytes);
    png_set_user_limits(work->png, 0x7fffffff, 0x7fffffff);
    // An ancillary chunk may contain the transparent color: dropping it would silently change the image.
    png_set_crc_action(work->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    // Colour profiles, texts and times change no pixel here: skipping them also skips inflating them.
    png_set_keep_unknown_chunks(work->png, PNG_HANDLE_CHUNK_NEVER, (png_const_bytep) "iCCP\0iTXt\0tEXt\0zTXt\0sPLT\0hIST\0", 6);
    png_read_info(work->png, work->info);
}

static void header_of(png_work *work, vitrine_image_header *header) {
    header->width = png_get_image_width(work->png, work->info);
    header->height = png_get_image_height(work->png, work->info);
    header->bytes_per_channel = png_get_bit_depth(work->png, work->info) == 16 ? 2 : 1;
}

// Deflate packs at most 1032 bytes into one: a file shorter than that cannot hold the image that its header names.
static void check_plausible(png_work *work, const vitrine_image_header *header) {
    uint64_t row = ((uint64_t)header->width * png_get_channels(work->png, work->info) * png_get_bit_depth(work->png, work->info) + 7) / 8;
    if (row * header->height / 1032 > work->count) fail(work, vitrine_codec_truncated, "the file is too short for its image size");
}

static int try_header(png_work *work, vitrine_image_header *header) {
    if (setjmp(png_jmpbuf(work->png))) return 0;
    read_header(work);
    header_of(work, header);
    check_plausible(work, header);
    return 1;
}

static int try_decode(png_work *work, uint8_t *pixels, size_t capacity) {
    if (setjmp(png_jmpbuf(work->png))) return 0;
    vitrine_image_header header;
    read_header(work);
    header_of(work, &header);
    if (!vitrine_fits(header.width, header.height, header.bytes_per_channel, capacity)) {
        fail(work, vitrine_codec_malformed, "the buffer does not hold the image");
    }
    png_set_expand(work->png);
    png_set_gray_to_rgb(work->png);
    png_set_add_alpha(work->png, 0xffff, PNG_FILLER_AFTER);
    if (header.bytes_per_channel == 2) png_set_swap(work->png);
    work->passes = png_set_interlace_handling(work->png);
    png_read_update_info(work->png, work->info);
    size_t row_bytes = (size_t)header.width * 4 * header.bytes_per_channel;
    if (png_get_rowbytes(work->png, work->info) != row_bytes) fail(work, vitrine_codec_malformed, "rows are not RGBA");
    for (int pass = 0; pass < work->passes; pass += 1) {
        for (uint32_t y = 0; y < header.height; y += 1) {
            work->row = y;
            png_read_row(work->png, pixels + y * row_bytes, NULL);
        }
    }
    work->row = -1;
    png_read_end(work->png, NULL);
    return 1;
}

static int try_decode_grey(png_work *work, uint8_t *pixels, size_t capacity) {
    if (setjmp(png_jmpbuf(work->png))) return 0;
    vitrine_image_header header;
    read_header(work);
    header_of(work, &header);
    if (png_get_color_type(work->png, work->info) != PNG_COLOR_TYPE_GRAY || png_get_bit_depth(work->png, work->info) < 8) {
        fail(work, vitrine_codec_unsupported, "not a grey image of 8 or 16 bits");
    }
    size_t row_bytes = (size_t)header.width * header.bytes_per_channel;
    if (header.height > 0 && capacity / header.height < row_bytes) fail(work, vitrine_codec_malformed, "the buffer does not hold the image");
    check_plausible(work, &header);
    if (header.bytes_per_channel == 2) png_set_swap(work->png);
    work->passes = png_set_interlace_handling(work->png);
    png_read_update_info(work->png, work->info);
    if (png_get_rowbytes(work->png, work->info) != row_bytes) fail(work, vitrine_codec_malformed, "rows are not grey");
    for (int pass = 0; pass < work->passes; pass += 1) {
        for (uint32_t y = 0; y < header.height; y += 1) {
            work->row = y;
            png_read_row(work->png, pixels + y * row_bytes, NULL);
        }
    }
    work->row = -1;
    png_read_end(work->png, NULL);
    return 1;
}

int vitrine_png_decode_grey(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, vitrine_codec_error *error) {
    png_work work = {.bytes = bytes, .count = count, .row = -1, .error = error};
    error->text[0] = 0;
    if (!begin_reading(&work)) return 0;
    int done = try_decode_grey(&work, pixels, capacity);
    png_destroy_read_struct(&work.png, &work.info, NULL);
    return done;
}

int vitrine_png_header(const uint8_t *bytes, size_t count, vitrine_image_header *header, vitrine_codec_error *error) {
    png_work work = {.bytes = bytes, .count = count, .row = -1, .error = error};
    error->text[0] = 0;
    if (!begin_reading(&work)) return 0;
    int done = try_header(&work, header);
    png_destroy_read_struct(&work.png, &work.info, NULL);
    return done;
}

int vitrine_png_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, vitrine_codec_error *error) {
    png_work work = {.bytes = bytes, .count = count, .row = -1, .error = error};
    error->text[0] = 0;
    if (!begin_reading(&work)) return 0;
    int done = try_decode(&work, pixels, capacity);
    png_destroy_read_struct(&work.png, &work.info, NULL);
    return done;
}

// `channels`: 1 grey, 3 or 4 of pixels that have four.
static int try_encode(png_work *work, const uint8_t *pixels, const vitrine_image_header *header, int channels, int level) {
    if (setjmp(png_jmpbuf(work->png))) return 0;
    png_set_write_fn(work->png, work, write_bytes, flush_bytes);
    png_set_user_limits(work->png, 0x7fffffff, 0x7fffffff);
    png_set_IHDR(work->png, work->info, header->width, header->height, (int)header->bytes_per_channel * 8,
                 channels == 1 ? PNG_COLOR_TYPE_GRAY : channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(work->png, level);
    png_set_filter(work->png, PNG_FILTER_TYPE_BASE, level <= 1 ? PNG_FILTER_UP : PNG_ALL_FILTERS);
    png_write_info(work->png, work->info);
    if (channels == 3) png_set_filler(work->png, 0, PNG_FILLER_AFTER);
    if (header->bytes_per_channel == 2) png_set_swap(work->png);
    size_t row_bytes = (size_t)header->width * (channels == 1 ? 1 : 4) * header->bytes_per_channel;
    for (uint32_t y = 0; y < header->height; y += 1) png_write_row(work->png, pixels + y * row_bytes);
    png_write_end(work->png, NULL);
    return 1;
}

static int encode(const uint8_t *pixels, const vitrine_image_header *header, int channels, int level, vitrine_encoded *encoded,
                  vitrine_codec_error *error) {
    if (vitrine_png_fits_whole(header, channels)) return vitrine_png_encode_whole(pixels, header, channels, level, encoded, error);
    // Larger images need zlib, whose highest level is 9.
    if (level > 9) level = 9;
    png_work work = {.row = -1, .error = error};
    error->text[0] = 0;
    work.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &work, on_error, on_warning);
    if (work.png) work.info = png_create_info_struct(work.png);
    if (!work.info) {
        png_destroy_write_struct(&work.png, NULL);
        return vitrine_fail(error, vitrine_codec_no_memory, "libpng does not start");
    }
    int done = try_encode(&work, pixels, header, channels, level);
    png_destroy_write_struct(&work.png, &work.info);
    if (!done) {
        free(work.output.bytes);
        return 0;
    }
    encoded->bytes = work.output.bytes;
    encoded->count = work.output.count;
    return 1;
}

int vitrine_png_encode(const uint8_t *pixels, const vitrine_image_header *header, int has_alpha, int level, vitrine_encoded *encoded,
                       vitrine_codec_error *error) {
    return encode(pixels, header, has_alpha ? 4 : 3, level, encoded, error);
}

int vitrine_png_encode_grey(const uint8_t *pixels, const vitrine_image_header *header, int level, vitrine_encoded *encoded,
                            vitrine_codec_error *error) {
    return encode(pixels, header, 1, level, encoded, error);
}
