import VitrineMath
import VitrineVision

/// The points that the surface is made of.
struct SurfacePoints: Sendable {
    var positions: [Vector3] = []
    /// Unit, outward.
    var normals: [Vector3] = []
    /// How much each counts, 0.05…1.
    var weights: [Float] = []
    /// The distance to the next point, as the photos' pixels have it.
    var spacings: [Float] = []
    /// Their places in the cloud they come from; −1 for those made up.
    var sources: [Int32] = []

    private(set) var bounds = BoundingBox.empty
    var count: Int { positions.count }
    var extent: Float { bounds.size.max() }
    static let needed = 16

    /// The points of `cloud` that are finite, have a normal and lie within `bounds`.
    init(_ cloud: OrientedPoints, bounds wanted: OrientedBox?) throws(SurfaceError) {
        try Self.check(cloud)
        for index in 0..<cloud.count {
            let (position, normal) = (cloud.positions[index], cloud.normals[index])
            // Beyond, squares leave the range of the numbers.
            guard position.isFinite, position.magnitudes.max() < 1e15, normal.isFinite, lengthSquared(normal) > 1e-12 else { continue }
            if let wanted, !wanted.contains(Vector3d(Double(position.x), Double(position.y), Double(position.z))) { continue }
            var weight: Float = 1
            if index < cloud.confidences.count, cloud.confidences[index].isFinite { weight = min(1, max(0.05, cloud.confidences[index])) }
            append(
                position, normalize(normal), weight: weight, spacing: index < cloud.spacings.count ? cloud.spacings[index] : 0,
                source: index)
        }
        try checkExtent()
        fillSpacings()
    }

    mutating func append(_ position: Vector3, _ normal: Vector3, weight: Float, spacing: Float, source: Int) {
        positions.append(position)
        normals.append(normal)
        weights.append(weight)
        spacings.append(spacing)
        sources.append(Int32(source))
        bounds.formUnion(position)
    }

    /// Keeps the points for which `isKept` is true; at least `needed` must be left.
    mutating func keep(_ isKept: (Int) -> Bool) throws(SurfaceError) {
        var count = 0
        bounds = .empty
        for index in 0..<self.count where isKept(index) {
            (positions[count], normals[count]) = (positions[index], normals[index])
            (weights[count], spacings[count], sources[count]) = (weights[index], spacings[index], sources[index])
            bounds.formUnion(positions[count])
            count += 1
        }
        positions.removeLast(self.count - count)
        normals.removeLast(normals.count - count)
        weights.removeLast(weights.count - count)
        spacings.removeLast(spacings.count - count)
        sources.removeLast(sources.count - count)
        try checkExtent()
    }

    var medianSpacing: Float { spacings.sorted()[count / 2] }

    private func checkExtent() throws(SurfaceError) {
        guard count >= Self.needed else { throw .tooFewPoints(count: count, needed: Self.needed) }
        // Cells must differ from each other in single precision.
        let largest = max(bounds.minimum.magnitudes.max(), bounds.maximum.magnitudes.max())
        guard extent > 1e-4 * largest, extent > 1e-15 else { throw .degenerateExtent }
    }

    /// Where no spacing is given, that of points lying evenly on a surface about as large as the box's largest side.
    private mutating func fillSpacings() {
        let fallback = extent * 1.5 / Float(count).squareRoot()
        for index in spacings.indices where !(spacings[index].isFinite && spacings[index] > 0) { spacings[index] = fallback }
    }

    private static func check(_ cloud: OrientedPoints) throws(SurfaceError) {
        let count = cloud.count
        guard count < Int(Int32.max) / 32 else { throw .inconsistentPoints("positions") }
        guard cloud.normals.count == count else { throw .inconsistentPoints("normals") }
        guard cloud.spacings.isEmpty || cloud.spacings.count == count else { throw .inconsistentPoints("spacings") }
        guard cloud.confidences.isEmpty || cloud.confidences.count == count else { throw .inconsistentPoints("confidences") }
        let offsets = cloud.viewOffsets
        guard offsets.count <= 1 || offsets.count == count + 1 else { throw .inconsistentPoints("viewOffsets") }
        guard offsets.first ?? 0 >= 0, offsets.last ?? 0 <= cloud.viewIndices.count,
            zip(offsets, offsets.dropFirst()).allSatisfy({ $0 <= $1 })
        else { throw .inconsistentPoints("viewOffsets") }
    }
}
