import VitrineMath
import VitrineVision

/// The camera's heading and position from two known points, with known gravity: up to two solutions (Kukelova, Bujnak & Pajdla 2010).
///
/// The points' height difference gives an equation linear in their distances, their horizontal distance a quadratic one.
enum TwoPointPose {
    /// The pose `worldFromLevel`: a rotation about +Y and a translation.
    struct Answer {
        /// The rotation takes (x, z) to (cosine x + sine z, cosine z − sine x).
        var cosine, sine: Double
        var center: Vector3d

        var rotation: Matrix3d { Matrix3d(Vector3d(cosine, 0, -sine), Vector3d(0, 1, 0), Vector3d(sine, 0, cosine)) }
    }

    /// Returns the poses with known gravity that two points allow.
    ///
    /// - Parameters:
    ///   - rays: Unit directions on gravity-aligned axes (y up).
    ///   - points: The points in the world, with y up.
    static func solve(rays a: Vector3d, _ b: Vector3d, points p: Vector3d, _ q: Vector3d) -> [Answer] {
        let between = p - q
        let steepness = a.y * a.y + b.y * b.y
        // For horizontal rays, heights do not determine distances.
        guard steepness > 1e-6 else { return [] }
        // Distances with the correct height difference: a line.
        let start = Vector2d(a.y, -b.y) * (between.y / steepness)
        let along = Vector2d(b.y, a.y) / steepness.squareRoot()
        let (levelA, levelB) = (Vector2d(a.x, a.z), Vector2d(b.x, b.z))
        let from = levelA * start.x - levelB * start.y
        let step = levelA * along.x - levelB * along.y
        let wanted = Vector2d(between.x, between.z)
        let (second, first, zeroth) = ((step * step).sum(), (from * step).sum(), (from * from).sum() - (wanted * wanted).sum())
        let discriminant = first * first - second * zeroth
        guard second > 1e-12, discriminant >= 0 else { return [] }
        let root = discriminant.squareRoot()
        var answers: [Answer] = []
        for t in [(-first - root) / second, (-first + root) / second] {
            let distances = start + along * t
            guard distances.x > 0.05, distances.y > 0.05 else { continue }
            let v = from + step * t
            let size = ((v * v).sum() * (wanted * wanted).sum()).squareRoot()
            guard size > 1e-9 else { continue }
            let (cosine, sine) = ((wanted * v).sum() / size, (wanted.x * v.y - wanted.y * v.x) / size)
            var answer = Answer(cosine: cosine, sine: sine, center: .zero)
            answer.center = p - answer.rotation * (a * distances.x)
            answers.append(answer)
        }
        return answers
    }
}
