/// Measures the frame rate of consecutive frames.
package struct FrameRateMeter {
    private var times: [Double] = []
    /// Seconds. Frames farther apart are not consecutive.
    private static let longestGap = 0.5

    package init() {}

    /// Records a frame.
    package mutating func frame(at time: Double) {
        if let last = times.last, time - last > Self.longestGap || time < last { times.removeAll(keepingCapacity: true) }
        times.append(time)
        if times.count > 60 { times.removeFirst() }
    }

    /// Seconds until a next frame would not be consecutive; nil if the last one was not.
    package func settlingTime(at time: Double) -> Double? {
        guard framesPerSecond != nil, let last = times.last else { return nil }
        return max(0, last + Self.longestGap * 1.02 - time)
    }

    /// The rate over the last second at most; nil for a single frame.
    package var framesPerSecond: Double? {
        guard let last = times.last else { return nil }
        let recent = times.drop { last - $0 > 1 }
        guard recent.count >= 2, let first = recent.first, last > first else { return nil }
        return Double(recent.count - 1) / (last - first)
    }
}
