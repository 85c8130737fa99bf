#include <cstring>
#include <memory>
#include <new>
#include <string>

#include <draco/attributes/geometry_indices.h>
#include <draco/compression/attributes/prediction_schemes/mesh_prediction_scheme_data.h>
#include <draco/compression/attributes/prediction_schemes/mesh_prediction_scheme_tex_coords_decoder.h>
#include <draco/compression/attributes/prediction_schemes/mesh_prediction_scheme_tex_coords_portable_decoder.h>
#include <draco/compression/attributes/prediction_schemes/prediction_scheme_wrap_decoding_transform.h>
#include <draco/compression/decode.h>
#include <draco/compression/expert_encode.h>
#include <draco/compression/point_cloud/point_cloud_decoder.h>
#include <draco/core/varint_decoding.h>
#include <draco/mesh/corner_table.h>
#include <draco/mesh/mesh.h>
#include <draco/mesh/mesh_attribute_corner_table.h>
#include <draco/metadata/metadata_decoder.h>

#include "bridge.h"

// The count of the orientations with which texture coordinates are predicted: libdraco 1.5.5 decodes as many as a stream claims, 1.3 · 10⁹ in 4 s.
// These specializations refuse more than one for each corner. The dynamic linker prefers them to the library's own, because both are exported.
namespace draco {

using Wrap = PredictionSchemeWrapDecodingTransform<int, int>;
template <typename Table> using Portable = MeshPredictionSchemeTexCoordsPortableDecoder<int, Wrap, MeshPredictionSchemeData<Table>>;
template <typename Table> using Deprecated = MeshPredictionSchemeTexCoordsDecoder<int, Wrap, MeshPredictionSchemeData<Table>>;

// Reads a bit for each orientation: 0 where it differs from the one before. The first is compared with true.
template <typename Store>
static bool decode_orientations(DecoderBuffer *buffer, uint32_t count, Store store) {
    RAnsBitDecoder bits;
    if (!bits.StartDecoding(buffer)) return false;
    for (uint32_t index = 0, orientation = 1; index < count; index += 1) {
        orientation = orientation == static_cast<uint32_t>(bits.DecodeNextBit());
        store(index, orientation != 0);
    }
    bits.EndDecoding();
    return true;
}

#define VITRINE_BOUND_ORIENTATIONS(Table)                                                                              \
    template <>                                                                                                        \
    bool Portable<Table>::DecodePredictionData(DecoderBuffer *buffer) {                                                \
        int32_t count;                                                                                                 \
        if (!buffer->Decode(&count) || count < 0 || count > mesh_data().corner_table()->num_corners()) return false;   \
        predictor_.ResizeOrientations(count);                                                                          \
        auto store = [&](uint32_t index, bool value) { predictor_.set_orientation(static_cast<int>(index), value); };  \
        return decode_orientations(buffer, static_cast<uint32_t>(count), store)                                        \
            && MeshPredictionSchemeDecoder<int, Wrap, MeshPredictionSchemeData<Table>>::DecodePredictionData(buffer);  \
    }                                                                                                                  \
    template <>                                                                                                        \
    bool Deprecated<Table>::DecodePredictionData(DecoderBuffer *buffer) {                                              \
        uint32_t count;                                                                                                \
        const bool is_varint = buffer->bitstream_version() >= DRACO_BITSTREAM_VERSION(2, 2);                           \
        if (!(is_varint ? DecodeVarint(&count, buffer) : buffer->Decode(&count))) return false;                        \
        if (count == 0 || count > static_cast<uint32_t>(mesh_data().corner_table()->num_corners())) return false;      \
        orientations_.resize(count);                                                                                   \
        auto store = [&](uint32_t index, bool value) { orientations_[index] = value; };                                \
        return decode_orientations(buffer, count, store)                                                               \
            && MeshPredictionSchemeDecoder<int, Wrap, MeshPredictionSchemeData<Table>>::DecodePredictionData(buffer);  \
    }

VITRINE_BOUND_ORIENTATIONS(CornerTable)
VITRINE_BOUND_ORIENTATIONS(MeshAttributeCornerTable)

}  // namespace draco

struct vitrine_draco_mesh {
    std::unique_ptr<draco::Mesh> mesh;
};

namespace {

// What the stream says about its size, read before the library asks for memory.
struct Sizes {
    uint32_t faces = 0;
    uint32_t points = 0;
};

bool read_number(draco::DecoderBuffer &buffer, bool is_varint, uint32_t *value) {
    return is_varint ? draco::DecodeVarint(value, &buffer) : buffer.Decode(value);
}

bool read_sizes(const uint8_t *bytes, size_t count, Sizes *sizes) {
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char *>(bytes), count);
    draco::DracoHeader header;
    if (!draco::PointCloudDecoder::DecodeHeader(&buffer, &header).ok()) return false;
    if (header.encoder_type != draco::TRIANGULAR_MESH) return false;
    const uint16_t version = DRACO_BITSTREAM_VERSION(header.version_major, header.version_minor);
    buffer.set_bitstream_version(version);
    if (version >= DRACO_BITSTREAM_VERSION(1, 3) && (header.flags & METADATA_FLAG_MASK) != 0) {
        draco::GeometryMetadata metadata;
        draco::MetadataDecoder decoder;
        if (!decoder.DecodeGeometryMetadata(&buffer, &metadata)) return false;
    }
    if (header.encoder_method == draco::MESH_SEQUENTIAL_ENCODING) {
        const bool is_varint = version >= DRACO_BITSTREAM_VERSION(2, 2);
        return read_number(buffer, is_varint, &sizes->faces) && read_number(buffer, is_varint, &sizes->points);
    }
    uint8_t traversal;
    uint32_t added;
    if (!buffer.Decode(&traversal)) return false;
    const bool is_varint = version >= DRACO_BITSTREAM_VERSION(2, 0);
    if (version < DRACO_BITSTREAM_VERSION(2, 2) && !read_number(buffer, is_varint, &added)) return false;
    return read_number(buffer, is_varint, &sizes->points) && read_number(buffer, is_varint, &sizes->faces);
}

template <typename T>
void convert(const draco::PointAttribute &attribute, uint32_t points, float *values) {
    const int components = attribute.num_components();
    T element[16];
    for (uint32_t point = 0; point < points; point += 1) {
        attribute.GetMappedValue(draco::PointIndex(point), element);
        for (int component = 0; component < components; component += 1) *values++ = static_cast<float>(element[component]);
    }
}

draco::GeometryAttribute::Type type_of(int kind) {
    switch (kind) {
        case vitrine_draco_position: return draco::GeometryAttribute::POSITION;
        case vitrine_draco_normal: return draco::GeometryAttribute::NORMAL;
        case vitrine_draco_color: return draco::GeometryAttribute::COLOR;
        case vitrine_draco_coordinate: return draco::GeometryAttribute::TEX_COORD;
        default: return draco::GeometryAttribute::GENERIC;
    }
}

// Adds a stream of floats, or of 16-bit integers where `is_integer`; the attribute's index, or -1.
int add_attribute(draco::Mesh &mesh, const vitrine_draco_stream &stream, uint32_t points) {
    const draco::DataType type = stream.is_integer ? draco::DT_UINT16 : draco::DT_FLOAT32;
    const size_t size = stream.is_integer ? 2 : 4;
    draco::GeometryAttribute attribute;
    attribute.Init(type_of(stream.kind), nullptr, static_cast<uint8_t>(stream.components), type, false,
                   static_cast<int64_t>(size) * stream.components, 0);
    const int index = mesh.AddAttribute(attribute, true, points);
    if (index < 0) return -1;
    draco::PointAttribute *target = mesh.attribute(index);
    uint16_t shorts[16];
    for (uint32_t point = 0; point < points; point += 1) {
        const float *values = stream.values + static_cast<size_t>(point) * stream.components;
        if (stream.is_integer) {
            for (int component = 0; component < stream.components; component += 1) {
                shorts[component] = static_cast<uint16_t>(values[component]);
            }
            target->SetAttributeValue(draco::AttributeValueIndex(point), shorts);
        } else {
            target->SetAttributeValue(draco::AttributeValueIndex(point), values);
        }
    }
    return index;
}

}  // namespace

vitrine_draco_mesh *vitrine_draco_decode(const uint8_t *bytes, size_t count, uint32_t limit, vitrine_codec_error *error) {
    try {
        Sizes sizes;
        if (!read_sizes(bytes, count, &sizes)) {
            vitrine_fail(error, vitrine_codec_malformed, "is no Draco mesh");
            return nullptr;
        }
        if (sizes.faces > limit || sizes.points > limit) {
            vitrine_fail(error, vitrine_codec_no_memory, "the Draco mesh has more triangles or vertices than are allowed");
            return nullptr;
        }
        draco::DecoderBuffer buffer;
        buffer.Init(reinterpret_cast<const char *>(bytes), count);
        draco::Decoder decoder;
        auto result = decoder.DecodeMeshFromBuffer(&buffer);
        if (!result.ok()) {
            vitrine_fail(error, vitrine_codec_malformed, ("the Draco mesh cannot be decoded: " + result.status().error_msg_string()).c_str());
            return nullptr;
        }
        std::unique_ptr<draco::Mesh> mesh = std::move(result).value();
        if (mesh->num_points() > 3 * static_cast<uint64_t>(limit)) {
            vitrine_fail(error, vitrine_codec_no_memory, "the Draco mesh has more vertices than are allowed");
            return nullptr;
        }
        // What drawing takes for granted, the library does not check.
        for (uint32_t face = 0; face < mesh->num_faces(); face += 1) {
            for (const draco::PointIndex corner : mesh->face(draco::FaceIndex(face))) {
                if (corner.value() >= mesh->num_points()) {
                    vitrine_fail(error, vitrine_codec_malformed, "the Draco mesh names a vertex that it lacks");
                    return nullptr;
                }
            }
        }
        return new vitrine_draco_mesh{std::move(mesh)};
    } catch (const std::bad_alloc &) {
        vitrine_fail(error, vitrine_codec_no_memory, "");
    } catch (const std::exception &problem) {
        vitrine_fail(error, vitrine_codec_malformed, problem.what());
    }
    return nullptr;
}

void vitrine_draco_free(vitrine_draco_mesh *mesh) { delete mesh; }

uint32_t vitrine_draco_points(const vitrine_draco_mesh *mesh) { return mesh->mesh->num_points(); }
uint32_t vitrine_draco_faces(const vitrine_draco_mesh *mesh) { return mesh->mesh->num_faces(); }
int32_t vitrine_draco_attributes(const vitrine_draco_mesh *mesh) { return mesh->mesh->num_attributes(); }

void vitrine_draco_indices(const vitrine_draco_mesh *mesh, uint32_t *indices) {
    for (uint32_t face = 0; face < mesh->mesh->num_faces(); face += 1) {
        for (const draco::PointIndex corner : mesh->mesh->face(draco::FaceIndex(face))) *indices++ = corner.value();
    }
}

void vitrine_draco_attribute(const vitrine_draco_mesh *mesh, int32_t index, uint32_t *id, int32_t *components) {
    const draco::PointAttribute *attribute = mesh->mesh->attribute(index);
    *id = attribute->unique_id();
    *components = attribute->num_components();
}

int vitrine_draco_values(const vitrine_draco_mesh *mesh, int32_t index, float *values) {
    const draco::PointAttribute &attribute = *mesh->mesh->attribute(index);
    const uint32_t points = mesh->mesh->num_points();
    if (attribute.num_components() < 1 || attribute.num_components() > 16) return 0;
    for (uint32_t point = 0; point < points; point += 1) {
        if (attribute.mapped_index(draco::PointIndex(point)).value() >= attribute.size()) return 0;
    }
    switch (attribute.data_type()) {
        case draco::DT_INT8: convert<int8_t>(attribute, points, values); return 1;
        case draco::DT_UINT8: convert<uint8_t>(attribute, points, values); return 1;
        case draco::DT_INT16: convert<int16_t>(attribute, points, values); return 1;
        case draco::DT_UINT16: convert<uint16_t>(attribute, points, values); return 1;
        case draco::DT_INT32: convert<int32_t>(attribute, points, values); return 1;
        case draco::DT_UINT32: convert<uint32_t>(attribute, points, values); return 1;
        case draco::DT_FLOAT32: convert<float>(attribute, points, values); return 1;
        default: return 0;
    }
}

int vitrine_draco_encode(const uint32_t *indices, uint32_t faces, uint32_t points, const vitrine_draco_stream *streams,
                         int32_t stream_count, int keeps_order, vitrine_encoded *encoded, vitrine_codec_error *error) {
    try {
        draco::Mesh mesh;
        mesh.SetNumFaces(faces);
        mesh.set_num_points(points);
        for (uint32_t face = 0; face < faces; face += 1) {
            const uint32_t *corners = indices + 3 * static_cast<size_t>(face);
            mesh.SetFace(draco::FaceIndex(face), {{draco::PointIndex(corners[0]), draco::PointIndex(corners[1]), draco::PointIndex(corners[2])}});
        }
        draco::ExpertEncoder encoder(mesh);
        for (int32_t number = 0; number < stream_count; number += 1) {
            const int index = add_attribute(mesh, streams[number], points);
            // A stream's id in the file is its place in the list.
            if (index != number) return vitrine_fail(error, vitrine_codec_malformed, "a stream cannot be added");
            mesh.attribute(index)->set_unique_id(static_cast<uint32_t>(number));
            if (streams[number].bits > 0) encoder.SetAttributeQuantization(index, streams[number].bits);
        }
        encoder.SetEncodingMethod(keeps_order ? draco::MESH_SEQUENTIAL_ENCODING : draco::MESH_EDGEBREAKER_ENCODING);
        encoder.SetSpeedOptions(3, 3);
        draco::EncoderBuffer buffer;
        const draco::Status status = encoder.EncodeToBuffer(&buffer);
        if (!status.ok()) return vitrine_fail(error, vitrine_codec_malformed, status.error_msg());
        vitrine_output output = {nullptr, 0, 0};
        if (!vitrine_output_append(&output, reinterpret_cast<const uint8_t *>(buffer.data()), buffer.size())) {
            return vitrine_fail(error, vitrine_codec_no_memory, "");
        }
        encoded->bytes = output.bytes;
        encoded->count = output.count;
        return 1;
    } catch (const std::bad_alloc &) {
        return vitrine_fail(error, vitrine_codec_no_memory, "");
    } catch (const std::exception &problem) {
        return vitrine_fail(error, vitrine_codec_malformed, problem.what());
    }
}
