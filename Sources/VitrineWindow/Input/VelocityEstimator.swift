import VitrineMath

/// The velocity of a pointer from its last 100 ms: the slope of a straight line through the positions (least squares).
///
/// A pointer that rested for 80 ms before it let go has velocity zero: the hand had stopped.
struct VelocityEstimator: Sendable {
    private var samples: [(position: Vector2, time: Double)] = []
    private static let window = 0.1
    private static let rest = 0.08
    /// Events that come in bursts, because frames take long, still need two moments to measure between.
    private static let longestGap = 0.25

    mutating func add(_ position: Vector2, at time: Double) {
        samples.removeAll { $0.time > time || time - $0.time > Self.longestGap }
        let fresh = samples.firstIndex { time - $0.time <= Self.window } ?? samples.count
        let hasFreshMoment = fresh < samples.count && samples[fresh].time < time
        samples.removeFirst(hasFreshMoment ? fresh : max(0, fresh - 1))
        samples.append((position, time))
    }

    /// Points a second.
    func velocity(at time: Double) -> Vector2 {
        guard samples.count >= 2, let last = samples.last, time - last.time <= Self.rest else { return Vector2(0, 0) }
        let start = samples[0].time
        let count = Float(samples.count)
        var (sumT, sumTT): (Float, Float) = (0, 0)
        var (sumP, sumTP) = (Vector2(0, 0), Vector2(0, 0))
        for sample in samples {
            let t = Float(sample.time - start)
            sumT += t
            sumTT += t * t
            sumP += sample.position
            sumTP += sample.position * t
        }
        let spread = count * sumTT - sumT * sumT
        // Events that all carry one time stamp have no velocity.
        guard spread > 1e-9 else { return Vector2(0, 0) }
        return (sumTP * count - sumP * sumT) / spread
    }
}
