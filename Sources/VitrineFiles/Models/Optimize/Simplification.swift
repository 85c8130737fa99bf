import CMeshOptimizer
import VitrineMath
import VitrineScene

/// Collapses edges in the order of quadric error (Garland & Heckbert 1997; implemented by meshoptimizer) up to invisible errors.
///
/// meshoptimizer measures the distance between the surfaces. Other deviations are measured afterwards: the differences of normals, texture
/// coordinates and colours between the removed vertices and the new surface (`AttributeDeviation`). If they are too large, fewer edges are
/// collapsed.
struct Simplification {
    let ratio: Float
    let error: Float
    let locksBorders: Bool

    /// Geometries with fewer triangles are not simplified.
    private static let fewestTriangles = 32

    /// Simplifies the meshes of a scene.
    ///
    /// - Returns: A summary for the report.
    func run(_ scene: Scene) -> String {
        var removed = (triangles: 0, vertices: 0)
        GeometryCleanup.forEachGeometry(scene) { geometry, use in
            // In the bind pose, joints are straight, so that the vertices needed for bending seem redundant. They are removed only if the caller sets a ratio.
            guard ratio > 0 || !use.isSkinned && geometry.morphTargets.isEmpty else { return geometry }
            guard !use.isTransparent, geometry.triangleCount >= Self.fewestTriangles else { return geometry }
            let simplified = simplified(geometry)
            removed.triangles += geometry.triangleCount - simplified.triangleCount
            removed.vertices += geometry.vertexCount - simplified.vertexCount
            return simplified
        }
        return OptimizeText.list([(removed.triangles, "triangle"), (removed.vertices, "vertex")], verb: "removed")
    }

    func simplified(_ geometry: Geometry) -> Geometry {
        guard let positions = geometry.attribute(.position)?.values else { return geometry }
        let corners = geometry.triangleIndices
        var target = Int(Float(corners.count / 3) * clamp(ratio, 0, 1)) * 3
        let size = meshopt_simplifyScale(positions, geometry.vertexCount, 12)
        for _ in 0..<4 {
            let (kept, relative) = collapse(corners, positions, geometry.vertexCount, to: target)
            guard !kept.isEmpty, kept.count < corners.count else { return geometry }
            let deviation = AttributeDeviation(of: geometry, from: kept, distance: max(relative, 1e-6) * size)
            if deviation.isInvisible(allowance: ratio > 0 ? 8 : 1) { return geometry.usingOnly(kept) }
            // Retries with half of the triangles to remove.
            target = (kept.count + corners.count) / 6 * 3
        }
        return geometry
    }

    private func collapse(_ corners: [UInt32], _ positions: [Float], _ vertexCount: Int, to target: Int) -> ([UInt32], Float) {
        var relative: Float = 0
        let options = locksBorders ? UInt32(meshopt_SimplifyLockBorder) : 0
        let kept = [UInt32](unsafeUninitializedCapacity: corners.count) { buffer, count in
            count = meshopt_simplify(
                buffer.baseAddress, corners, corners.count, positions, vertexCount, 12, target, error, options, &relative)
        }
        return (kept, relative)
    }
}

/// The deviation of the attributes of removed vertices from those of the simplified surface at the nearest point.
struct AttributeDeviation {
    /// The 99th percentile of the deviation of normals, as 1 − cosine.
    private(set) var normals: Float = 0
    /// The 99th percentile of the deviation of texture coordinates, as a fraction of the texture.
    private(set) var coordinates: Float = 0
    /// The 99th percentile of the deviation of linear colours.
    private(set) var colors: Float = 0

    /// Returns whether the change is too small to be visible.
    ///
    /// - Parameter allowance: The factor on the limits of visibility.
    func isInvisible(allowance: Float) -> Bool {
        // 4 degrees; two pixels of a texture of 1024; one level of 255.
        normals <= 0.0025 * allowance && coordinates <= 0.002 * allowance && colors <= 0.004 * allowance
    }

    /// Measures the change of a geometry.
    ///
    /// - Parameters:
    ///   - kept: The simplified triangles, with the vertices of `geometry`.
    ///   - distance: The distance in metres by which the surface has moved.
    init(of geometry: Geometry, from kept: [UInt32], distance: Float) {
        var isKept = [Bool](repeating: false, count: geometry.vertexCount)
        for corner in kept { isKept[Int(corner)] = true }
        var isUsed = [Bool](repeating: false, count: geometry.vertexCount)
        for corner in geometry.triangleIndices { isUsed[Int(corner)] = true }
        let removed = (0..<geometry.vertexCount).filter { isUsed[$0] && !isKept[$0] }
        guard !removed.isEmpty else { return }
        // In a large mesh, only a uniformly distributed fraction of the vertices is tested.
        let step = max(1, removed.count / 20_000)
        let tree = TriangleTree(geometry, corners: kept)
        var found = (normals: [Float](), coordinates: [Float](), colors: [Float]())
        for index in stride(from: 0, to: removed.count, by: step) {
            let vertex = removed[index]
            guard let best = tree.leastDeviation(of: vertex, within: 3 * distance) else { continue }
            found.normals.append(best.normals)
            found.coordinates.append(best.coordinates)
            found.colors.append(best.colors)
        }
        func percentile(_ values: [Float]) -> Float {
            guard !values.isEmpty else { return 0 }
            return values.sorted()[min(values.count - 1, values.count * 99 / 100)]
        }
        (normals, coordinates, colors) = (percentile(found.normals), percentile(found.coordinates), percentile(found.colors))
    }

    fileprivate init(normals: Float, coordinates: Float, colors: Float) {
        (self.normals, self.coordinates, self.colors) = (normals, coordinates, colors)
    }
}

/// A bounding volume hierarchy of triangles: a binary tree of boxes, split at the median of the longest side.
private struct TriangleTree {
    private struct Box {
        var low = Vector3(repeating: .infinity)
        var high = Vector3(repeating: -.infinity)
        /// The first of the two children of an inner node; −1 for a leaf.
        var child: Int32 = -1
        /// The start of a leaf's range in `order`.
        var first: Int32 = 0
        var count: Int32 = 0
    }

    private var boxes: [Box] = []
    private var order: [Int32]
    private let corners: [UInt32]
    private let positions: [Vector3]
    private let normals: VertexAttribute?
    private let coordinates: [VertexAttribute]
    private let colors: VertexAttribute?

    init(_ geometry: Geometry, corners: [UInt32]) {
        self.corners = corners
        let values = geometry.attribute(.position)?.values ?? []
        positions = (0..<geometry.vertexCount).map { Vector3(values[3 * $0], values[3 * $0 + 1], values[3 * $0 + 2]) }
        normals = geometry.attribute(.normal)
        colors = geometry.attribute(.color(set: 0))
        coordinates = geometry.attributes.filter { if case .textureCoordinate = $0.semantic { true } else { false } }
        order = (0..<Int32(corners.count / 3)).map { $0 }
        build()
    }

    private func corner(_ triangle: Int32, _ index: Int) -> Int { Int(corners[Int(triangle) * 3 + index]) }

    private func bounds(_ first: Int, _ count: Int) -> (Vector3, Vector3) {
        var (low, high) = (Vector3(repeating: .infinity), Vector3(repeating: -.infinity))
        for slot in first..<(first + count) {
            for index in 0..<3 {
                let p = positions[corner(order[slot], index)]
                low = pointwiseMin(low, p)
                high = pointwiseMax(high, p)
            }
        }
        return (low, high)
    }

    private mutating func build() {
        guard !order.isEmpty else { return }
        boxes = [Box()]
        var pending: [(box: Int, first: Int, count: Int)] = [(0, 0, order.count)]
        while let (index, first, count) = pending.popLast() {
            let (low, high) = bounds(first, count)
            (boxes[index].low, boxes[index].high) = (low, high)
            let size = high - low
            guard count > 8, size.max() > 0 else {
                (boxes[index].first, boxes[index].count) = (Int32(first), Int32(count))
                continue
            }
            let axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2
            var sorted: [(sum: Float, triangle: Int32)] = []
            for slot in first..<(first + count) {
                var sum: Float = 0
                for index in 0..<3 { sum += positions[corner(order[slot], index)][axis] }
                sorted.append((sum, order[slot]))
            }
            sorted.sort { $0.sum == $1.sum ? $0.triangle < $1.triangle : $0.sum < $1.sum }
            for (offset, entry) in sorted.enumerated() { order[first + offset] = entry.triangle }
            let half = count / 2
            boxes[index].child = Int32(boxes.count)
            boxes += [Box(), Box()]
            pending.append((boxes.count - 2, first, half))
            pending.append((boxes.count - 1, first + half, count - half))
        }
    }

    /// Returns the smallest deviation of a vertex from the triangles within `radius`, at the point of each triangle nearest to the vertex, because two
    /// surfaces with different attributes meet at a seam. nil if no triangle is near enough.
    func leastDeviation(of vertex: Int, within radius: Float) -> AttributeDeviation? {
        guard !boxes.isEmpty else { return nil }
        let point = positions[vertex]
        var best: (score: Float, deviation: AttributeDeviation)?
        var pending: [Int32] = [0]
        while let index = pending.popLast() {
            let box = boxes[Int(index)]
            let outside = pointwiseMax(pointwiseMax(box.low - point, point - box.high), Vector3(repeating: 0))
            if dot(outside, outside) > radius * radius { continue }
            if box.child >= 0 {
                pending.append(box.child)
                pending.append(box.child + 1)
                continue
            }
            for slot in Int(box.first)..<Int(box.first + box.count) {
                let (weights, distance) = nearest(order[slot], point)
                guard distance <= radius else { continue }
                let deviation = deviation(of: vertex, at: order[slot], weights)
                let score = deviation.normals / 0.0025 + deviation.coordinates / 0.002 + deviation.colors / 0.004
                if best.map({ score < $0.score }) ?? true { best = (score, deviation) }
            }
        }
        return best?.deviation
    }

    private func deviation(of vertex: Int, at triangle: Int32, _ weights: Vector3) -> AttributeDeviation {
        let corners = (corner(triangle, 0), corner(triangle, 1), corner(triangle, 2))
        func difference(_ attribute: VertexAttribute, _ component: Int) -> Float {
            let (width, values) = (attribute.componentCount, attribute.values)
            var there = values[corners.0 * width + component] * weights.x
            there += values[corners.1 * width + component] * weights.y
            there += values[corners.2 * width + component] * weights.z
            return abs(there - values[vertex * width + component])
        }
        var result = AttributeDeviation(normals: 0, coordinates: 0, colors: 0)
        if let normals {
            func normal(_ index: Int) -> Vector3 {
                Vector3(normals.values[3 * index], normals.values[3 * index + 1], normals.values[3 * index + 2])
            }
            var there = normal(corners.0) * weights.x
            there += normal(corners.1) * weights.y
            there += normal(corners.2) * weights.z
            let here = normal(vertex)
            let size = length(there) * length(here)
            result = AttributeDeviation(normals: size > 0 ? max(0, 1 - dot(there, here) / size) : 0, coordinates: 0, colors: 0)
        }
        let uv = coordinates.reduce(Float(0)) { max($0, max(difference($1, 0), difference($1, 1))) }
        let color = colors.map { attribute in (0..<3).reduce(Float(0)) { max($0, difference(attribute, $1)) } } ?? 0
        return AttributeDeviation(normals: result.normals, coordinates: uv, colors: color)
    }

    /// Returns the barycentric coordinates of the point of a triangle nearest to `point`, and its distance (Ericson 2005, chapter 5.1.5).
    private func nearest(_ triangle: Int32, _ point: Vector3) -> (weights: Vector3, distance: Float) {
        let (a, b, c) = (positions[corner(triangle, 0)], positions[corner(triangle, 1)], positions[corner(triangle, 2)])
        let weights = Self.nearest(a, b, c, point)
        let there = a * weights.x + b * weights.y + c * weights.z
        return (weights, length(there - point))
    }

    private static func nearest(_ a: Vector3, _ b: Vector3, _ c: Vector3, _ p: Vector3) -> Vector3 {
        let (ab, ac, ap) = (b - a, c - a, p - a)
        let (d1, d2) = (dot(ab, ap), dot(ac, ap))
        if d1 <= 0, d2 <= 0 { return Vector3(1, 0, 0) }
        let bp = p - b
        let (d3, d4) = (dot(ab, bp), dot(ac, bp))
        if d3 >= 0, d4 <= d3 { return Vector3(0, 1, 0) }
        let vc = d1 * d4 - d3 * d2
        if vc <= 0, d1 >= 0, d3 <= 0 {
            let v = d1 - d3 > 0 ? d1 / (d1 - d3) : 0
            return Vector3(1 - v, v, 0)
        }
        let cp = p - c
        let (d5, d6) = (dot(ab, cp), dot(ac, cp))
        if d6 >= 0, d5 <= d6 { return Vector3(0, 0, 1) }
        let vb = d5 * d2 - d1 * d6
        if vb <= 0, d2 >= 0, d6 <= 0 {
            let w = d2 - d6 > 0 ? d2 / (d2 - d6) : 0
            return Vector3(1 - w, 0, w)
        }
        let va = d3 * d6 - d5 * d4
        if va <= 0, d4 - d3 >= 0, d5 - d6 >= 0 {
            let total = (d4 - d3) + (d5 - d6)
            let w = total > 0 ? (d4 - d3) / total : 0
            return Vector3(0, 1 - w, w)
        }
        let total = va + vb + vc
        guard total > 0 else { return Vector3(1, 0, 0) }
        return Vector3(va / total, vb / total, vc / total)
    }
}
