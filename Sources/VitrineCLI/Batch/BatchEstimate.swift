/// The remaining time of a batch: each photo of the remaining objects takes as long as the mean of the complete ones. Objects that fail often fail
/// early: they count only until one is complete.
struct BatchEstimate {
    /// Photos and seconds of the complete objects; of the failed ones if none is complete.
    private var photos = 0.0
    private var seconds = 0.0
    private var hasComplete = false
    /// The photos of all finished objects.
    private var finished = 0.0
    /// The photos of objects that have not started.
    private var waiting: Double
    private let all: Double
    private var current = 0.0

    /// - Parameter photos: By object that must be made.
    init(photos: [Int]) {
        waiting = photos.reduce(0) { $0 + Self.weight($1) }
        all = waiting
    }

    /// Reading and writing take time also for an object without photos.
    private static func weight(_ photos: Int) -> Double { Double(photos) + 2 }

    mutating func begin(photos: Int) {
        current = Self.weight(photos)
        waiting -= current
    }

    mutating func finish(seconds: Double, isComplete: Bool = true) {
        finished += current
        if isComplete, !hasComplete { (photos, self.seconds, hasComplete) = (0, 0, true) }
        if isComplete || !hasComplete {
            photos += current
            self.seconds += seconds
        }
        current = 0
    }

    /// The completed part, 0…1.
    ///
    /// - Parameter fraction: Of the current object.
    func fraction(current fraction: Double) -> Double { all > 0 ? min(1, (finished + current * fraction) / all) : 1 }

    /// Seconds left; nil before anything is known.
    ///
    /// - Parameters:
    ///   - elapsed: Of the current object.
    ///   - remaining: Of the current object, as its reconstruction estimates it; nil if it has not yet.
    func remaining(elapsed: Double, remaining: Double?) -> Double? {
        let own = remaining ?? (photos > 0 ? max(0, seconds / photos * current - elapsed) : nil)
        guard let own else { return nil }
        let known = photos + current
        guard known > 0 else { return nil }
        return own + (seconds + (current > 0 ? elapsed + own : 0)) / known * waiting
    }
}
