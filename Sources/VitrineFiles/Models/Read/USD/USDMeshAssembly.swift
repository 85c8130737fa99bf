import VitrineMath
import VitrineScene

/// A stream of values with their interpolation.
struct USDStream {
    /// The name without `primvars:`.
    let name: String
    let width: Int
    let values: [Float]
    /// The index of each element's value; nil if the elements have their own values.
    var indices: [Int32]?
    let interpolation: String

    /// The number of elements with a value.
    private var count: Int { indices?.count ?? values.count / width }

    /// Returns the offset of a corner's value.
    func start(_ corner: USDCorner) -> Int? {
        let number =
            switch interpolation {
            case "vertex", "varying": corner.point
            case "faceVarying": corner.corner
            case "uniform": corner.face
            default: 0
            }
        guard number < count else { return nil }
        let index = indices.map { Int($0[number]) } ?? number
        return index >= 0 && (index + 1) * width <= values.count ? index * width : nil
    }

    var isByPoint: Bool { interpolation == "vertex" || interpolation == "varying" || interpolation == "constant" }
}

/// A corner of a face.
struct USDCorner {
    let point: Int
    let corner: Int
    let face: Int
}

/// The offsets of a blend shape at weight 1.
struct USDMorph {
    let name: String
    /// Three numbers per point.
    let offsets: [Float]
    let normalOffsets: [Float]
}

/// Converts faces with their streams to a geometry.
struct USDMeshAssembly {
    let faces: USDFaces
    let streams: [USDStream]
    let morphs: [USDMorph]
    /// Whether missing normals are those of a smooth surface; otherwise those of flat faces.
    let isSmooth: Bool

    /// - Parameters:
    ///   - faces: The faces of the part; nil for all.
    ///   - sets: The index of the set for each name of texture coordinates that a material reads.
    /// - Returns: nil if there is no triangle.
    func geometry(faces chosen: [Int32]?, sets: [String: Int], hasColours: Bool) throws(GeometryError) -> Geometry? {
        let triangles = self.faces.triangles(of: chosen)
        guard !triangles.isEmpty else { return nil }
        let used = streams.filter { hasColours || !$0.name.hasPrefix("display") }
        let isByPoint = chosen == nil && used.allSatisfy(\.isByPoint)
        let corners: [USDCorner]
        var indices: [UInt32] = []
        if isByPoint {
            corners = (0..<faces.points.count / 3).map { USDCorner(point: $0, corner: 0, face: 0) }
            indices = triangles.map { UInt32($0.point) }
        } else {
            (corners, indices) = Self.split(triangles, used)
        }
        let targets = morphs.map { morph in
            MorphTarget(
                name: morph.name, positionOffsets: Self.gathered(morph.offsets, corners),
                normalOffsets: Self.gathered(morph.normalOffsets, corners))
        }
        let geometry = try Geometry(
            attributes: Self.attributes(faces.points, used, corners, sets: sets, hasColours: hasColours), indices: indices,
            morphTargets: targets)
        guard geometry.attribute(.normal) == nil else { return geometry }
        return isSmooth ? try geometry.withSmoothNormals() : try geometry.withFlatNormals()
    }

    private static func gathered(_ values: [Float], _ corners: [USDCorner]) -> [Float] {
        guard !values.isEmpty else { return [] }
        var result: [Float] = []
        result.reserveCapacity(corners.count * 3)
        for corner in corners { result += values[3 * corner.point..<3 * corner.point + 3] }
        return result
    }

    /// Creates a vertex for each corner that differs from all previous ones.
    private static func split(_ triangles: [USDCorner], _ streams: [USDStream]) -> ([USDCorner], [UInt32]) {
        var vertices: [[Int32]: UInt32] = [:]
        var (corners, indices): ([USDCorner], [UInt32]) = ([], [])
        indices.reserveCapacity(triangles.count)
        for corner in triangles {
            let key = [Int32(corner.point)] + streams.map { Int32(truncatingIfNeeded: $0.start(corner) ?? -1) }
            let known = vertices[key] ?? UInt32(corners.count)
            if known == UInt32(corners.count) {
                vertices[key] = known
                corners.append(corner)
            }
            indices.append(known)
        }
        return (corners, indices)
    }

    // MARK: Attributes

    static func attributes(
        _ points: [Float], _ streams: [USDStream], _ corners: [USDCorner], sets: [String: Int], hasColours: Bool
    ) -> [VertexAttribute] {
        var result = [VertexAttribute(.position, componentCount: 3, values: gathered(points, corners))]
        var known = sets
        for stream in streams where !stream.name.hasPrefix("display") {
            guard let semantic = semantic(of: stream, sets: &known) else { continue }
            var values = values(of: stream, corners)
            switch semantic {
            case .normal: values = UnitVectors.normals(values)
            // v points down, in USD up.
            case .textureCoordinate: for index in stride(from: 1, to: values.count, by: 2) { values[index] = 1 - values[index] }
            default: break
            }
            guard !result.contains(where: { $0.semantic == semantic }) else { continue }
            result.append(VertexAttribute(semantic, componentCount: stream.width, values: values))
        }
        if hasColours, let colours = streams.first(where: { $0.name == "displayColor" }) {
            let opacities = streams.first { $0.name == "displayOpacity" }
            result.append(self.colours(colours, opacities, corners))
        }
        return result
    }

    private static func semantic(of stream: USDStream, sets: inout [String: Int]) -> VertexSemantic? {
        if stream.name == "normals" { return .normal }
        if stream.name.hasPrefix("skel:") {
            let set = Int(stream.name.split(separator: " ").last ?? "") ?? 0
            return stream.name.hasPrefix("skel:jointIndices") ? .joints(set: set) : .weights(set: set)
        }
        return .textureCoordinate(set: coordinateSet(stream.name, in: &sets))
    }

    /// Returns the set of a name: 0 for `st`, 1 for `st1` and so on; other names get the first free index.
    static func coordinateSet(_ name: String, in sets: inout [String: Int]) -> Int {
        if let known = sets[name] { return known }
        let wanted = name == "st" ? 0 : name.hasPrefix("st") ? Int(name.dropFirst(2)) : nil
        let taken = Set(sets.values)
        let free = (0...8).first { !taken.contains($0) } ?? 8
        let set = wanted.flatMap { (0..<8).contains($0) && !taken.contains($0) ? $0 : nil } ?? free
        sets[name] = set
        return set
    }

    /// Returns the values at the corners; zeros if the file has none.
    private static func values(of stream: USDStream, _ corners: [USDCorner]) -> [Float] {
        var values: [Float] = []
        values.reserveCapacity(corners.count * stream.width)
        for corner in corners {
            let start = stream.start(corner)
            for component in 0..<stream.width { values.append(start.map { stream.values[$0 + component] } ?? 0) }
        }
        return values
    }

    private static func colours(_ colours: USDStream, _ opacities: USDStream?, _ corners: [USDCorner]) -> VertexAttribute {
        let values = values(of: colours, corners)
        guard let opacities else { return VertexAttribute(.color(set: 0), componentCount: 3, values: values) }
        let alphas = Self.values(of: opacities, corners)
        var result: [Float] = []
        result.reserveCapacity(corners.count * 4)
        for index in corners.indices { result += values[3 * index..<3 * index + 3] + [alphas[index]] }
        return VertexAttribute(.color(set: 0), componentCount: 4, values: result)
    }
}
