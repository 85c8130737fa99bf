/// Chooses the frames of a video that become photos: sharp, well exposed, at nearly equal steps of the viewpoint.
struct VideoFrameSelector {
    /// The number of frames to choose if the caller specifies none.
    static let automaticCounts = 40...120
    /// The viewpoint's change from one photo to the next: about 6° around an object.
    static let step: Float = 0.06

    /// The number of frames; nil: one for each `step` of the path, within `automaticCounts`.
    var count: Int?

    /// The state of each frame, in order.
    func states(of frames: [VideoFrameMeasure]) -> [VideoFrameState] {
        let path = Self.smoothed(frames.map(\.path))
        guard let start = path.min(), let end = path.max() else { return [] }
        var states = defects(of: frames)
        let usable = states.count { $0 == .similar }
        let length = end - start
        let wanted = Int((length / Self.step).rounded())
        let count = min(max(1, usable), self.count ?? min(max(wanted, Self.automaticCounts.lowerBound), Self.automaticCounts.upperBound))
        // A camera that does not move: by time instead.
        let isStill = length < 1e-4
        let positions = frames.indices.map { isStill ? Float($0) : path[$0] - start }
        let step = (isStill ? Float(frames.count) : length) / Float(count)
        let usual = max(1e-6, Self.percentile(frames.map(\.sharpness), 0.5))
        var best: [Int?] = Array(repeating: nil, count: count)
        var scores = [Float](repeating: -.infinity, count: count)
        for (index, frame) in frames.enumerated() where states[index] == .similar {
            let bin = min(count - 1, max(0, Int(positions[index] / step)))
            let offset = abs(positions[index] / step - (Float(bin) + 0.5))
            // Half a step aside costs a quarter of the usual sharpness.
            let score = frame.sharpness / usual - 0.5 * offset
            if score > scores[bin] { (best[bin], scores[bin]) = (index, score) }
        }
        for case let index? in best { states[index] = .chosen }
        fill(&states, frames, positions, upTo: count)
        markStill(&states, frames, within: 0.1 * min(Self.step, length / Float(count)))
        return states
    }

    /// Steps without a usable frame leave some of the count: it goes to the widest gaps.
    private func fill(_ states: inout [VideoFrameState], _ frames: [VideoFrameMeasure], _ positions: [Float], upTo count: Int) {
        while true {
            let chosen = states.indices.filter { states[$0] == .chosen }
            guard chosen.count < count else { return }
            var best: (index: Int, room: Float)?
            var next = 0
            for index in states.indices {
                while next < chosen.count, chosen[next] < index { next += 1 }
                guard states[index] == .similar else { continue }
                let before = next > 0 ? abs(positions[index] - positions[chosen[next - 1]]) : .infinity
                let after = next < chosen.count ? abs(positions[chosen[next]] - positions[index]) : .infinity
                let room = min(before, after)
                if room > best?.room ?? 0 { best = (index, room) }
            }
            guard let best else { return }
            states[best.index] = .chosen
        }
    }

    /// Blurred, over- or underexposed frames; the others are `similar`.
    private func defects(of frames: [VideoFrameMeasure]) -> [VideoFrameState] {
        let sharp = Self.percentile(frames.map(\.sharpness), 0.9)
        let clipped = Self.percentile(frames.map(\.clipped), 0.5)
        let bright = Self.percentile(frames.map(\.brightness), 0.5)
        var (first, last) = (0, 0)
        return frames.map { frame in
            // The sharpness depends on the view: frames are compared with those within two seconds.
            while frames[first].time < frame.time - 2 { first += 1 }
            while last < frames.count, frames[last].time <= frame.time + 2 { last += 1 }
            let nearby = Self.percentile(frames[first..<last].map(\.sharpness), 0.9)
            if frame.sharpness < max(0.75 * nearby, 0.5 * sharp) { return .blurred }
            if frame.clipped > clipped + 0.15 { return .overexposed }
            if frame.brightness < 0.4 * bright { return .underexposed }
            return .similar
        }
    }

    /// Frames whose viewpoint does not differ from that of a chosen frame.
    ///
    /// - Parameter distance: Along the path: a tenth of the distance between two chosen frames.
    private func markStill(_ states: inout [VideoFrameState], _ frames: [VideoFrameMeasure], within distance: Float) {
        let chosen = states.indices.filter { states[$0] == .chosen }
        var next = 0
        for index in states.indices where states[index] == .similar {
            while next < chosen.count, chosen[next] < index { next += 1 }
            let neighbours = [next - 1, next].filter { chosen.indices.contains($0) }.map { chosen[$0] }
            if neighbours.contains(where: { abs(frames[index].path - frames[$0].path) <= distance }) { states[index] = .still }
        }
    }

    /// Means of up to five values: the path of a single frame is accurate to about a degree.
    private static func smoothed(_ path: [Float]) -> [Float] {
        path.indices.map { index in
            let reach = min(2, index, path.count - 1 - index)
            return path[index - reach...index + reach].reduce(0, +) / Float(2 * reach + 1)
        }
    }

    private static func percentile(_ values: [Float], _ share: Float) -> Float {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(share * Float(sorted.count)))]
    }
}

typealias VideoFrameState = ReconstructionSummary.Video.FrameState
