import VitrineMath
import VitrineVision

/// A point of the map: its position and how well the observations determine it.
struct Landmark: Equatable, Sendable {
    /// The position in the submap, metres.
    private(set) var position: SIMD3<Float>
    /// The inverse of the position's covariance in 1/m²: the elements xx, yy, zz, and xy, xz, yz.
    private(set) var diagonal, offDiagonal: SIMD3<Float>

    init(position: SIMD3<Float>, diagonal: SIMD3<Float>, offDiagonal: SIMD3<Float>) {
        (self.position, self.diagonal, self.offDiagonal) = (position, diagonal, offDiagonal)
    }

    /// Triangulates rays; nil if they do not intersect in front of the cameras or do not determine the depth.
    ///
    /// - Parameter depthDeviation: The largest relative standard deviation of the depth.
    init?(_ first: LandmarkRay, _ second: LandmarkRay, depthDeviation: Double) {
        var midpoint = RayMidpoint()
        midpoint.add(origin: .zero, direction: first.direction)
        midpoint.add(origin: second.center - first.center, direction: second.direction)
        guard let offset = midpoint.point(minimumDeterminant: 1e-7) else { return nil }
        let point = first.center + offset
        guard first.squaredError(of: point) < 9, second.squaredError(of: point) < 9 else { return nil }
        let matrix = first.information(at: point) + second.information(at: point)
        let least = matrix.symmetricEigen().values.z
        let distance = length(offset)
        guard distance > 0.1, least * distance * distance * depthDeviation * depthDeviation > 1 else { return nil }
        self.init(point, matrix)
    }

    private init(_ point: Vector3d, _ matrix: Matrix3d) {
        position = SIMD3<Float>(point)
        diagonal = SIMD3<Float>(Vector3d(matrix.x.x, matrix.y.y, matrix.z.z))
        offDiagonal = SIMD3<Float>(Vector3d(matrix.x.y, matrix.x.z, matrix.y.z))
    }

    private var matrix: Matrix3d {
        let (d, o) = (Vector3d(diagonal), Vector3d(offDiagonal))
        return Matrix3d(Vector3d(d.x, o.x, o.y), Vector3d(o.x, d.y, o.z), Vector3d(o.y, o.z, d.z))
    }

    /// The position's covariance in m²; at most (1 m)² along each axis.
    var covariance: Matrix3d {
        let (values, vectors) = matrix.symmetricEigen()
        func part(_ vector: Vector3d, _ information: Double) -> Matrix3d { Matrix3d.outer(vector, vector) * (1 / max(information, 1)) }
        return part(vectors.x, values.x) + part(vectors.y, values.y) + part(vectors.z, values.z)
    }

    /// The direction in which the position is least certain, times the standard deviation.
    var uncertainty: Vector3d {
        let eigen = matrix.symmetricEigen()
        return eigen.vectors.z * (1 / max(eigen.values.z, 1e-12).squareRoot())
    }

    /// Updates the position by a further ray.
    mutating func add(_ ray: LandmarkRay) {
        let (prior, point) = (matrix, Vector3d(position))
        let gain = ray.information(at: point)
        let sum = prior + gain
        guard sum.determinant > 0 else { return }
        // The ray's information has no component along the ray, so any point of the ray serves as its measurement.
        let moved = point + sum.inverse * (gain * (ray.center - point))
        guard moved.isFinite else { return }
        self = Landmark(moved, sum)
    }

    mutating func transform(by newFromOld: RigidTransform) {
        let r = newFromOld.rotation
        self = Landmark(newFromOld * Vector3d(position), r * matrix * r.transpose)
    }
}

/// A ray on which a landmark lies.
struct LandmarkRay: Sendable {
    var center: Vector3d
    /// The direction, of unit length.
    var direction: Vector3d
    /// Standard deviation in radians.
    var noise: Double
    /// Standard deviation of the centre relative to the landmark's other rays, in metres: the tracker's drift.
    var centerDeviation = 0.0

    /// The information on a point near the ray.
    func information(at point: Vector3d) -> Matrix3d {
        let deviation = noise * max(length(point - center), 0.05)
        let variance = deviation * deviation + centerDeviation * centerDeviation
        return (Matrix3d.identity - Matrix3d.outer(direction, direction)) * (1 / variance)
    }

    /// The squared angle between the ray and the direction to a point, in units of the noise; infinite behind the camera.
    func squaredError(of point: Vector3d) -> Double {
        let arm = point - center
        let depth = dot(arm, direction)
        guard depth > 0.05 else { return .infinity }
        return lengthSquared(arm - direction * depth) / (depth * depth * noise * noise)
    }
}
