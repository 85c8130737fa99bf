/// Measures the frame rate of consecutive frames.
package struct FrameRateMeter {
    private var times: [Double] = []
    /// The longest time in seconds between consecutive frames.
    private static let longestGap = 0.5

    package init() {}

    /// Records a frame.
    package mutating func frame(at time: Double) {
        if let last = times.last, time - last > Self.longestGap || time < last { times.removeAll(keepingCapacity: true) }
        times.append(time)
        if times.count > 60 { times.removeFirst() }
    }

    /// Returns the time in seconds after which a next frame is no longer consecutive; nil if the last one was not.
    package func settlingTime(at time: Double) -> Double? {
        guard framesPerSecond != nil, let last = times.last else { return nil }
        return max(0, last + Self.longestGap * 1.02 - time)
    }

    /// The frame rate over at most the last second; nil for a single frame.
    package var framesPerSecond: Double? {
        guard let last = times.last else { return nil }
        let recent = times.drop { last - $0 > 1 }
        guard recent.count >= 2, let first = recent.first, last > first else { return nil }
        return Double(recent.count - 1) / (last - first)
    }
}
