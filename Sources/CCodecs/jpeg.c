#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "bridge.h"

// A progressive file may have many scans, each as expensive as the image: encoders use about ten.
enum { maximum_scans = 200 };

// Everything a longjmp may cross lives here, in the caller's frame of the function that calls setjmp.
typedef struct jpeg_work {
    union {
        struct jpeg_decompress_struct decompress;
        struct jpeg_compress_struct compress;
    };
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    struct jpeg_destination_mgr destination;
    jmp_buf escape;
    const uint8_t *bytes;
    size_t count;
    uint8_t *row_buffer;
    uint8_t chunk[1 << 14];
    vitrine_output output;
    int reading;
    vitrine_codec_error *error;
} jpeg_work;

static void fail(jpeg_work *work, vitrine_codec_failure failure, const char *text) {
    int64_t offset = -1, row = -1;
    if (work->reading) {
        struct jpeg_decompress_struct *info = &work->decompress;
        if (info->src && info->src->bytes_in_buffer <= work->count) offset = (int64_t)(work->count - info->src->bytes_in_buffer);
        if (failure == vitrine_codec_truncated) offset = (int64_t)work->count;
        if (info->output_scanline > 0) row = info->output_scanline;
    }
    vitrine_fail_at(work->error, failure, offset, row, text);
    longjmp(work->escape, 1);
}

static vitrine_codec_failure failure_of(int code) {
    switch (code) {
    case JERR_INPUT_EOF: case JERR_INPUT_EMPTY: case JWRN_JPEG_EOF: return vitrine_codec_truncated;
    case JERR_OUT_OF_MEMORY: return vitrine_codec_no_memory;
    case JERR_ARITH_NOTIMPL: case JERR_BAD_PRECISION: case JERR_NOT_COMPILED: case JERR_SOF_UNSUPPORTED: case JERR_CONVERSION_NOTIMPL:
        return vitrine_codec_unsupported;
    default: return vitrine_codec_malformed;
    }
}

static void on_error(j_common_ptr info) {
    jpeg_work *work = info->client_data;
    char text[JMSG_LENGTH_MAX];
    info->err->format_message(info, text);
    fail(work, failure_of(info->err->msg_code), text);
}

// After damage the library continues and returns gray blocks. Only warnings that keep the image complete are accepted.
static void on_message(j_common_ptr info, int level) {
    if (level >= 0) return;
    switch (info->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA: case JWRN_JFIF_MAJOR: case JWRN_ADOBE_XFORM: return;
    default: on_error(info);
    }
}

static void on_output(j_common_ptr info) { (void)info; }

static void on_progress(j_common_ptr info) {
    jpeg_work *work = info->client_data;
    if (work->decompress.input_scan_number > maximum_scans) fail(work, vitrine_codec_unsupported, "more than 200 scans");
}

static void install_errors(jpeg_work *work, struct jpeg_error_mgr **slot) {
    *slot = jpeg_std_error(&work->errors);
    work->errors.error_exit = on_error;
    work->errors.emit_message = on_message;
    work->errors.output_message = on_output;
}

static void read_header(jpeg_work *work) {
    struct jpeg_decompress_struct *info = &work->decompress;
    work->progress.progress_monitor = on_progress;
    info->progress = &work->progress;
    jpeg_mem_src(info, work->bytes, (unsigned long)work->count);
    jpeg_read_header(info, TRUE);
}

static int try_header(jpeg_work *work, vitrine_image_header *header) {
    if (setjmp(work->escape)) return 0;
    jpeg_create_decompress(&work->decompress);
    work->decompress.client_data = work;
    read_header(work);
    header->width = work->decompress.image_width;
    header->height = work->decompress.image_height;
    header->bytes_per_channel = 1;
    return 1;
}

// Adobe's programs store the inks inverted, which their marker states.
static void rgba_from_cmyk(const uint8_t *cmyk, uint8_t *rgba, size_t width, int inverted) {
    uint8_t flip = inverted ? 0 : 255;
    for (size_t x = 0; x < width; x += 1, cmyk += 4, rgba += 4) {
        unsigned paper = cmyk[3] ^ flip;
        for (int channel = 0; channel < 3; channel += 1) rgba[channel] = (uint8_t)(((cmyk[channel] ^ flip) * paper + 127) / 255);
        rgba[3] = 255;
    }
}

// Each eighth of `eighths` is a coefficient row of the 8 × 8 blocks: the rest is never computed.
static int try_decode(jpeg_work *work, unsigned eighths, uint8_t *pixels, size_t capacity, vitrine_image_header *decoded) {
    if (setjmp(work->escape)) return 0;
    struct jpeg_decompress_struct *info = &work->decompress;
    jpeg_create_decompress(info);
    info->client_data = work;
    read_header(work);
    info->scale_num = eighths;
    info->scale_denom = 8;
    jpeg_calc_output_dimensions(info);
    if (!vitrine_fits(info->output_width, info->output_height, 1, capacity)) {
        fail(work, vitrine_codec_malformed, "the buffer does not hold the image");
    }
    decoded->width = info->output_width;
    decoded->height = info->output_height;
    decoded->bytes_per_channel = 1;
    int inks = info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
    info->out_color_space = inks ? JCS_CMYK : JCS_EXT_RGBA;
    jpeg_start_decompress(info);
    size_t row_bytes = (size_t)info->output_width * 4;
    if (inks && !(work->row_buffer = malloc(row_bytes))) fail(work, vitrine_codec_no_memory, "out of memory");
    while (info->output_scanline < info->output_height) {
        uint8_t *destination = pixels + info->output_scanline * row_bytes;
        JSAMPROW row = inks ? work->row_buffer : destination;
        if (jpeg_read_scanlines(info, &row, 1) != 1) fail(work, vitrine_codec_truncated, "the file ends early");
        if (inks) rgba_from_cmyk(row, destination, info->output_width, info->saw_Adobe_marker);
    }
    jpeg_finish_decompress(info);
    return 1;
}

static int try_decode_planes(jpeg_work *work, uint8_t *pixels, size_t capacity, uint32_t *channels) {
    if (setjmp(work->escape)) return 0;
    struct jpeg_decompress_struct *info = &work->decompress;
    jpeg_create_decompress(info);
    info->client_data = work;
    read_header(work);
    if (info->jpeg_color_space != JCS_GRAYSCALE && info->jpeg_color_space != JCS_YCbCr) {
        fail(work, vitrine_codec_unsupported, "neither grey nor YCbCr");
    }
    info->out_color_space = info->jpeg_color_space;
    *channels = info->jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
    jpeg_calc_output_dimensions(info);
    size_t row_bytes = (size_t)info->output_width * *channels;
    if (info->output_height == 0 || capacity / info->output_height < row_bytes) {
        fail(work, vitrine_codec_malformed, "the buffer does not hold the image");
    }
    jpeg_start_decompress(info);
    while (info->output_scanline < info->output_height) {
        JSAMPROW row = pixels + info->output_scanline * row_bytes;
        if (jpeg_read_scanlines(info, &row, 1) != 1) fail(work, vitrine_codec_truncated, "the file ends early");
    }
    jpeg_finish_decompress(info);
    return 1;
}

// The structure is large (it holds the output chunk), so it does not live on the stack.
static jpeg_work *begin(int reading, vitrine_codec_error *error) {
    jpeg_work *work = calloc(1, sizeof *work);
    error->text[0] = 0;
    if (!work) {
        vitrine_fail(error, vitrine_codec_no_memory, "out of memory");
        return NULL;
    }
    work->reading = reading;
    work->error = error;
    // Creation itself may fail and call the handler, which finds its work here.
    if (reading) {
        install_errors(work, &work->decompress.err);
        work->decompress.client_data = work;
    } else {
        install_errors(work, &work->compress.err);
        work->compress.client_data = work;
    }
    return work;
}

static int end(jpeg_work *work, int done) {
    if (work->reading) {
        jpeg_destroy_decompress(&work->decompress);
    } else {
        jpeg_destroy_compress(&work->compress);
    }
    free(work->row_buffer);
    free(work);
    return done;
}

int vitrine_jpeg_header(const uint8_t *bytes, size_t count, vitrine_image_header *header, vitrine_codec_error *error) {
    jpeg_work *work = begin(1, error);
    if (!work) return 0;
    work->bytes = bytes;
    work->count = count;
    return end(work, try_header(work, header));
}

int vitrine_jpeg_decode_scaled(const uint8_t *bytes, size_t count, unsigned eighths, uint8_t *pixels, size_t capacity,
                               vitrine_image_header *decoded, vitrine_codec_error *error) {
    jpeg_work *work = begin(1, error);
    if (!work) return 0;
    work->bytes = bytes;
    work->count = count;
    return end(work, try_decode(work, eighths, pixels, capacity, decoded));
}

int vitrine_jpeg_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, vitrine_codec_error *error) {
    vitrine_image_header decoded;
    return vitrine_jpeg_decode_scaled(bytes, count, 8, pixels, capacity, &decoded, error);
}

int vitrine_jpeg_decode_planes(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, uint32_t *channels,
                               vitrine_codec_error *error) {
    jpeg_work *work = begin(1, error);
    if (!work) return 0;
    work->bytes = bytes;
    work->count = count;
    return end(work, try_decode_planes(work, pixels, capacity, channels));
}

static void start_chunk(j_compress_ptr info) {
    jpeg_work *work = info->client_data;
    work->destination.next_output_byte = work->chunk;
    work->destination.free_in_buffer = sizeof work->chunk;
}

static void append(jpeg_work *work, size_t count) {
    if (!vitrine_output_append(&work->output, work->chunk, count)) fail(work, vitrine_codec_no_memory, "out of memory");
}

static boolean empty_chunk(j_compress_ptr info) {
    append(info->client_data, sizeof ((jpeg_work *)0)->chunk);
    start_chunk(info);
    return TRUE;
}

static void last_chunk(j_compress_ptr info) {
    jpeg_work *work = info->client_data;
    append(work, sizeof work->chunk - work->destination.free_in_buffer);
}

static int try_encode(jpeg_work *work, const uint8_t *pixels, const vitrine_image_header *header, int quality) {
    if (setjmp(work->escape)) return 0;
    struct jpeg_compress_struct *info = &work->compress;
    jpeg_create_compress(info);
    info->client_data = work;
    work->destination.init_destination = start_chunk;
    work->destination.empty_output_buffer = empty_chunk;
    work->destination.term_destination = last_chunk;
    info->dest = &work->destination;
    info->image_width = header->width;
    info->image_height = header->height;
    info->input_components = 4;
    info->in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, quality, TRUE);
    info->optimize_coding = TRUE;
    if (quality >= 90) info->comp_info[0].h_samp_factor = info->comp_info[0].v_samp_factor = 1;
    jpeg_start_compress(info, TRUE);
    size_t row_bytes = (size_t)header->width * 4;
    while (info->next_scanline < info->image_height) {
        JSAMPROW row = (JSAMPROW)(pixels + info->next_scanline * row_bytes);
        jpeg_write_scanlines(info, &row, 1);
    }
    jpeg_finish_compress(info);
    return 1;
}

int vitrine_jpeg_encode(const uint8_t *pixels, const vitrine_image_header *header, int quality, vitrine_encoded *encoded,
                        vitrine_codec_error *error) {
    jpeg_work *work = begin(0, error);
    if (!work) return 0;
    int done = try_encode(work, pixels, header, quality);
    if (done) {
        encoded->bytes = work->output.bytes;
        encoded->count = work->output.count;
    } else {
        free(work->output.bytes);
    }
    return end(work, done);
}
