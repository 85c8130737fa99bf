import VitrineGeometry
import VitrineMath

/// The kind of primitives that indices form.
public enum PrimitiveTopology: Equatable, Hashable, Sendable {
    /// The topologies of OpenGL and glTF.
    case points, lines, lineLoop, lineStrip, triangles, triangleStrip, triangleFan
}

/// Offsets that are added to each vertex at weight 1. Each stream has the geometry's vertex count or is empty.
public struct MorphTarget: Equatable, Sendable {
    /// The name, for lookups and files.
    public var name: String
    /// The offsets of each attribute, 3 floats per vertex.
    public var positionOffsets, normalOffsets, tangentOffsets: [Float]

    /// Creates a morph target; empty streams have no effect.
    public init(name: String = "", positionOffsets: [Float] = [], normalOffsets: [Float] = [], tangentOffsets: [Float] = []) {
        (self.name, self.positionOffsets) = (name, positionOffsets)
        (self.normalOffsets, self.tangentOffsets) = (normalOffsets, tangentOffsets)
    }
}

/// The reason why a geometry is invalid.
public enum GeometryError: Error, Equatable, Sendable {
    /// The `.position` stream is missing.
    case missingPositions
    /// A stream has a number of components that its semantic does not allow.
    case wrongComponentCount(VertexSemantic, Int)
    /// A stream has another length than the others.
    case unequalVertexCounts(VertexSemantic, expected: Int, actual: Int)
    /// Two streams have the same semantic.
    case duplicateAttribute(VertexSemantic)
    /// An index is not below the number of vertices.
    case indexOutOfRange(index: UInt32, vertexCount: Int)
    /// A stream of a morph target does not have three numbers per vertex.
    case morphTargetLength(target: Int, expected: Int, actual: Int)
    /// An operation needs a stream that the geometry does not have.
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
    /// The kind of primitives that the indices form.
    public let topology: PrimitiveTopology
    /// The vertex streams, at least `.position`.
    public let attributes: [VertexAttribute]
    /// The vertices of the primitives; nil to use the vertices in order.
    public let indices: [UInt32]?
    /// The morph targets, in the order of `Node.morphWeights`.
    public let morphTargets: [MorphTarget]
    /// Levels of detail with the same vertices. Each has fewer triangles and a greater error than the previous one; the renderer draws a level if its
    /// error is not visible.
    public let levels: [GeometryLevel]
    /// The number of vertices.
    public let vertexCount: Int
    /// The bounds of all positions, without morph targets and skins, in metres in the local frame.
    public let bounds: BoundingBox
    /// The bounds of the vertices that each joint influences, in the local frame; empty without joints.
    let jointBounds: [BoundingBox]
    /// The bounds of the position offsets of each morph target.
    let morphBounds: [BoundingBox]

    /// Creates a geometry.
    ///
    /// - Throws: `GeometryError` if streams have different lengths, or an index is not below the number of vertices.
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

    /// The number of triangles; 0 for points and lines.
    public var triangleCount: Int {
        switch topology {
        case .triangles: elementCount / 3
        case .triangleStrip, .triangleFan: max(0, elementCount - 2)
        case .points, .lines, .lineLoop, .lineStrip: 0
        }
    }
}

extension Geometry {
    /// Creates a geometry from arrays of vectors, one element per vertex.
    ///
    /// ```swift
    /// let corners: [Vector3] = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    /// let coordinates: [Vector2] = [[0, 1], [1, 1], [1, 0], [0, 0]]
    /// let square = try Geometry(positions: corners, textureCoordinates: coordinates, indices: [0, 1, 2, 0, 2, 3])
    /// square.triangleCount                    // 2
    /// square.attribute(.normal)?.values       // [0, 0, 1, …]: computed from the triangles
    /// ```
    ///
    /// Computes missing normals of triangles (`NormalStyle.smooth`: vertices at the same position share one), and tangents if there are texture
    /// coordinates. Splits vertices at which the texture is mirrored on one side only.
    ///
    /// - Parameters:
    ///   - positions: The positions in metres in the local frame.
    ///   - normals: Unit vectors; if empty, they are computed.
    ///   - textureCoordinates: Set 0, with u to the right and v down; empty for none.
    ///   - colors: Linear Rec. 709 colours with alpha; empty for none.
    ///   - indices: Three per triangle, counter-clockwise seen from the front; nil to use the vertices in order.
    /// - Throws: `GeometryError` for arrays of unequal length, for an index that is not below the number of vertices, and without positions.
    public convenience init(
        positions: [Vector3], normals: [Vector3] = [], textureCoordinates: [Vector2] = [], colors: [Vector4] = [],
        indices: [UInt32]? = nil, topology: PrimitiveTopology = .triangles
    ) throws(GeometryError) {
        guard !positions.isEmpty else { throw .missingPositions }
        var attributes = [VertexAttribute(.position, positions)]
        if !normals.isEmpty { attributes.append(VertexAttribute(.normal, normals)) }
        if !textureCoordinates.isEmpty { attributes.append(VertexAttribute(.textureCoordinate(set: 0), textureCoordinates)) }
        if !colors.isEmpty { attributes.append(VertexAttribute(.color(set: 0), colors)) }
        var made = try Geometry(topology: topology, attributes: attributes, indices: indices)
        if made.triangleCount > 0 {
            if normals.isEmpty { made = try made.withSmoothNormals() }
            if !textureCoordinates.isEmpty { made = try made.withTangents() }
        }
        try self.init(topology: made.topology, attributes: made.attributes, indices: made.indices)
    }
}

extension VertexAttribute {
    /// Creates a stream from vectors, tightly packed.
    public init<V: SIMD>(_ semantic: VertexSemantic, _ vectors: [V]) where V.Scalar == Float {
        let componentCount = V.scalarCount
        var values: [Float] = []
        values.reserveCapacity(vectors.count * componentCount)
        for vector in vectors {
            for component in 0..<componentCount { values.append(vector[component]) }
        }
        self.init(semantic, componentCount: componentCount, values: values)
    }
}

extension Geometry {
    /// Calls `body` with the index and the three vertices of every triangle, counter-clockwise, including those of strips and fans. Degenerate
    /// triangles of strips and fans count in the indices.
    func forEachTriangle(_ body: (_ triangle: Int, _ a: Int, _ b: Int, _ c: Int) -> Void) {
        for triangle in 0..<triangleCount {
            let (a, b, c) = corners(ofTriangle: triangle)
            body(triangle, a, b, c)
        }
    }

    /// Returns the vertices of a triangle (0 ..< `triangleCount`), counter-clockwise.
    public func corners(ofTriangle triangle: Int) -> (Int, Int, Int) {
        switch topology {
        case .triangles: (vertex(3 * triangle), vertex(3 * triangle + 1), vertex(3 * triangle + 2))
        case .triangleStrip:
            // Every other triangle of a strip has reversed winding.
            (vertex(triangle), vertex(triangle + 1 + triangle % 2), vertex(triangle + 2 - triangle % 2))
        case .triangleFan: (vertex(triangle + 1), vertex(triangle + 2), vertex(0))
        case .points, .lines, .lineLoop, .lineStrip: preconditionFailure("no triangles")
        }
    }

    private func vertex(_ element: Int) -> Int { indices.map { Int($0[element]) } ?? element }

    /// The vertices of all triangles, three each, including those of strips and fans. Empty for points and lines.
    public var triangleIndices: [UInt32] {
        if topology == .triangles, let indices { return Array(indices[..<(triangleCount * 3)]) }
        var result: [UInt32] = []
        result.reserveCapacity(triangleCount * 3)
        forEachTriangle { _, a, b, c in
            result.append(UInt32(a))
            result.append(UInt32(b))
            result.append(UInt32(c))
        }
        return result
    }

    /// Returns the same triangles with other vertices: vertex i is a copy of this geometry's vertex `sources[i]`. Attributes in `replacement` replace
    /// those of the geometry or are added.
    func rebuilt(vertices sources: [UInt32], indices: [UInt32]?, replacing replacement: VertexAttribute) throws(GeometryError) -> Geometry {
        let isUnchanged = sources.count == vertexCount && sources.indices.allSatisfy { Int(sources[$0]) == $0 }
        func gathered(_ values: [Float], _ componentCount: Int) -> [Float] {
            guard !isUnchanged, !values.isEmpty else { return values }
            var result: [Float] = []
            result.reserveCapacity(sources.count * componentCount)
            for source in sources {
                let base = Int(source) * componentCount
                result.append(contentsOf: values[base..<base + componentCount])
            }
            return result
        }
        var attributes: [VertexAttribute] = []
        for attribute in self.attributes where attribute.semantic != replacement.semantic {
            let values = gathered(attribute.values, attribute.componentCount)
            attributes.append(VertexAttribute(attribute.semantic, componentCount: attribute.componentCount, values: values))
        }
        attributes.append(replacement)
        let targets = morphTargets.map {
            MorphTarget(
                name: $0.name, positionOffsets: gathered($0.positionOffsets, 3), normalOffsets: gathered($0.normalOffsets, 3),
                tangentOffsets: gathered($0.tangentOffsets, 3))
        }
        return try Geometry(topology: .triangles, attributes: attributes, indices: indices, morphTargets: targets)
    }
}

/// Reads packed vertex data as vectors.
extension VertexAttribute {
    func vector2(at vertex: Int) -> Vector2 { Vector2(values[vertex * componentCount], values[vertex * componentCount + 1]) }

    package func vector3(at vertex: Int) -> Vector3 {
        let base = vertex * componentCount
        return Vector3(values[base], values[base + 1], values[base + 2])
    }
}

extension Geometry {
    /// Returns the bounds of packed positions, three floats each; ignores NaN.
    static func bounds(of positions: [Float]) -> BoundingBox {
        var box = BoundingBox.empty
        positions.withUnsafeBufferPointer { values in
            for base in stride(from: 0, to: values.count - 2, by: 3) {
                box.formUnion(Vector3(values[base], values[base + 1], values[base + 2]))
            }
        }
        return box
    }

    /// The maximum joint index for which bounds are stored, because files may contain any index.
    private static let greatestJoint: Float = 65_535

    /// Returns, for each joint, the bounds of the vertices that it influences; empty without joints.
    static func jointBounds(attributes: [VertexAttribute], positions: [Float]) -> [BoundingBox] {
        var result: [BoundingBox] = []
        for joints in attributes {
            guard case .joints(let set) = joints.semantic else { continue }
            guard let weights = attributes.first(where: { $0.semantic == .weights(set: set) }) else { continue }
            for index in weights.values.indices where weights.values[index] > 0 {
                let number = joints.values[index]
                guard number >= 0, number <= greatestJoint else { continue }
                let joint = Int(number)
                while result.count <= joint { result.append(.empty) }
                let base = index / 4 * 3
                result[joint].formUnion(Vector3(positions[base], positions[base + 1], positions[base + 2]))
            }
        }
        return result
    }

    /// Returns the box of all displacements that the morph targets can add with these weights.
    func morphReach(weights: [Float]) -> BoundingBox {
        var reach = BoundingBox(minimum: Vector3(repeating: 0), maximum: Vector3(repeating: 0))
        for (index, weight) in weights.enumerated() where index < morphBounds.count && !morphBounds[index].isEmpty {
            let (a, b) = (morphBounds[index].minimum * weight, morphBounds[index].maximum * weight)
            reach.minimum += pointwiseMin(a, b)
            reach.maximum += pointwiseMax(a, b)
        }
        return reach
    }
}

extension Geometry {
    /// Returns the same triangles with flat shading, as a triangle list. Vertices are no longer shared. Drops tangents, because they belong to
    /// the old normals.
    ///
    /// - Throws: `.notTriangles` for points and lines.
    public func withFlatNormals() throws(GeometryError) -> Geometry {
        guard triangleCount > 0, let positions = attribute(.position) else { throw .notTriangles }
        return try withoutTangents().withFlatNormals(positions)
    }

    /// Returns the same triangles with smooth shading, as a triangle list. Vertices at the same position share a normal: the mean of the
    /// adjacent triangles, weighted by their angles. Drops tangents, because they belong to the old normals.
    ///
    /// - Throws: `.notTriangles` for points and lines.
    public func withSmoothNormals() throws(GeometryError) -> Geometry {
        guard triangleCount > 0, let positions = attribute(.position) else { throw .notTriangles }
        return try withoutTangents().withSmoothNormals(positions)
    }

    private func withoutTangents() throws(GeometryError) -> Geometry {
        guard attribute(.tangent) != nil else { return self }
        return try Geometry(
            topology: topology, attributes: attributes.filter { $0.semantic != .tangent }, indices: indices, morphTargets: morphTargets)
    }

    private func withFlatNormals(_ positions: VertexAttribute) throws(GeometryError) -> Geometry {
        let corners = triangleIndices
        var values: [Float] = []
        values.reserveCapacity(corners.count * 3)
        forEachTriangle { _, a, b, c in
            let (p, q, r) = (positions.vector3(at: a), positions.vector3(at: b), positions.vector3(at: c))
            let normal = unitOrUp(cross(q - p, r - p))
            for _ in 0..<3 { values.append(contentsOf: [normal.x, normal.y, normal.z]) }
        }
        return try rebuilt(vertices: corners, indices: nil, replacing: VertexAttribute(.normal, componentCount: 3, values: values))
    }

    private func withSmoothNormals(_ positions: VertexAttribute) throws(GeometryError) -> Geometry {
        var welder = VertexWelder()
        let welded = (0..<vertexCount).map { Int(welder.identifier(positions.vector3(at: $0))) }
        var sums = Array(repeating: Vector3(repeating: 0), count: welder.count)
        forEachTriangle { _, a, b, c in
            let points = [positions.vector3(at: a), positions.vector3(at: b), positions.vector3(at: c)]
            let normal = normalize(cross(points[1] - points[0], points[2] - points[0]))
            for (corner, vertex) in [a, b, c].enumerated() {
                let (next, previous) = (points[(corner + 1) % 3] - points[corner], points[(corner + 2) % 3] - points[corner])
                sums[welded[vertex]] += normal * angle(between: next, previous)
            }
        }
        var values: [Float] = []
        values.reserveCapacity(vertexCount * 3)
        for vertex in 0..<vertexCount {
            let normal = unitOrUp(sums[welded[vertex]])
            values.append(contentsOf: [normal.x, normal.y, normal.z])
        }
        let everyVertex = (0..<vertexCount).map { UInt32($0) }
        return try rebuilt(
            vertices: everyVertex, indices: triangleIndices, replacing: VertexAttribute(.normal, componentCount: 3, values: values))
    }

    /// Returns the unit vector, or +Y for a vector of length 0: a triangle without area has no normal and is not visible.
    private func unitOrUp(_ vector: Vector3) -> Vector3 {
        let unit = normalize(vector)
        return unit == Vector3(repeating: 0) ? .up : unit
    }
}

/// Returns the angle in radians, 0…π; 0 for a vector of length 0.
func angle(between a: Vector3, _ b: Vector3) -> Float {
    let (u, v) = (normalize(a), normalize(b))
    return u == Vector3(repeating: 0) || v == Vector3(repeating: 0) ? 0 : acos(clamp(dot(u, v), -1, 1))
}

extension Geometry {
    /// Returns the same triangles with tangents for normal maps, as an indexed triangle list. Uses MikkTSpace's convention (`TangentBuilder`).
    ///
    /// Splits vertices at which mirrored and unmirrored triangles meet. Takes about a microsecond per triangle.
    ///
    /// - Parameter textureCoordinateSet: The set that the normal map uses.
    /// - Throws: `.notTriangles` for points and lines; `.missing` without normals or the set.
    public func withTangents(textureCoordinateSet: Int = 0) throws(GeometryError) -> Geometry {
        guard triangleCount > 0, let positions = attribute(.position) else { throw .notTriangles }
        guard let normals = attribute(.normal) else { throw .missing(.normal) }
        guard let coordinates = attribute(.textureCoordinate(set: textureCoordinateSet)) else {
            throw .missing(.textureCoordinate(set: textureCoordinateSet))
        }
        let (sources, indices, tangents) = TangentBuilder.tangents(
            positions: positions.vectors, normals: normals.vectors, textureCoordinates: coordinates.vectors, triangles: triangleIndices)
        return try rebuilt(
            vertices: sources, indices: indices, replacing: VertexAttribute(.tangent, componentCount: 4, values: tangents))
    }
}

extension VertexAttribute {
    /// The values as vectors of `componentCount` components.
    fileprivate var vectors: VertexVectors { VertexVectors(values: values, stride: componentCount) }
}

extension Geometry {
    /// Returns the same geometry with a stream added, or with the stream of the same semantic replaced.
    ///
    /// Does not change other streams: after changing positions or normals, call `withNormals` and `withTangents`.
    ///
    /// - Throws: `GeometryError` if the stream has another length than the others.
    public func replacing(_ attribute: VertexAttribute) throws(GeometryError) -> Geometry {
        var attributes = self.attributes
        if let index = attributes.firstIndex(where: { $0.semantic == attribute.semantic }) {
            attributes[index] = attribute
        } else {
            attributes.append(attribute)
        }
        return try Geometry(topology: topology, attributes: attributes, indices: indices, morphTargets: morphTargets)
    }

    /// Returns the same geometry with changed texture coordinates.
    ///
    /// ```swift
    /// let tiled = try Geometry.box().mapTextureCoordinates { $0 * 2 }       // the texture twice each way
    /// let turned = try Geometry.plane().mapTextureCoordinates { [$0.y, 1 - $0.x] }
    /// ```
    ///
    /// Recomputes tangents that depend on this set, and splits vertices at which the texture is mirrored on one side only.
    ///
    /// - Parameters:
    ///   - set: The index of the set of texture coordinates.
    ///   - change: Maps the old coordinates of a vertex to the new ones.
    /// - Throws: `.missing` if the geometry does not have that set.
    public func mapTextureCoordinates(set: Int = 0, _ change: (Vector2) -> Vector2) throws(GeometryError) -> Geometry {
        guard let coordinates = attribute(.textureCoordinate(set: set)) else { throw .missing(.textureCoordinate(set: set)) }
        let changed = (0..<vertexCount).map { change(coordinates.vector2(at: $0)) }
        return try replacing(VertexAttribute(.textureCoordinate(set: set), changed)).withTangentsUpToDate(set: set)
    }

    /// Returns the same geometry with texture coordinates computed from position and normal of each vertex; adds the set if it is missing.
    ///
    /// ```swift
    /// let hills = try land.makeTextureCoordinates { position, normal in [position.x, normal.y] }
    /// ```
    public func makeTextureCoordinates(
        set: Int = 0, _ make: (_ position: Vector3, _ normal: Vector3) -> Vector2
    ) throws(GeometryError) -> Geometry {
        guard let positions = attribute(.position) else { throw .missingPositions }
        let normals = attribute(.normal)
        let made = (0..<vertexCount).map { make(positions.vector3(at: $0), normals?.vector3(at: $0) ?? Vector3(repeating: 0)) }
        return try replacing(VertexAttribute(.textureCoordinate(set: set), made)).withTangentsUpToDate(set: set)
    }

    /// Recomputes tangents if `set` is 0, the set on which they depend.
    func withTangentsUpToDate(set: Int) throws(GeometryError) -> Geometry {
        guard set == 0, attribute(.tangent) != nil, triangleCount > 0 else { return self }
        return try withTangents()
    }
}
