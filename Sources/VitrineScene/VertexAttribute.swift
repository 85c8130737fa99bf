/// The meaning of a stream of vertex data. Sets are numbered from 0.
public enum VertexSemantic: Equatable, Hashable, Sendable {
    /// Positions in metres in the local frame; 3 components.
    case position
    /// Unit normals; 3 components.
    case normal
    /// Unit tangents and, in w, the sign of the bitangent: bitangent = cross(normal, tangent.xyz) · w; 4 components.
    case tangent
    /// Texture coordinates, u to the right, v *down* from the upper left corner of the image; 2 components.
    case textureCoordinate(set: Int)
    /// Vertex colours in linear Rec. 709, with 3 or 4 components.
    case color(set: Int)
    /// The indices of the skin's joints, with 4 components per set.
    case joints(set: Int)
    /// The weights of the joints, which sum to 1 over all sets; 4 components per set.
    case weights(set: Int)
    /// The directional occlusion of the environment's light in the local frame: `OcclusionHarmonics`; 9 components (see `OcclusionBake`).
    case occlusionHarmonics
    /// Custom data with a name, for custom shaders.
    case custom(String)
}

/// A stream of vertex data: `componentCount` floats per vertex, tightly packed.
public struct VertexAttribute: Equatable, Sendable {
    /// The meaning of the values.
    public var semantic: VertexSemantic
    /// The number of components per vertex, 1…16.
    public var componentCount: Int
    /// The values, `componentCount` per vertex.
    public var values: [Float]

    /// Creates a stream.
    public init(_ semantic: VertexSemantic, componentCount: Int, values: [Float]) {
        (self.semantic, self.componentCount, self.values) = (semantic, componentCount, values)
    }

    /// The number of vertices.
    public var vertexCount: Int { componentCount > 0 ? values.count / componentCount : 0 }
}
