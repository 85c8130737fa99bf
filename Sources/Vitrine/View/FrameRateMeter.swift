/// Counts pictures a second while they follow each other.
struct FrameRateMeter {
    private var times: [Double] = []
    /// Pictures farther apart than this are single ones, not a film.
    private static let longestGap = 0.5

    mutating func frame(at time: Double) {
        if let last = times.last, time - last > Self.longestGap || time < last { times.removeAll(keepingCapacity: true) }
        times.append(time)
        if times.count > 60 { times.removeFirst() }
    }

    /// Over the last second at most; nil for a single picture.
    var framesPerSecond: Double? {
        guard let last = times.last else { return nil }
        let recent = times.drop { last - $0 > 1 }
        guard recent.count >= 2, let first = recent.first, last > first else { return nil }
        return Double(recent.count - 1) / (last - first)
    }
}
