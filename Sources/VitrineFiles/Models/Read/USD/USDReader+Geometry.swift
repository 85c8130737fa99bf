import VitrineMath
import VitrineScene

extension USDReader {
    /// A stream of numbers with where each belongs.
    private struct Stream {
        let semantic: VertexSemantic
        let width: Int
        let values: [Float]
        /// Which of the values a place has; nil: the place's own.
        let indices: [Int32]?
        let interpolation: String

        /// How many places have a value.
        var count: Int { indices?.count ?? values.count / width }

        /// The value of a corner.
        func first(point: Int, corner: Int, face: Int) -> Int? {
            let place =
                switch interpolation {
                case "vertex", "varying": point
                case "faceVarying": corner
                case "uniform": face
                default: 0
                }
            guard place < count else { return nil }
            let index = indices.map { Int($0[place]) } ?? place
            return index >= 0 && (index + 1) * width <= values.count ? index * width : nil
        }
    }

    /// nil, with a warning, where nothing can be shown.
    mutating func geometry(_ prim: Int, isMesh: Bool) throws(ModelFileError) -> Geometry? {
        guard let points = try stage.value(prim, "points")?.floats, points.count >= 3, points.count % 3 == 0 else {
            stage.warn(prim, "has no points")
            return nil
        }
        guard points.allSatisfy(\.isFinite) else { throw failure(prim, "points are not finite") }
        var streams = try self.streams(prim)
        if !isMesh { streams.removeAll { $0.interpolation != "vertex" && $0.interpolation != "varying" } }
        do throws(GeometryError) {
            if !isMesh {
                return try Geometry(topology: .points, attributes: attributes(points, streams, order: Array(0..<points.count / 3)))
            }
        } catch {
            throw failure(prim, "\(error)")
        }
        guard case .integers(let counts)? = try stage.value(prim, "faceVertexCounts"),
            case .integers(let corners)? = try stage.value(prim, "faceVertexIndices"), !corners.isEmpty
        else {
            stage.warn(prim, "has no faces")
            return nil
        }
        let scheme = try stage.value(prim, "subdivisionScheme")?.text ?? "catmullClark"
        if scheme != "none" {
            stage.warn(prim, "subdivision (\(scheme.prefix(40))) is not done: the cage is shown")
        }
        let isLeftHanded = try stage.value(prim, "orientation")?.text == "leftHanded"
        let triangles = try self.triangles(prim, counts, corners, pointCount: points.count / 3, isLeftHanded: isLeftHanded)
        guard !triangles.isEmpty else { return nil }
        return try mesh(prim, points, streams, corners, triangles)
    }

    private func failure(_ prim: Int, _ reason: String) -> ModelFileError {
        ModelFileError(file: file, place: stage.path(of: stage.prims[prim].path), reason: .malformed(reason))
    }

    // MARK: Faces

    /// (corner, face) of every triangle's three corners: polygons are split from their first one.
    private mutating func triangles(
        _ prim: Int, _ counts: [Int32], _ corners: [Int32], pointCount: Int, isLeftHanded: Bool
    ) throws(ModelFileError) -> [(corner: Int, face: Int)] {
        guard corners.allSatisfy({ $0 >= 0 && Int($0) < pointCount }) else { throw failure(prim, "a corner names no point") }
        var result: [(corner: Int, face: Int)] = []
        result.reserveCapacity(corners.count)
        var first = 0
        for (face, count) in counts.enumerated() {
            guard count >= 0, first + Int(count) <= corners.count else { throw failure(prim, "faces have more corners than there are") }
            for corner in stride(from: 2, to: Int(count), by: 1) {
                let (a, b) = isLeftHanded ? (first + corner, first + corner - 1) : (first + corner - 1, first + corner)
                result.append((first, face))
                result.append((a, face))
                result.append((b, face))
            }
            first += Int(count)
        }
        return result
    }

    /// Where every stream belongs to points, points are vertices; else each corner that differs becomes one.
    private mutating func mesh(
        _ prim: Int, _ points: [Float], _ streams: [Stream], _ corners: [Int32], _ triangles: [(corner: Int, face: Int)]
    ) throws(ModelFileError) -> Geometry {
        do throws(GeometryError) {
            let isByPoint = streams.allSatisfy { ["vertex", "varying", "constant"].contains($0.interpolation) }
            let geometry: Geometry
            if isByPoint {
                let order = Array(0..<points.count / 3)
                geometry = try Geometry(
                    attributes: attributes(points, streams, order: order), indices: triangles.map { UInt32(corners[$0.corner]) })
            } else {
                geometry = try split(points, streams, corners, triangles)
            }
            return geometry.attribute(.normal) == nil ? try geometry.withNormals(.flat) : geometry
        } catch {
            throw failure(prim, "\(error)")
        }
    }

    private func attributes(_ points: [Float], _ streams: [Stream], order: [Int]) -> [VertexAttribute] {
        var result = [VertexAttribute(.position, componentCount: 3, values: points)]
        for stream in streams {
            result.append(attribute(stream) { place in stream.first(point: order[place], corner: 0, face: 0) }(order.count))
        }
        return result
    }

    /// Values gathered for `count` vertices; zeros where the file has none.
    private func attribute(_ stream: Stream, _ first: @escaping (Int) -> Int?) -> (Int) -> VertexAttribute {
        { count in
            var values: [Float] = []
            values.reserveCapacity(count * stream.width)
            for place in 0..<count {
                let start = first(place)
                for component in 0..<stream.width { values.append(start.map { stream.values[$0 + component] } ?? 0) }
            }
            return VertexAttribute(
                stream.semantic, componentCount: stream.width, values: stream.semantic == .normal ? UnitVectors.normals(values) : values)
        }
    }

    private func split(
        _ points: [Float], _ streams: [Stream], _ corners: [Int32], _ triangles: [(corner: Int, face: Int)]
    ) throws(GeometryError) -> Geometry {
        var vertices: [[Int32]: UInt32] = [:]
        var (order, indices): ([(corner: Int, face: Int)], [UInt32]) = ([], [])
        indices.reserveCapacity(triangles.count)
        for entry in triangles {
            let point = corners[entry.corner]
            let key =
                [point]
                + streams.map { Int32(truncatingIfNeeded: $0.first(point: Int(point), corner: entry.corner, face: entry.face) ?? -1) }
            let known = vertices[key] ?? UInt32(order.count)
            if known == UInt32(order.count) {
                vertices[key] = known
                order.append(entry)
            }
            indices.append(known)
        }
        let positions = order.flatMap { entry in (0..<3).map { points[Int(corners[entry.corner]) * 3 + $0] } }
        var result = [VertexAttribute(.position, componentCount: 3, values: positions)]
        for stream in streams {
            result.append(
                attribute(stream) { place in
                    let entry = order[place]
                    return stream.first(point: Int(corners[entry.corner]), corner: entry.corner, face: entry.face)
                }(order.count))
        }
        return try Geometry(attributes: result, indices: indices)
    }

    // MARK: Streams

    private mutating func streams(_ prim: Int) throws(ModelFileError) -> [Stream] {
        var result: [Stream] = []
        // `normals` is the older place; the primvar goes before it.
        let normals = stage.prims[prim].properties["primvars:normals"] == nil ? "normals" : "primvars:normals"
        if let stream = try stream(prim, normals, .normal, width: 3) { result.append(stream) }
        for (set, name) in try coordinateNames(prim).enumerated() {
            if let stream = try stream(prim, "primvars:\(name)", .textureCoordinate(set: set), width: 2) { result.append(stream) }
        }
        if let stream = try stream(prim, "primvars:displayColor", .color(set: 0), width: 3) { result.append(stream) }
        return result
    }

    /// `st`, `st1`, `st2` …, and what other programs call the first.
    func coordinateNames(_ prim: Int) throws(ModelFileError) -> [String] {
        let properties = stage.prims[prim].properties
        guard let first = ["st", "st0", "UVMap", "st_0", "map1"].first(where: { properties["primvars:\($0)"] != nil }) else { return [] }
        return [first] + (1..<8).map { "st\($0)" }.prefix { properties["primvars:\($0)"] != nil }
    }

    private mutating func stream(_ prim: Int, _ name: String, _ semantic: VertexSemantic, width: Int) throws(ModelFileError) -> Stream? {
        guard var values = try stage.value(prim, name)?.floats, !values.isEmpty, values.count % width == 0 else { return nil }
        guard values.allSatisfy(\.isFinite) else {
            stage.warn(prim, "\(name) is not finite")
            return nil
        }
        if case .textureCoordinate = semantic {
            for index in stride(from: 1, to: values.count, by: 2) { values[index] = 1 - values[index] }
        }
        var indices: [Int32]?
        if case .integers(let list)? = try stage.value(prim, name + ":indices") { indices = list }
        let fallback = name == "normals" ? "vertex" : "constant"
        let interpolation = try stage.text(prim, name, field: "interpolation") ?? fallback
        return Stream(semantic: semantic, width: width, values: values, indices: indices, interpolation: interpolation)
    }
}
