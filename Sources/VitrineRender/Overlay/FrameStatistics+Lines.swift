extension FrameStatistics {
    /// The statistics as text, for `TextOverlay`.
    ///
    /// - Parameter framesPerSecond: nil for a single frame.
    package func lines(framesPerSecond: Double? = nil) -> [String] {
        var lines: [String] = []
        if let framesPerSecond { lines.append("\(Int(framesPerSecond.rounded())) fps") }
        if let frameMilliseconds { lines.append("\(Self.tenths(frameMilliseconds)) ms a frame") }
        if let gpuMilliseconds { lines.append("\(Self.tenths(gpuMilliseconds)) ms on the GPU") }
        lines.append("\(drawCalls) draw calls")
        lines.append("\(triangles) triangles")
        if lights > 0 { lines.append("\(lights) lights") }
        lines.append("\((gpuMemory + 524_288) / 1_048_576) MiB on the GPU")
        return lines
    }

    /// One decimal, without Foundation.
    private static func tenths(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "-" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
}
