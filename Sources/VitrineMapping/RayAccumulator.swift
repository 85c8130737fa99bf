import VitrineMath
import VitrineVision

/// Triangulates a feature incrementally from its rays, in constant memory.
struct RayAccumulator: Sendable {
    let id: Int
    /// Sums are relative to the first ray's origin, for accuracy.
    private var origin: Vector3d
    private var normal = Matrix3d.zero
    private var right = Vector3d.zero
    private var squares = 0.0
    private var count = 0.0
    private var last: (center: Vector3d, direction: Vector3d)

    /// - Parameter direction: Unit length.
    init(id: Int, center: Vector3d, direction: Vector3d) {
        (self.id, origin, last) = (id, center, (center, direction))
        add(center: center, direction: direction)
    }

    mutating func add(center: Vector3d, direction: Vector3d) {
        let across = Matrix3d.identity - Matrix3d.outer(direction, direction)
        let offset = across * (center - origin)
        normal = normal + across
        right += offset
        squares += lengthSquared(offset)
        count += 1
        last = (center, direction)
    }

    /// Applies a transform of the world.
    mutating func transform(by newFromOld: RigidTransform) {
        let turn = newFromOld.rotation
        origin = newFromOld * origin
        normal = turn * normal * turn.transpose
        right = turn * right
        last = (newFromOld * last.center, turn * last.direction)
    }

    /// The landmark, if the rays intersect and the relative standard deviation of its depth is below `depthDeviation`.
    /// - Parameter noise: Standard deviation of a ray in radians.
    func landmark(noise: Double, depthDeviation: Double) -> Landmark? {
        guard count >= 4 else { return nil }
        // The information along the rays, from the angles between them.
        let least = normal.symmetricEigen().values.z
        guard least > 0, noise * noise < depthDeviation * depthDeviation * least else { return nil }
        let offset = normal.inverse * right
        guard offset.isFinite else { return nil }
        let point = origin + offset
        let depth = dot(point - last.center, last.direction)
        let error = max(0, squares - dot(right, offset)) / count
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
