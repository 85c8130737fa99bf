import VitrineMath
import VitrineVision

/// The point nearest to all rays that pointed at it so far: constant in memory, however long it is followed.
struct RayBundle: Sendable {
    let id: Int
    /// Sums are taken about the first ray's origin: far from it squares would swallow what counts.
    private var origin: Vector3d
    private var normal = Matrix3d.zero
    private var right = Vector3d.zero
    private var squares = 0.0
    private var count = 0.0
    private var last: (center: Vector3d, direction: Vector3d)

    /// - Parameter direction: unit length.
    init(id: Int, center: Vector3d, direction: Vector3d) {
        (self.id, origin, last) = (id, center, (center, direction))
        add(center: center, direction: direction)
    }

    mutating func add(center: Vector3d, direction: Vector3d) {
        let across = Matrix3d.identity - Rotations.outer(direction, direction)
        let place = across * (center - origin)
        normal = normal + across
        right += place
        squares += lengthSquared(place)
        count += 1
        last = (center, direction)
    }

    /// The same in a world that was moved.
    mutating func move(by newFromOld: RigidTransform) {
        let turn = newFromOld.rotation
        origin = newFromOld * origin
        normal = turn * normal * turn.transpose
        right = turn * right
        last = (newFromOld * last.center, turn * last.direction)
    }

    /// The point, and its standard deviation along the rays, where rays of so much noise (radians) tell its depth to a share of `depthDeviation`,
    /// and where they do meet.
    func point(noise: Double, depthDeviation: Double) -> PlacePoint? {
        guard count >= 4 else { return nil }
        // What rays say along themselves, from the angles between them.
        let least = normal.symmetricEigen().values.z
        guard least > 0, noise * noise < depthDeviation * depthDeviation * least else { return nil }
        let place = normal.inverse * right
        guard place.isFinite else { return nil }
        let point = origin + place
        let depth = dot(point - last.center, last.direction)
        let miss = max(0, squares - dot(right, place)) / count
        guard depth > 0.1, miss < 9 * noise * noise * depth * depth else { return nil }
        return PlacePoint(position: SIMD3<Float>(point), deviation: Float(noise / least.squareRoot() * depth))
    }
}

/// A point of a view that is kept.
struct PlacePoint: Equatable, Sendable {
    /// In the world, metres.
    var position: SIMD3<Float>
    /// How far off it may be along the rays that showed it, in metres: a standard deviation.
    var deviation: Float

    mutating func move(by newFromOld: RigidTransform) { position = SIMD3<Float>(newFromOld * Vector3d(position)) }
}
