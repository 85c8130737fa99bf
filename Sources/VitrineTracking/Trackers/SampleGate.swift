/// Lets inertial samples through whose times can be believed: each after the one before, and none far ahead of all others.
///
/// One wrong stamp in the future would otherwise make every sample after it late. A leap waits until the next sample goes on from there.
struct SampleGate: Sendable {
    private(set) var passedOver = 0
    private var last = -Double.infinity
    private var leap: InertialSample?
    /// Seconds from which on a stamp needs a witness.
    private static let doubtfulGap = 2.0

    /// What may be used now: none, the sample, or the sample and a leap before it.
    mutating func admitted(_ sample: InertialSample) -> [InertialSample] {
        guard sample.isFinite, sample.time > last else {
            passedOver += 1
            return []
        }
        guard last.isFinite, sample.time - last > Self.doubtfulGap else {
            if leap != nil { passedOver += 1 }
            (leap, last) = (nil, sample.time)
            return [sample]
        }
        if let first = leap, sample.time > first.time, sample.time - first.time <= Self.doubtfulGap {
            (leap, last) = (nil, sample.time)
            return [first, sample]
        }
        if leap != nil { passedOver += 1 }
        leap = sample
        return []
    }
}
