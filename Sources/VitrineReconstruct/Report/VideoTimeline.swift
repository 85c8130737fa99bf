#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A chart of a video: the sharpness over time, with the chosen frames.
struct VideoTimeline {
    let video: ReconstructionSummary.Video

    private static let (width, height, border) = (1080.0, 150.0, 22.0)

    var markup: String {
        var svg = SVG(width: Self.width, height: Self.height)
        guard let first = video.frames.first?.time, let last = video.frames.last?.time, last > first else { return svg.markup }
        let top = max(1e-6, Double(video.frames.map(\.sharpness).max() ?? 0))
        let floor = Self.height - Self.border
        func x(_ time: Double) -> Double { 8 + (time - first) / (last - first) * (Self.width - 16) }
        func y(_ sharpness: Float) -> Double { floor - Double(sharpness) / top * (floor - 10) }
        for run in runs {
            svg.rectangle(x(run.from), 6, max(1, x(run.to) - x(run.from)), floor - 6, "class=\"\(run.style)\"", title: run.title)
        }
        let chosen = video.frames.filter { $0.state == .chosen }
        for frame in chosen { svg.line(x(frame.time), y(frame.sharpness), x(frame.time), floor, "class=\"pick\"") }
        // At most two points per pixel.
        let stride = max(1, video.frames.count / Int(2 * Self.width))
        let line = Swift.stride(from: 0, to: video.frames.count, by: stride).map { video.frames[$0] }
        svg.path("M" + line.map { "\(n(x($0.time))) \(n(y($0.sharpness)))" }.joined(separator: "L"), "class=\"sharp\"")
        for frame in chosen {
            svg.circle(
                x(frame.time), y(frame.sharpness), 2.4, "class=\"apex\"", title: "frame \(frame.index), \(VideoStage.text(frame.time))")
        }
        for tick in ticks(first, last) { svg.text(x(tick), Self.height - 6, n(tick), "text-anchor=\"middle\"") }
        return svg.markup
    }

    /// Stretches of frames of one kind.
    private var runs: [(from: Double, to: Double, style: String, title: String)] {
        var runs: [(from: Double, to: Double, style: String, title: String)] = []
        var previous = ""
        for frame in video.frames {
            let (style, title) =
                switch frame.state {
                case .blurred: ("flaw", "blurred")
                case .overexposed: ("flaw", "overexposed")
                case .underexposed: ("flaw", "too dark")
                case .still: ("rest", "no motion")
                case .chosen, .similar: ("", "")
                }
            if !title.isEmpty {
                if title == previous { runs[runs.count - 1].to = frame.time } else { runs.append((frame.time, frame.time, style, title)) }
            }
            previous = title
        }
        return runs
    }

    /// Round numbers, at most a dozen.
    private func ticks(_ first: Double, _ last: Double) -> [Double] {
        let steps = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600]
        let step = steps.first { (last - first) / $0 <= 12 } ?? 7200
        return Array(stride(from: (first / step).rounded(.up) * step, through: last, by: step))
    }
}
