/// The size of submissions: the work that the GPU does in about a twentieth of a second, so that no driver takes it for a hang and a cancelled
/// stage ends soon.
///
/// The unit of work is the cost of a plane at one pixel in one source, or the distance of two descriptors.
struct SubmissionBatch {
    /// The largest work of a submission. It grows and shrinks with the measured speed.
    private(set) var limit = 1 << 18
    private var pending = 0
    private let largest: Int

    private static let seconds = 0.05

    /// - Parameter largest: The work of a submission at most.
    init(largest: Int = 1 << 34) { (self.largest, limit) = (largest, min(limit, largest)) }

    /// The number of parts of one dispatch, at least `step` and a multiple of it.
    ///
    /// - Parameter work: The work of a part.
    func count(work: Int, multipleOf step: Int = 1) -> Int { max(step, limit / max(1, work) / step * step) }

    /// Forgets submitted work that was waited for elsewhere, or whose stage was cancelled.
    mutating func begin() { pending = 0 }

    /// Adds submitted work; returns whether to wait for it.
    mutating func add(_ work: Int) -> Bool {
        pending += work
        return pending >= limit
    }

    /// Adapts the limit to the time that the pending work took.
    mutating func finish(in duration: Duration) {
        let seconds = max(duration / .seconds(1), 1e-5)
        let wanted = Double(pending) * SubmissionBatch.seconds / seconds
        limit = min(largest, max(limit / 2, min(2 * limit, Int(wanted))))
        limit = max(1, limit)
        pending = 0
    }
}
