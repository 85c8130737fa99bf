import VitrineMath
import VitrineVision

/// The points that can be used at all, and how they are spaced.
struct UsablePoints {
    /// Rising.
    var indices: [UInt32]
    /// Of every point, used or not: how much it counts.
    let weights: [Float]
    let extent: Float
    let medianSpacing: Float
    private static let needed = 16

    init(_ points: OrientedPoints, bounds: OrientedBox?, statistics: inout SurfaceStatistics) throws(SurfaceError) {
        let count = points.count
        statistics.inputPoints = count
        try Self.check(points)
        var indices: [UInt32] = []
        indices.reserveCapacity(count)
        var box = BoundingBox.empty
        for index in 0..<count {
            let (position, normal) = (points.positions[index], points.normals[index])
            // Beyond, squares leave the range of the numbers.
            guard position.isFinite, position.magnitudes.max() < 1e15, normal.isFinite, lengthSquared(normal) > 1e-12 else { continue }
            if let bounds, !bounds.contains(Vector3d(Double(position.x), Double(position.y), Double(position.z))) { continue }
            indices.append(UInt32(index))
            box.formUnion(position)
        }
        statistics.unusablePoints = count - indices.count
        guard indices.count >= Self.needed else { throw .tooFewPoints(count: indices.count, needed: Self.needed) }
        extent = box.size.max()
        // Cells must differ from each other in single precision.
        guard extent > 1e-6 * max(box.minimum.magnitudes.max(), box.maximum.magnitudes.max()), extent > 1e-15 else {
            throw .degenerateExtent
        }
        weights = (0..<count).map {
            guard $0 < points.confidences.count, points.confidences[$0].isFinite else { return 1 }
            return min(1, max(0.05, points.confidences[$0]))
        }
        medianSpacing = Self.medianSpacing(points, indices, extent: extent)
        self.indices = indices
    }

    private static func check(_ points: OrientedPoints) throws(SurfaceError) {
        let count = points.count
        guard count < Int(Int32.max) / 32 else { throw .inconsistentPoints("positions") }
        guard points.normals.count == count else { throw .inconsistentPoints("normals") }
        guard points.spacings.isEmpty || points.spacings.count == count else { throw .inconsistentPoints("spacings") }
        guard points.confidences.isEmpty || points.confidences.count == count else { throw .inconsistentPoints("confidences") }
        let offsets = points.viewOffsets
        guard offsets.count <= 1 || offsets.count == count + 1 else { throw .inconsistentPoints("viewOffsets") }
        guard offsets.first ?? 0 >= 0, offsets.last ?? 0 <= points.viewIndices.count,
            zip(offsets, offsets.dropFirst()).allSatisfy({ $0 <= $1 })
        else { throw .inconsistentPoints("viewOffsets") }
    }

    /// The median of the given spacings; without them that of a surface about as large as the box's largest side on which the points lie evenly.
    private static func medianSpacing(_ points: OrientedPoints, _ indices: [UInt32], extent: Float) -> Float {
        let given = points.spacings.isEmpty ? [] : indices.map { points.spacings[Int($0)] }.filter { $0.isFinite && $0 > 0 }.sorted()
        let fallback = extent * 1.5 / Float(indices.count).squareRoot()
        return given.isEmpty ? fallback : given[given.count / 2]
    }
}
