import CCodecs
import VitrineGLTF

/// Encodes and decodes Draco meshes with the library.
enum DracoCodec {
    static func decode(_ bytes: ArraySlice<UInt8>, limit: Int) throws(GLTFDecoderError) -> DracoMesh {
        var error = vitrine_codec_error()
        let made = bytes.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.flatMap { vitrine_draco_decode($0, buffer.count, UInt32(clamping: limit), &error) }
        }
        guard let handle = made else { throw GLTFDecoderError(text(error)) }
        defer { vitrine_draco_free(handle) }
        let (points, faces) = (Int(vitrine_draco_points(handle)), Int(vitrine_draco_faces(handle)))
        let indices = [UInt32](unsafeUninitializedCapacity: faces * 3) { buffer, initialized in
            if faces > 0, let start = buffer.baseAddress { vitrine_draco_indices(handle, start) }
            initialized = faces * 3
        }
        var streams: [DracoMesh.Stream] = []
        for index in 0..<vitrine_draco_attributes(handle) {
            var (id, components): (UInt32, Int32) = (0, 0)
            vitrine_draco_attribute(handle, index, &id, &components)
            guard (1...16).contains(components) else { throw GLTFDecoderError("a Draco attribute has \(components) components") }
            let count = points * Int(components)
            var isDone = true
            let values = [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
                if count > 0, let start = buffer.baseAddress { isDone = vitrine_draco_values(handle, index, start) == 1 }
                initialized = isDone ? count : 0
            }
            guard isDone else { throw GLTFDecoderError("the values of the Draco attribute \(id) cannot be decoded") }
            streams.append(DracoMesh.Stream(id: Int(id), componentCount: Int(components), values: values))
        }
        return DracoMesh(vertexCount: points, indices: indices, streams: streams)
    }

    /// A stream to encode.
    struct Stream {
        let kind: vitrine_draco_kind
        let componentCount: Int
        /// The number of bits to which each number is quantized; 0 for lossless encoding.
        let bits: Int
        var isInteger = false
        let values: [Float]
    }

    /// Encodes a mesh.
    ///
    /// - Parameter keepsOrder: Whether vertices keep their order, which takes more bytes; morph targets require it.
    static func encode(
        indices: [UInt32], vertexCount: Int, streams: [Stream], keepsOrder: Bool
    ) throws(GLTFDecoderError) -> [UInt8] {
        var (encoded, error) = (vitrine_encoded(), vitrine_codec_error())
        // The bridge reads all streams at once, so their memory must not move.
        let all = streams.flatMap(\.values)
        let done = all.withUnsafeBufferPointer { values in
            var first = 0
            let list = streams.map { stream in
                defer { first += stream.values.count }
                return vitrine_draco_stream(
                    kind: Int32(stream.kind.rawValue), components: Int32(stream.componentCount), bits: Int32(stream.bits),
                    is_integer: stream.isInteger ? 1 : 0, values: values.baseAddress.map { $0 + first })
            }
            return vitrine_draco_encode(
                indices, UInt32(indices.count / 3), UInt32(vertexCount), list, Int32(list.count), keepsOrder ? 1 : 0, &encoded, &error)
        }
        guard done == 1 else { throw GLTFDecoderError(text(error)) }
        return ImageFile.takeOver(encoded)
    }

    private static func text(_ error: vitrine_codec_error) -> String {
        if error.failure == vitrine_codec_no_memory, error.text.0 == 0 { return "there is not enough memory for the Draco mesh" }
        return withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
