import VitrineMath

/// Admits plausible inertial samples in the order of time, without jumps ahead.
///
/// A single wrong time stamp in the future would make every later sample out of order. A sample after a long gap waits until the next sample
/// continues from it.
struct InertialSampleGate: Sendable {
    /// Number of samples that were out of order, not finite or out of range.
    private(set) var skipped = 0
    private var last = -Double.infinity
    /// The sample that waits for confirmation.
    private var candidate: InertialSample?
    /// Squares of the largest angular velocity (100 rad/s) and specific force (1000 m/s²).
    private static let maximumSquares = (rate: 1e4, force: 1e6)
    /// Seconds after which a sample needs confirmation.
    private static let longGap = 2.0

    /// Returns the samples to process now: none, the sample, or the waiting sample and this one.
    mutating func admitted(_ sample: InertialSample) -> [InertialSample] {
        guard sample.isFinite, sample.time > last, lengthSquared(sample.angularVelocity) < Self.maximumSquares.rate,
            lengthSquared(sample.acceleration) < Self.maximumSquares.force
        else {
            skipped += 1
            return []
        }
        guard last.isFinite, sample.time - last > Self.longGap else {
            if candidate != nil { skipped += 1 }
            (candidate, last) = (nil, sample.time)
            return [sample]
        }
        if let first = candidate, sample.time > first.time, sample.time - first.time <= Self.longGap {
            (candidate, last) = (nil, sample.time)
            return [first, sample]
        }
        if candidate != nil { skipped += 1 }
        candidate = sample
        return []
    }
}
