import VitrineMath
import VitrineVision

/// Triangulates a feature incrementally from its rays, in constant memory.
struct RayAccumulator: Sendable {
    let id: Int
    /// Sums are relative to the first ray's origin, for accuracy.
    private var origin: Vector3d
    private var midpoint = RayMidpoint()
    private var squares = 0.0
    private var count = 0.0
    private var last: (center: Vector3d, direction: Vector3d)

    /// - Parameter direction: Unit length.
    init(id: Int, center: Vector3d, direction: Vector3d) {
        (self.id, origin, last) = (id, center, (center, direction))
        add(center: center, direction: direction)
    }

    mutating func add(center: Vector3d, direction: Vector3d) {
        let offset = midpoint.add(origin: center - origin, direction: direction)
        squares += lengthSquared(offset)
        count += 1
        last = (center, direction)
    }

    /// Applies a transform of the world.
    mutating func transform(by newFromOld: RigidTransform) {
        origin = newFromOld * origin
        midpoint.rotate(by: newFromOld.rotation)
        last = (newFromOld * last.center, newFromOld.rotation * last.direction)
    }

    /// The landmark, if the rays intersect and the relative standard deviation of its depth is below `depthDeviation`.
    /// - Parameter noise: Standard deviation of a ray in radians.
    func landmark(noise: Double, depthDeviation: Double) -> Landmark? {
        guard count >= 4 else { return nil }
        // The information along the rays, from the angles between them.
        let least = midpoint.matrix.symmetricEigen().values.z
        guard least > 0, noise * noise < depthDeviation * depthDeviation * least else { return nil }
        // The check of `least` replaces that of the determinant.
        guard let offset = midpoint.point(minimumDeterminant: -.infinity) else { return nil }
        let point = origin + offset
        let depth = dot(point - last.center, last.direction)
        let error = max(0, squares - dot(midpoint.right, offset)) / count
        guard depth > 0.1, error < 9 * noise * noise * depth * depth else { return nil }
        return Landmark(position: SIMD3<Float>(point), deviation: Float(noise / least.squareRoot() * depth))
    }
}

/// A landmark of a keyframe.
struct Landmark: Equatable, Sendable {
    /// In the submap, metres.
    var position: SIMD3<Float>
    /// Standard deviation along the rays in metres.
    var deviation: Float

    mutating func transform(by newFromOld: RigidTransform) { position = SIMD3<Float>(newFromOld * Vector3d(position)) }
}
