/// Decoders of compressed meshes. The reader has no decoders: the caller supplies those whose libraries it links.
///
/// Without a decoder, the reader rejects files that require its extension, and reads the fallback data of other files.
package struct GLTFDecoders {
    /// Decodes a Draco mesh (KHR_draco_mesh_compression).
    ///
    /// - Parameter limit: The greatest number of triangles. A decoder rejects larger meshes before it allocates memory.
    package typealias Draco = (_ bytes: ArraySlice<UInt8>, _ limit: Int) throws(GLTFDecoderError) -> DracoMesh

    /// Decodes a buffer view (EXT_meshopt_compression) to exactly `count * stride` bytes and applies its filter.
    package typealias Meshopt = (_ bytes: ArraySlice<UInt8>, _ layout: MeshoptLayout) throws(GLTFDecoderError) -> [UInt8]

    package var draco: Draco?
    package var meshopt: Meshopt?

    package init(draco: Draco? = nil, meshopt: Meshopt? = nil) { (self.draco, self.meshopt) = (draco, meshopt) }

    /// The extensions that the reader supports with these decoders.
    package var supportedExtensions: [String] {
        var names = GLTFReader.supportedExtensions
        if draco != nil { names.append("KHR_draco_mesh_compression") }
        if meshopt != nil { names.append("EXT_meshopt_compression") }
        return names
    }
}

/// The reason why compressed bytes cannot be decoded.
package struct GLTFDecoderError: Error, Equatable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }
}

/// A decoded Draco mesh: triangles.
package struct DracoMesh: Sendable {
    package struct Stream: Sendable {
        /// The identifier of the stream in the file's extension.
        package var id: Int
        package var componentCount: Int
        /// `vertexCount * componentCount` values. Integers are not normalized.
        package var values: [Float]

        package init(id: Int, componentCount: Int, values: [Float]) {
            (self.id, self.componentCount, self.values) = (id, componentCount, values)
        }
    }

    package var vertexCount: Int
    /// The indices, three per triangle, each below `vertexCount`.
    package var indices: [UInt32]
    package var streams: [Stream]

    package init(vertexCount: Int, indices: [UInt32], streams: [Stream]) {
        (self.vertexCount, self.indices, self.streams) = (vertexCount, indices, streams)
    }
}

/// The layout of a compressed buffer view, checked against the rules of the extension.
package struct MeshoptLayout: Equatable, Sendable {
    package enum Mode: Sendable { case attributes, triangles, indices }
    package enum Filter: Sendable { case none, octahedral, quaternion, exponential }

    package var count: Int
    /// The size of one element in bytes.
    package var stride: Int
    package var mode: Mode
    package var filter: Filter

    package init(count: Int, stride: Int, mode: Mode, filter: Filter = .none) {
        (self.count, self.stride, self.mode, self.filter) = (count, stride, mode, filter)
    }
}
