import VitrineMath

/// The owl's outline, a curve that is revolved about +Y.
enum SampleOutline {
    /// (radius, height) in metres, from the bottom to the top: base, body, neck, head.
    private static let knots: [Vector2] = [
        [0, 0], [0.0455, 0], [0.0475, 0.0012], [0.0480, 0.0040], [0.0475, 0.0088], [0.0455, 0.0102], [0.0400, 0.0110], [0.0365, 0.0125],
        [0.0420, 0.0220], [0.0485, 0.0370], [0.0520, 0.0530], [0.0515, 0.0690], [0.0478, 0.0850], [0.0432, 0.0965], [0.0412, 0.1040],
        [0.0440, 0.1120], [0.0462, 0.1210], [0.0450, 0.1305], [0.0390, 0.1395], [0.0270, 0.1462], [0.0130, 0.1492], [0, 0.1500],
    ]

    /// Returns `count` points at equal arc length on a Catmull–Rom spline through the knots.
    static func points(count: Int) -> [Vector2] {
        let fine = spline(stepsPerKnot: 24)
        var lengths: [Float] = [0]
        for (a, b) in zip(fine, fine.dropFirst()) { lengths.append(lengths[lengths.count - 1] + length(b - a)) }
        var (result, segment): ([Vector2], Int) = ([], 0)
        for index in 0..<count {
            let target = lengths[lengths.count - 1] * Float(index) / Float(count - 1)
            while segment < fine.count - 2, lengths[segment + 1] < target { segment += 1 }
            let t = (target - lengths[segment]) / max(1e-12, lengths[segment + 1] - lengths[segment])
            result.append(mix(fine[segment], fine[segment + 1], clamp(t, 0, 1)))
        }
        return result
    }

    private static func spline(stepsPerKnot: Int) -> [Vector2] {
        var points: [Vector2] = []
        for index in 0..<knots.count - 1 {
            let p = [-1, 0, 1, 2].map { knots[clamp(index + $0, 0, knots.count - 1)] }
            for step in 0..<stepsPerKnot {
                let t = Float(step) / Float(stepsPerKnot)
                let quadratic = 2 * p[0] - 5 * p[1] + 4 * p[2] - p[3]
                let cubic = 3 * p[1] - p[0] - 3 * p[2] + p[3]
                let point = 0.5 * (2 * p[1] + (p[2] - p[0]) * t + quadratic * (t * t) + cubic * (t * t * t))
                points.append(Vector2(max(0, point.x), max(0, point.y)))
            }
        }
        return points + [knots[knots.count - 1]]
    }
}
