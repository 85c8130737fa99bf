/// What a stream of vertex data means. `set` counts from 0.
public enum VertexSemantic: Equatable, Hashable, Sendable {
    /// Local frame, metres; 3 components.
    case position
    /// Unit vector; 3 components.
    case normal
    /// Unit vector and, in w, the bitangent's sign: bitangent = cross(normal, tangent.xyz) · w; 4 components.
    case tangent
    /// u to the right, v *down* from the upper left corner of the image; 2 components.
    case textureCoordinate(set: Int)
    /// Linear Rec.709; 3 or 4 components.
    case color(set: Int)
    /// Indices into the skin's joints; 4 components a set.
    case joints(set: Int)
    /// Weights of those joints, summing to 1 over all sets; 4 components a set.
    case weights(set: Int)
    /// The occlusion of the environment's light, by direction in the local frame: `OcclusionHarmonics`; 9 components (see `OcclusionBake`).
    case occlusionHarmonics
    /// Anything else, by name: kept, and there for custom shaders.
    case custom(String)
}

/// One stream of vertex data: `componentCount` floats a vertex, tightly packed.
public struct VertexAttribute: Equatable, Sendable {
    /// The meaning of the values.
    public var semantic: VertexSemantic
    /// 1…16.
    public var componentCount: Int
    /// `componentCount` numbers per vertex.
    public var values: [Float]

    /// Makes a stream.
    public init(_ semantic: VertexSemantic, componentCount: Int, values: [Float]) {
        (self.semantic, self.componentCount, self.values) = (semantic, componentCount, values)
    }

    /// Number of vertices.
    public var vertexCount: Int { componentCount > 0 ? values.count / componentCount : 0 }
}
