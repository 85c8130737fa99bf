/// Measures the frame rate while frames follow each other.
struct FrameRateMeter {
    private var times: [Double] = []
    /// Seconds. Frames farther apart have no frame rate.
    private static let longestGap = 0.5

    mutating func frame(at time: Double) {
        if let last = times.last, time - last > Self.longestGap || time < last { times.removeAll(keepingCapacity: true) }
        times.append(time)
        if times.count > 60 { times.removeFirst() }
    }

    /// Seconds until a frame would have no frame rate any more; nil if the last one has none.
    func settlingTime(at time: Double) -> Double? {
        guard framesPerSecond != nil, let last = times.last else { return nil }
        return max(0, last + Self.longestGap * 1.02 - time)
    }

    /// Over the last second at most; nil for a single frame.
    var framesPerSecond: Double? {
        guard let last = times.last else { return nil }
        let recent = times.drop { last - $0 > 1 }
        guard recent.count >= 2, let first = recent.first, last > first else { return nil }
        return Double(recent.count - 1) / (last - first)
    }
}
