/// Codecs that the reader has no code for itself: whoever has the libraries lends them.
///
/// Where a decoder is missing, a file that requires its extension is refused by name, and one with a plain fallback is read without it.
public struct GLTFDecoders {
    /// Unpacks a Draco mesh (KHR_draco_mesh_compression).
    ///
    /// - Parameter limit: The most triangles; a mesh that says it has more is refused before memory is asked for.
    public typealias Draco = (_ bytes: ArraySlice<UInt8>, _ limit: Int) throws(GLTFDecoderError) -> DracoMesh

    /// Unpacks a buffer view (EXT_meshopt_compression) to exactly `count * stride` bytes, its filter applied.
    public typealias Meshopt = (_ bytes: ArraySlice<UInt8>, _ layout: MeshoptLayout) throws(GLTFDecoderError) -> [UInt8]

    public var draco: Draco?
    public var meshopt: Meshopt?

    public init(draco: Draco? = nil, meshopt: Meshopt? = nil) { (self.draco, self.meshopt) = (draco, meshopt) }

    /// What is read with these: `GLTFReader.supportedExtensions` and those that need a decoder which is here.
    public var supportedExtensions: [String] {
        var names = GLTFReader.supportedExtensions
        if draco != nil { names.append("KHR_draco_mesh_compression") }
        if meshopt != nil { names.append("EXT_meshopt_compression") }
        return names
    }
}

/// Why compressed bytes can't be unpacked.
public struct GLTFDecoderError: Error, Equatable, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }
}

/// What comes out of Draco: triangles.
public struct DracoMesh: Sendable {
    public struct Stream: Sendable {
        /// As the file's extension refers to it.
        public var id: Int
        public var componentCount: Int
        /// `vertexCount * componentCount`; integers as they are, not scaled.
        public var values: [Float]

        public init(id: Int, componentCount: Int, values: [Float]) {
            (self.id, self.componentCount, self.values) = (id, componentCount, values)
        }
    }

    public var vertexCount: Int
    /// Three a triangle, each below `vertexCount`.
    public var indices: [UInt32]
    public var streams: [Stream]

    public init(vertexCount: Int, indices: [UInt32], streams: [Stream]) {
        (self.vertexCount, self.indices, self.streams) = (vertexCount, indices, streams)
    }
}

/// How a compressed buffer view is to be unpacked; checked against the extension's rules.
public struct MeshoptLayout: Equatable, Sendable {
    public enum Mode: Sendable { case attributes, triangles, indices }
    public enum Filter: Sendable { case none, octahedral, quaternion, exponential }

    public var count: Int
    /// Bytes of an element.
    public var stride: Int
    public var mode: Mode
    public var filter: Filter

    public init(count: Int, stride: Int, mode: Mode, filter: Filter = .none) {
        (self.count, self.stride, self.mode, self.filter) = (count, stride, mode, filter)
    }
}
