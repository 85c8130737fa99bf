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

    func plane(of landmarks: [LandmarkStore.Landmark], _ view: CameraView) -> Plane3<Double>? {
        let near = landmarks.filter { view.angle(to: $0.position) < 0.8 }
        guard near.count >= Self.fewest else { return nil }
        let step = max(1, near.count / Self.capacity)
        let sample = stride(from: 0, to: near.count, by: step).map { near[$0].position }
        let distance = quantile(sample.map { length($0 - view.eye) }, 0.5)
        let deviation = quantile(near.map { abs($0.spread.y) }, 0.5)
        let tolerance = max(0.003, Self.tolerance * distance, min(deviation, Self.largestTolerance * distance))
        if isGravityKnown { return level(sample, view, tolerance) }
        let tilt = VitrineMath.cos(70.0 * .pi / 180)
        var random = SplitMix64(seed: 0xB0C5)
        var best: (score: Int, plane: Plane3<Double>)?
        for _ in 0..<Self.samples {
            let picked = (0..<3).map { _ in sample[random.below(sample.count)] }
            var normal = cross(picked[1] - picked[0], picked[2] - picked[0])
            guard length(normal) > 1e-3 * distance * distance else { continue }
            normal = normalize(normal)
            if dot(normal, view.eye - picked[0]) < 0 { normal = -normal }
            guard normal.y > tilt else { continue }
            let plane = Plane3(normal: normal, through: picked[0])
            guard let score = score(plane, sample, tolerance), score > best?.score ?? 0 else { continue }
            best = (score, plane)
        }
        guard let best, Double(best.score) >= Self.share * Double(sample.count) else { return nil }
        return refined(best.plane, sample, tolerance)
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
        var scatter = Matrix3d(.zero, .zero, .zero)
        for point in inliers { scatter = scatter + Matrix3d.outer(point - center, point - center) }
        let normal = scatter.symmetricEigen().vectors.z
        return Plane3(normal: dot(normal, plane.normal) < 0 ? -normal : normal, through: center)
    }
}
