/// The cost of a frame.
public struct FrameStatistics: Equatable, Sendable {
    /// Number of draw calls of the scene.
    public var drawCalls = 0
    /// Number of drawn triangles, counted per instance.
    public var triangles = 0
    /// Drawn mesh parts, counted per node.
    public var instances = 0
    /// Parts outside the view, not drawn.
    public var culled = 0
    /// Number of lights.
    public var lights = 0
    /// Number of shadow maps.
    public var shadowMaps = 0
    /// Bytes of GPU memory of vertices, textures, targets and lists.
    public var gpuMemory = 0
    /// Time on the GPU; nil unless `RenderOptions.measuresTime` is set and the GPU supports timestamps.
    public var gpuMilliseconds: Double?
    /// Time from the start of the frame until the GPU has finished it. A `SceneView` in a window measures it while it shows statistics; nil in
    /// headless playback and stills, which must not depend on the machine's speed.
    public var frameMilliseconds: Double?

    /// Makes statistics of an empty frame.
    public init() {}
}
