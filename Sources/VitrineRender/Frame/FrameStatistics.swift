/// The cost of a frame.
public struct FrameStatistics: Equatable, Sendable {
    /// The number of draw calls of the scene.
    public var drawCalls = 0
    /// The number of drawn triangles, counted per instance.
    public var triangles = 0
    /// The number of drawn mesh parts, counted per node.
    public var instances = 0
    /// The number of mesh parts outside the view, which are not drawn.
    public var culled = 0
    /// The number of lights.
    public var lights = 0
    /// The number of shadow maps.
    public var shadowMaps = 0
    /// The number of bytes of GPU memory of vertices, textures, targets and lists.
    public var gpuMemory = 0
    /// The time on the GPU in milliseconds; nil unless `RenderOptions.measuresTime` is set and the GPU supports timestamps.
    public var gpuMilliseconds: Double?
    /// The time in milliseconds from the start of the frame until the GPU has finished it. A `SceneView` in a window measures it while it
    /// shows statistics; nil in headless playback and stills, which must not depend on the machine's speed.
    public var frameMilliseconds: Double?

    /// Creates statistics of an empty frame.
    public init() {}
}

extension FrameStatistics {
    /// The statistics as text, for `TextOverlay`.
    ///
    /// - Parameter framesPerSecond: The frame rate; nil for a single frame.
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

    /// Returns a number with one decimal, without Foundation.
    private static func tenths(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "-" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
}
