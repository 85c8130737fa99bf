import VitrineGeometry

/// How indices form primitives.
public enum PrimitiveTopology: Equatable, Hashable, Sendable {
    /// As in OpenGL and glTF.
    case points, lines, lineLoop, lineStrip, triangles, triangleStrip, triangleFan
}

/// Offsets of each vertex at weight 1. Streams have the geometry's vertex count or are empty.
public struct MorphTarget: Equatable, Sendable {
    /// For lookups and files.
    public var name: String
    /// 3 floats per vertex each.
    public var positionOffsets, normalOffsets, tangentOffsets: [Float]

    /// Makes a morph target; empty streams move nothing.
    public init(name: String = "", positionOffsets: [Float] = [], normalOffsets: [Float] = [], tangentOffsets: [Float] = []) {
        (self.name, self.positionOffsets) = (name, positionOffsets)
        (self.normalOffsets, self.tangentOffsets) = (normalOffsets, tangentOffsets)
    }
}

/// Why a geometry is invalid.
public enum GeometryError: Error, Equatable, Sendable {
    /// There is no `.position` stream.
    case missingPositions
    /// A stream has a number of components that its semantic does not allow.
    case wrongComponentCount(VertexSemantic, Int)
    /// A stream has another length than the others.
    case unequalVertexCounts(VertexSemantic, expected: Int, actual: Int)
    /// Two streams have the same semantic.
    case duplicateAttribute(VertexSemantic)
    /// An index has no vertex.
    case indexOutOfRange(index: UInt32, vertexCount: Int)
    /// A stream of a morph target does not have three numbers per vertex.
    case morphTargetLength(target: Int, expected: Int, actual: Int)
    /// An operation needs a missing stream.
    case missing(VertexSemantic)
    /// An operation needs at least one triangle.
    case notTriangles
}

/// Vertices and primitives. Immutable, so that nodes and threads can share it.
///
/// Counter-clockwise triangles face the viewer.
///
/// ```swift
/// let triangle = try Geometry(
///     attributes: [VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 1, 0, 0, 0, 1, 0])],
///     indices: [0, 1, 2])
/// triangle.bounds.size   // SIMD3(1, 1, 0)
/// ```
public final class Geometry: Sendable {
    /// How indices form primitives.
    public let topology: PrimitiveTopology
    /// The vertex streams, at least `.position`.
    public let attributes: [VertexAttribute]
    /// nil: vertices in their order.
    public let indices: [UInt32]?
    /// The morph targets, in the order of `Node.morphWeights`.
    public let morphTargets: [MorphTarget]
    /// Levels of detail over the same vertices, each with fewer triangles and a greater error than the one before; drawn when the error is not visible.
    public let levels: [GeometryLevel]
    /// Number of vertices.
    public let vertexCount: Int
    /// Bounds of all positions, without morph targets and skins. Local frame, metres.
    public let bounds: BoundingBox
    /// By joint, bounds of the vertices that it influences; empty without joints. Local frame.
    let jointBounds: [BoundingBox]
    /// By morph target, bounds of its position offsets.
    let morphBounds: [BoundingBox]

    /// Makes a geometry.
    ///
    /// - Throws: `GeometryError` if streams have different lengths, or an index has no vertex.
    public init(
        topology: PrimitiveTopology = .triangles, attributes: [VertexAttribute], indices: [UInt32]? = nil, morphTargets: [MorphTarget] = [],
        levels: [GeometryLevel] = []
    ) throws(GeometryError) {
        guard let position = attributes.first(where: { $0.semantic == .position }) else { throw .missingPositions }
        let count = position.vertexCount
        for (index, attribute) in attributes.enumerated() {
            try Geometry.check(attribute, vertexCount: count)
            for other in attributes[..<index] where other.semantic == attribute.semantic { throw .duplicateAttribute(attribute.semantic) }
        }
        try Geometry.check(indices ?? [], vertexCount: count)
        for level in levels { try Geometry.check(level.indices, vertexCount: count) }
        for (number, target) in morphTargets.enumerated() {
            for length in [target.positionOffsets.count, target.normalOffsets.count, target.tangentOffsets.count]
            where length != 0 && length != count * 3 {
                throw .morphTargetLength(target: number, expected: count * 3, actual: length)
            }
        }
        (self.topology, self.attributes, self.indices, self.morphTargets) = (topology, attributes, indices, morphTargets)
        self.levels = levels
        vertexCount = count
        bounds = Geometry.bounds(of: position.values)
        jointBounds = Geometry.jointBounds(attributes: attributes, positions: position.values)
        morphBounds = morphTargets.map { Geometry.bounds(of: $0.positionOffsets) }
    }

    private static func check(_ indices: [UInt32], vertexCount: Int) throws(GeometryError) {
        for index in indices where Int(index) >= vertexCount { throw .indexOutOfRange(index: index, vertexCount: vertexCount) }
    }

    private static func check(_ attribute: VertexAttribute, vertexCount: Int) throws(GeometryError) {
        let allowed: ClosedRange<Int> =
            switch attribute.semantic {
            case .position, .normal: 3...3
            case .tangent, .joints, .weights: 4...4
            case .textureCoordinate: 2...2
            case .color: 3...4
            case .occlusionHarmonics: OcclusionHarmonics.count...OcclusionHarmonics.count
            case .custom: 1...16
            }
        guard allowed.contains(attribute.componentCount), attribute.values.count % attribute.componentCount == 0 else {
            throw .wrongComponentCount(attribute.semantic, attribute.componentCount)
        }
        guard attribute.vertexCount == vertexCount else {
            throw .unequalVertexCounts(attribute.semantic, expected: vertexCount, actual: attribute.vertexCount)
        }
    }

    /// Returns the stream with this semantic; nil if there is none.
    public func attribute(_ semantic: VertexSemantic) -> VertexAttribute? { attributes.first { $0.semantic == semantic } }

    /// The number of indices, or of vertices if there are no indices.
    public var elementCount: Int { indices?.count ?? vertexCount }

    /// Number of triangles; 0 for points and lines.
    public var triangleCount: Int {
        switch topology {
        case .triangles: elementCount / 3
        case .triangleStrip, .triangleFan: max(0, elementCount - 2)
        case .points, .lines, .lineLoop, .lineStrip: 0
        }
    }
}
