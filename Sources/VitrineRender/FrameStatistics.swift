/// What a frame took.
public struct FrameStatistics: Equatable, Sendable {
    public var drawCalls = 0
    public var triangles = 0
    /// Parts of meshes drawn, each node counted.
    public var instances = 0
    /// Parts outside the view, not drawn.
    public var culled = 0
    public var lights = 0
    /// Pictures of the scene drawn from lights.
    public var shadowMaps = 0
    /// Bytes of GPU memory that the renderer holds for vertices, textures, targets and lists.
    public var gpuMemory = 0
    /// Time on the GPU; nil unless `RenderOptions.measuresTime` and the GPU can tell.
    public var gpuMilliseconds: Double?

    public init() {}
}
