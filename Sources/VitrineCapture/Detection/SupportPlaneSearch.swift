import VitrineMath
import VitrineVision

/// Fits the plane that most landmarks below the camera agree on: the level of most landmarks if gravity is known, otherwise random samples;
/// then least squares.
struct SupportPlaneSearch: Sendable {
    /// Whether the world's +Y is against gravity: the plane is then nearly level.
    let isGravityKnown: Bool

    private static let samples = 300
    private static let capacity = 800
    /// The distance of inliers, relative to the median distance of the landmarks.
    private static let tolerance = 0.01
    /// The same for uncertain landmarks.
    private static let largestTolerance = 0.025
    /// The least share of landmarks in the plane.
    private static let share = 0.15
    /// The fewest landmarks of a search.
    private static let fewest = 16
    /// Of the plane under a box, relative to the box's longest side: the distance of landmarks, the range of the tolerance, and the least standard
    /// deviation of the plane's landmarks along its shorter axis. Landmarks in the box, scaled by `outside`, do not count.
    private static let surroundings = 2.0
    private static let outside = 1.1
    private static let smallestTolerance = 0.015
    private static let largestToleranceAround = 0.05
    private static let leastSpread = 0.3
    /// The fewest landmarks around a box, and of the plane under it.
    private static let fewestAround = 30

    func plane(of landmarks: [LandmarkStore.Landmark], _ view: CameraView) -> Plane3<Double>? {
        let near = landmarks.filter { view.angle(to: $0.position) < 0.8 }
        guard near.count >= Self.fewest else { return nil }
        let step = max(1, near.count / Self.capacity)
        let sample = stride(from: 0, to: near.count, by: step).map { near[$0].position }
        let distance = quantile(sample.map { length($0 - view.eye) }, 0.5)
        let deviation = quantile(near.map { abs($0.spread.y) }, 0.5)
        let tolerance = max(0.003, Self.tolerance * distance, min(deviation, Self.largestTolerance * distance))
        if isGravityKnown { return level(sample, view, tolerance) }
        return inclined(sample, above: view.eye, within: 70, of: Vector3d(0, 1, 0), scale: distance, tolerance)
    }

    /// Fits the plane under a box again, from all landmarks around it: the plane of its detection, from few views, may lean.
    ///
    /// - Returns: nil if gravity is known, if few landmarks show a plane on several sides of the box, or if no plane is within 45° of the box's base.
    func plane(under box: OrientedBox, _ landmarks: [LandmarkStore.Landmark]) -> Plane3<Double>? {
        guard !isGravityKnown else { return nil }
        let (center, side) = (box.center, box.longestSide)
        // Most landmarks are the object's.
        let inner = box.scaled(by: Self.outside)
        let near = landmarks.filter { length($0.position - center) < Self.surroundings * side && !inner.contains($0.position) }
        guard near.count >= Self.fewestAround else { return nil }
        let step = max(1, near.count / Self.capacity)
        let sample = stride(from: 0, to: near.count, by: step).map { near[$0].position }
        let deviation = quantile(near.map { abs(dot($0.spread, box.axes.y)) }, 0.5)
        let tolerance = clamp(deviation, Self.smallestTolerance * side, Self.largestToleranceAround * side)
        guard let plane = inclined(sample, above: center, within: 45, of: box.axes.y, scale: side, tolerance) else { return nil }
        // Landmarks of one side leave the plane's inclination undetermined.
        let inliers = sample.filter { abs(plane.signedDistance(to: $0)) < tolerance }
        let spreads = Self.scatter(inliers).values / Double(max(inliers.count, 1))
        guard inliers.count >= Self.fewestAround, spreads.y.squareRoot() > Self.leastSpread * side else { return nil }
        return plane
    }

    /// The plane that most points agree on, by random samples.
    ///
    /// - Parameters:
    ///   - eye: A point above the plane.
    ///   - degrees: The largest angle between the plane's normal and `up`.
    ///   - scale: The size of the set of points.
    private func inclined(
        _ points: [Vector3d], above eye: Vector3d, within degrees: Double, of up: Vector3d, scale: Double, _ tolerance: Double
    ) -> Plane3<Double>? {
        let tilt = VitrineMath.cos(degrees * .pi / 180)
        var random = SplitMix64(seed: 0xB0C5)
        var best: (score: Int, plane: Plane3<Double>)?
        for _ in 0..<Self.samples {
            let picked = (0..<3).map { _ in points[random.below(points.count)] }
            var normal = cross(picked[1] - picked[0], picked[2] - picked[0])
            guard length(normal) > 1e-3 * scale * scale else { continue }
            normal = normalize(normal)
            if dot(normal, eye - picked[0]) < 0 { normal = -normal }
            guard dot(normal, up) > tilt else { continue }
            let plane = Plane3(normal: normal, through: picked[0])
            guard let score = score(plane, points, tolerance), score > best?.score ?? 0 else { continue }
            best = (score, plane)
        }
        guard let best, Double(best.score) >= Self.share * Double(points.count) else { return nil }
        return refined(best.plane, points, tolerance)
    }

    /// The level plane of most points.
    private func level(_ points: [Vector3d], _ view: CameraView, _ tolerance: Double) -> Plane3<Double>? {
        let up = Vector3d(0, 1, 0)
        var best: (score: Int, plane: Plane3<Double>)?
        for point in points where point.y < view.eye.y {
            let plane = Plane3(normal: up, through: point)
            guard let score = score(plane, points, tolerance), score > best?.score ?? 0 else { continue }
            best = (score, plane)
        }
        guard let best, Double(best.score) >= Self.share * Double(points.count) else { return nil }
        return refined(best.plane, points, tolerance)
    }

    /// Inliers less points below the plane: nothing is visible through a table. nil if too many lie below.
    private func score(_ plane: Plane3<Double>, _ points: [Vector3d], _ tolerance: Double) -> Int? {
        var (inliers, below) = (0, 0)
        for point in points {
            let height = plane.signedDistance(to: point)
            if abs(height) < tolerance { inliers += 1 } else if height < -3 * tolerance { below += 1 }
        }
        return 3 * below < points.count ? inliers - below / 2 : nil
    }

    private func refined(_ plane: Plane3<Double>, _ points: [Vector3d], _ tolerance: Double) -> Plane3<Double> {
        let inliers = points.filter { abs(plane.signedDistance(to: $0)) < tolerance }
        guard inliers.count >= 10 else { return plane }
        let center = inliers.reduce(Vector3d.zero, +) / Double(inliers.count)
        guard !isGravityKnown else { return Plane3(normal: Vector3d(0, 1, 0), through: center) }
        let normal = Self.scatter(inliers).vectors.z
        return Plane3(normal: dot(normal, plane.normal) < 0 ? -normal : normal, through: center)
    }

    /// The principal axes of points and the sums of their squared distances from the centre along them, the largest first.
    private static func scatter(_ points: [Vector3d]) -> (values: Vector3d, vectors: Matrix3d) {
        let center = points.reduce(Vector3d.zero, +) / Double(max(points.count, 1))
        var scatter = Matrix3d(.zero, .zero, .zero)
        for point in points { scatter = scatter + Matrix3d.outer(point - center, point - center) }
        return scatter.symmetricEigen()
    }
}
