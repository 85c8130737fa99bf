import CMeshOptimizer
import VitrineGLTF

/// Encodes and decodes buffer views with meshoptimizer, as EXT_meshopt_compression defines.
enum MeshoptCodec {
    static func decode(_ bytes: ArraySlice<UInt8>, layout: MeshoptLayout) throws(GLTFDecoderError) -> [UInt8] {
        var failure: Int32 = 0
        let length = layout.count * layout.stride
        let result = [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
            failure = bytes.withUnsafeBufferPointer { packed in
                switch layout.mode {
                case .attributes:
                    meshopt_decodeVertexBuffer(buffer.baseAddress, layout.count, layout.stride, packed.baseAddress, packed.count)
                case .triangles:
                    meshopt_decodeIndexBuffer(buffer.baseAddress, layout.count, layout.stride, packed.baseAddress, packed.count)
                case .indices:
                    meshopt_decodeIndexSequence(buffer.baseAddress, layout.count, layout.stride, packed.baseAddress, packed.count)
                }
            }
            guard failure == 0 else { return }
            filter(buffer.baseAddress, layout)
            initialized = length
        }
        guard failure == 0 else { throw GLTFDecoderError("the compressed bytes are invalid (meshoptimizer error \(failure))") }
        return result
    }

    private static func filter(_ bytes: UnsafeMutablePointer<UInt8>?, _ layout: MeshoptLayout) {
        switch layout.filter {
        case .none: break
        case .octahedral: meshopt_decodeFilterOct(bytes, layout.count, layout.stride)
        case .quaternion: meshopt_decodeFilterQuat(bytes, layout.count, layout.stride)
        case .exponential: meshopt_decodeFilterExp(bytes, layout.count, layout.stride)
        }
    }

    /// Encodes vertex data.
    ///
    /// - Parameter stride: A multiple of 4, at most 256.
    static func encode(vertices bytes: [UInt8], stride: Int) -> [UInt8] {
        let count = bytes.count / stride
        return packed(meshopt_encodeVertexBufferBound(count, stride)) { meshopt_encodeVertexBuffer($0, $1, bytes, count, stride) }
    }

    /// Quantizes floats to fewer bits with a common exponent for each element of `width`. Returns the quantized values, too.
    static func filtered(_ values: [Float], width: Int, bits: Int) -> (bytes: [UInt8], values: [Float]) {
        let count = values.count / width
        let bytes = [UInt8](unsafeUninitializedCapacity: values.count * 4) { buffer, initialized in
            meshopt_encodeFilterExp(buffer.baseAddress, count, width * 4, Int32(bits), values)
            initialized = values.count * 4
        }
        let rounded = [Float](unsafeUninitializedCapacity: values.count) { buffer, initialized in
            UnsafeMutableRawBufferPointer(buffer).copyBytes(from: bytes)
            meshopt_decodeFilterExp(buffer.baseAddress, count, width * 4)
            initialized = values.count
        }
        return (bytes, rounded)
    }

    static func encode(triangles indices: [UInt32]) -> [UInt8] {
        let vertexCount = Int(indices.max() ?? 0) + 1
        return packed(meshopt_encodeIndexBufferBound(indices.count, vertexCount)) {
            meshopt_encodeIndexBuffer($0, $1, indices, indices.count)
        }
    }

    static func encode(sequence indices: [UInt32]) -> [UInt8] {
        let vertexCount = Int(indices.max() ?? 0) + 1
        return packed(meshopt_encodeIndexSequenceBound(indices.count, vertexCount)) {
            meshopt_encodeIndexSequence($0, $1, indices, indices.count)
        }
    }

    /// Encodes into a buffer of `bound` bytes; empty if the library fails, which it does not with its own bound.
    private static func packed(_ bound: Int, _ encode: (UnsafeMutablePointer<UInt8>?, Int) -> Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bound) { buffer, initialized in initialized = encode(buffer.baseAddress, bound) }
    }
}

extension GLTFDecoders {
    /// The decoders of the libraries that this module links.
    static var host: GLTFDecoders {
        GLTFDecoders(
            draco: { (bytes, limit) throws(GLTFDecoderError) in try DracoCodec.decode(bytes, limit: limit) },
            meshopt: { (bytes, layout) throws(GLTFDecoderError) in try MeshoptCodec.decode(bytes, layout: layout) })
    }
}
