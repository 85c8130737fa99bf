extension FrameStatistics {
    /// What a person reads over a picture, for `TextOverlay`.
    ///
    /// - Parameter framesPerSecond: nil for a single picture.
    public func lines(framesPerSecond: Double? = nil) -> [String] {
        var lines: [String] = []
        if let framesPerSecond { lines.append("\(Int(framesPerSecond.rounded())) fps") }
        if let gpuMilliseconds {
            let tenths = Int((gpuMilliseconds * 10).rounded())
            lines.append("\(tenths / 10).\(tenths % 10) ms on the GPU")
        }
        lines.append("\(drawCalls) draw calls")
        lines.append("\(triangles) triangles")
        if lights > 0 { lines.append("\(lights) lights") }
        lines.append("\((gpuMemory + 524_288) / 1_048_576) MiB on the GPU")
        return lines
    }
}
