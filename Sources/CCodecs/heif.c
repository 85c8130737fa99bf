#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libheif/heif.h>

#include "bridge.h"

static int failed(vitrine_codec_error *error, struct heif_error problem) {
    vitrine_codec_failure failure = vitrine_codec_malformed;
    if (problem.subcode == heif_suberror_End_of_data) {
        failure = vitrine_codec_truncated;
    } else {
        switch (problem.code) {
        case heif_error_Unsupported_filetype: case heif_error_Unsupported_feature: case heif_error_Decoder_plugin_error:
            failure = vitrine_codec_unsupported;
            break;
        case heif_error_Memory_allocation_error:
            if (problem.subcode != heif_suberror_Security_limit_exceeded) failure = vitrine_codec_no_memory;
            break;
        default: break;
        }
    }
    // A missing decoder and an unreadable stream have the same code.
    if (problem.code == heif_error_Decoder_plugin_error && problem.subcode != heif_suberror_Unsupported_codec) failure = vitrine_codec_malformed;
    return vitrine_fail(error, failure, problem.message ? problem.message : "the library gives no reason");
}

typedef struct heif_work {
    struct heif_context *context;
    struct heif_image_handle *primary;
} heif_work;

static void end(heif_work *work) {
    heif_image_handle_release(work->primary);
    heif_context_free(work->context);
}

// Reads the boxes; `bytes` must outlive the work.
static int begin(heif_work *work, const uint8_t *bytes, size_t count, vitrine_codec_error *error) {
    error->text[0] = 0;
    work->primary = NULL;
    work->context = heif_context_alloc();
    if (!work->context) return vitrine_fail(error, vitrine_codec_no_memory, "out of memory");
    // Photos are decoded side by side: the caller says how many threads there are.
    heif_context_set_max_decoding_threads(work->context, 0);
    struct heif_error problem = heif_context_read_from_memory_without_copy(work->context, bytes, count, NULL);
    if (problem.code == heif_error_Ok) problem = heif_context_get_primary_image_handle(work->context, &work->primary);
    if (problem.code == heif_error_Ok) return 1;
    failed(error, problem);
    end(work);
    return 0;
}

static int read_header(heif_work *work, vitrine_image_header *header, vitrine_codec_error *error) {
    int width = heif_image_handle_get_width(work->primary), height = heif_image_handle_get_height(work->primary);
    int bits = heif_image_handle_get_luma_bits_per_pixel(work->primary);
    if (width <= 0 || height <= 0) return vitrine_fail(error, vitrine_codec_malformed, "an image without a size");
    if (bits > 16) return vitrine_fail(error, vitrine_codec_unsupported, "more than 16 bits a channel");
    if (heif_image_handle_has_alpha_channel(work->primary) && heif_image_handle_is_premultiplied_alpha(work->primary)) {
        return vitrine_fail(error, vitrine_codec_unsupported, "premultiplied alpha");
    }
    header->width = (uint32_t)width;
    header->height = (uint32_t)height;
    header->bytes_per_channel = bits > 8 ? 2 : 1;
    return 1;
}

int vitrine_heif_header(const uint8_t *bytes, size_t count, vitrine_image_header *header, vitrine_codec_error *error) {
    heif_work work;
    if (!begin(&work, bytes, count, error)) return 0;
    int done = read_header(&work, header, error);
    end(&work);
    return done;
}

// Copies the decoded rows; deep ones are spread over 16 bits.
static int copy_rows(const struct heif_image *image, const vitrine_image_header *header, uint8_t *pixels, vitrine_codec_error *error) {
    int stride = 0;
    const uint8_t *rows = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
    int width = heif_image_get_width(image, heif_channel_interleaved), height = heif_image_get_height(image, heif_channel_interleaved);
    size_t row_bytes = (size_t)header->width * 4 * header->bytes_per_channel;
    if (!rows || width < 0 || height < 0 || (uint32_t)width != header->width || (uint32_t)height != header->height || stride < 0 ||
        (size_t)stride < row_bytes) {
        return vitrine_fail(error, vitrine_codec_malformed, "the decoded image has another size than the header says");
    }
    int bits = heif_image_get_bits_per_pixel_range(image, heif_channel_interleaved);
    if (header->bytes_per_channel == 2 && (bits < 9 || bits > 16)) return vitrine_fail(error, vitrine_codec_malformed, "the decoded image has another depth");
    for (uint32_t y = 0; y < header->height; y += 1) {
        const uint8_t *source = rows + (size_t)y * (size_t)stride;
        uint8_t *target = pixels + y * row_bytes;
        memcpy(target, source, row_bytes);
        if (header->bytes_per_channel == 1 || bits == 16) continue;
        unsigned largest = (1u << bits) - 1;
        for (size_t index = 0; index < row_bytes; index += 2) {
            unsigned value = target[index] | (unsigned)target[index + 1] << 8;
            if (value > largest) value = largest;
            value = (value * 65535u + largest / 2) / largest;
            target[index] = (uint8_t)value;
            target[index + 1] = (uint8_t)(value >> 8);
        }
    }
    return 1;
}

// A grid of tiles states the size of the image a second time, and the library allocates it before the sizes can be compared: 834 bytes could claim a gigabyte.
static void limit_size(heif_work *work, const vitrine_image_header *header) {
    // Tiles may be larger than the image, and the image is larger before a crop.
    int side = 2048;
    int sides[] = {(int)header->width, (int)header->height, heif_image_handle_get_ispe_width(work->primary), heif_image_handle_get_ispe_height(work->primary)};
    for (int index = 0; index < 4; index += 1) side = sides[index] > side ? sides[index] : side;
    heif_context_set_maximum_image_size_limit(work->context, side < 1 << 30 ? side + 1 : side);
}

int vitrine_heif_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity, vitrine_codec_error *error) {
    heif_work work;
    if (!begin(&work, bytes, count, error)) return 0;
    vitrine_image_header header;
    int done = read_header(&work, &header, error);
    if (done && !vitrine_fits(header.width, header.height, header.bytes_per_channel, capacity)) {
        done = vitrine_fail(error, vitrine_codec_malformed, "the buffer does not hold the image");
    }
    struct heif_image *image = NULL;
    if (done) {
        limit_size(&work, &header);
        struct heif_decoding_options *options = heif_decoding_options_alloc();
        if (options) options->strict_decoding = 1;
        enum heif_chroma layout = header.bytes_per_channel == 2 ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RGBA;
        struct heif_error problem = heif_decode_image(work.primary, &image, heif_colorspace_RGB, layout, options);
        heif_decoding_options_free(options);
        done = problem.code == heif_error_Ok ? copy_rows(image, &header, pixels, error) : failed(error, problem);
    }
    heif_image_release(image);
    end(&work);
    return done;
}

int vitrine_heif_exif(const uint8_t *bytes, size_t count, vitrine_encoded *encoded, vitrine_codec_error *error) {
    heif_work work;
    if (!begin(&work, bytes, count, error)) return 0;
    encoded->bytes = NULL;
    encoded->count = 0;
    int done = 1;
    heif_item_id item;
    if (heif_image_handle_get_list_of_metadata_block_IDs(work.primary, "Exif", &item, 1) == 1) {
        size_t size = heif_image_handle_get_metadata_size(work.primary, item);
        if (size > 0 && size <= count) {
            encoded->bytes = malloc(size);
            if (encoded->bytes) {
                struct heif_error problem = heif_image_handle_get_metadata(work.primary, item, encoded->bytes);
                encoded->count = size;
                if (problem.code != heif_error_Ok) done = failed(error, problem);
            } else {
                done = vitrine_fail(error, vitrine_codec_no_memory, "out of memory");
            }
        }
    }
    if (!done) {
        free(encoded->bytes);
        encoded->bytes = NULL;
        encoded->count = 0;
    }
    end(&work);
    return done;
}
