#include <cstring>
#include <new>
#include <stdexcept>
#include <vector>

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputPart.h>
#include <ImfMultiPartInputFile.h>
#include <ImfOutputFile.h>
#include <half.h>

#include "bridge.h"

namespace {

struct Truncated : std::runtime_error {
    Truncated() : std::runtime_error("the file ends early") {}
};

class MemoryInput : public Imf::IStream {
  public:
    MemoryInput(const uint8_t *bytes, size_t count) : IStream("memory"), bytes(bytes), count(count) {}

    bool read(char into[], int wanted) override {
        if (wanted < 0 || static_cast<uint64_t>(wanted) > count - offset) {
            hitEnd = true;
            throw Truncated();
        }
        std::memcpy(into, bytes + offset, static_cast<size_t>(wanted));
        offset += static_cast<uint64_t>(wanted);
        return offset < count;
    }
    uint64_t tellg() override { return offset; }
    void seekg(uint64_t position) override {
        if (position > count) {
            hitEnd = true;
            throw Truncated();
        }
        offset = position;
    }
    void clear() override {}

    // The library wraps what a stream throws into errors of its own.
    bool hitEnd = false;
    uint64_t offset = 0;

  private:
    const uint8_t *bytes;
    uint64_t count;
};

class MemoryOutput : public Imf::OStream {
  public:
    MemoryOutput() : OStream("memory") {}
    ~MemoryOutput() override { vitrine_codec_free(output.bytes); }

    void write(const char from[], int wanted) override {
        const auto *source = reinterpret_cast<const uint8_t *>(from);
        auto length = static_cast<size_t>(wanted);
        // The table of scanline offsets at the front is filled in at the end.
        size_t over = length < output.count - offset ? length : output.count - offset;
        if (over > 0) std::memcpy(output.bytes + offset, source, over);
        if (!vitrine_output_append(&output, source + over, length - over)) throw std::bad_alloc();
        offset += length;
    }
    uint64_t tellp() override { return offset; }
    void seekp(uint64_t position) override {
        if (position > output.count) throw std::runtime_error("a seek over the end");
        offset = position;
    }
    vitrine_output output = {};

  private:
    size_t offset = 0;
};

// The library's messages start with the name of the stream; the caller replaces it by the name of the file.
const char *withoutFile(const char *text) {
    const char *end = std::strstr(text, "\"memory\". ");
    return end ? end + std::strlen("\"memory\". ") : text;
}

// Runs work that may throw; nothing leaves as a C++ exception.
template <typename Work> int guarded(vitrine_codec_error *error, const MemoryInput *input, Work work) {
    error->text[0] = 0;
    try {
        work();
        return 1;
    } catch (const std::bad_alloc &) {
        return vitrine_fail(error, vitrine_codec_no_memory, "out of memory");
    } catch (const std::exception &exception) {
        if (input && input->hitEnd) return vitrine_fail(error, vitrine_codec_truncated, "the file ends early");
        int64_t offset = input ? static_cast<int64_t>(input->offset) : -1;
        return vitrine_fail_at(error, vitrine_codec_malformed, offset, -1, withoutFile(exception.what()));
    } catch (...) {
        return vitrine_fail(error, vitrine_codec_malformed, "OpenEXR refuses the file");
    }
}

}  // namespace

int vitrine_exr_decode(const uint8_t *bytes, size_t count, const int32_t data_window[4], const vitrine_exr_slice *slices, size_t slice_count,
                       vitrine_codec_error *error) {
    MemoryInput input(bytes, count);
    return guarded(error, &input, [&] {
        Imf::MultiPartInputFile file(input, 0, false);
        const Imath::Box2i window = file.header(0).dataWindow();
        if (window.min != Imath::V2i(data_window[0], data_window[1]) || window.max != Imath::V2i(data_window[2], data_window[3])) {
            throw std::runtime_error("the data window is not the header's");
        }
        Imf::InputPart part(file, 0);
        Imf::FrameBuffer frame;
        const int64_t width = int64_t(window.max.x) - window.min.x + 1, height = int64_t(window.max.y) - window.min.y + 1;
        for (size_t index = 0; index < slice_count; index += 1) {
            const vitrine_exr_slice &slice = slices[index];
            frame.insert(slice.channel, Imf::Slice::Make(Imf::FLOAT, slice.first, window.min, width, height, slice.x_stride, slice.y_stride,
                                                         slice.x_sampling, slice.y_sampling, slice.fill));
        }
        part.setFrameBuffer(frame);
        part.readPixels(window.min.y, window.max.y);
    });
}

int vitrine_exr_encode(const float *pixels, uint32_t width, uint32_t height, int has_alpha, int is_half, int compression,
                       vitrine_encoded *encoded, vitrine_codec_error *error) {
    return guarded(error, nullptr, [&] {
        const size_t channels = has_alpha ? 4 : 3;
        const Imf::PixelType type = is_half ? Imf::HALF : Imf::FLOAT;
        Imf::Header header(static_cast<int>(width), static_cast<int>(height));
        header.compression() = static_cast<Imf::Compression>(compression);
        std::vector<half> halves;
        if (is_half) halves.assign(pixels, pixels + size_t(4) * width * height);
        const size_t sample = is_half ? sizeof(half) : sizeof(float);
        char *base = is_half ? reinterpret_cast<char *>(halves.data()) : reinterpret_cast<char *>(const_cast<float *>(pixels));
        Imf::FrameBuffer frame;
        for (size_t index = 0; index < channels; index += 1) {
            const char name[2] = {"RGBA"[index], 0};
            header.channels().insert(name, Imf::Channel(type));
            frame.insert(name, Imf::Slice(type, base + index * sample, 4 * sample, 4 * sample * width));
        }
        MemoryOutput stream;
        {
            // The table is written when the file closes.
            Imf::OutputFile file(stream, header, 0);
            file.setFrameBuffer(frame);
            file.writePixels(static_cast<int>(height));
        }
        *encoded = {stream.output.bytes, stream.output.count};
        stream.output = {};
    });
}
