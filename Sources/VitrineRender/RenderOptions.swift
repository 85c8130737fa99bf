import VitrineMath

/// Options with which a frame is rendered.
public struct RenderOptions: Equatable, Sendable {
    /// The number of samples per pixel at edges: 1 or 4. Default 4.
    public var sampleCount: Int
    /// The tone mapping. Default: Khronos PBR Neutral.
    public var toneMapping: ToneMapping
    /// The exposure in stops, −32…32, which is added to the camera's. Default 0.
    public var exposure: Float
    /// A surface quantity to show instead of light. Default nil.
    public var debugView: DebugView?
    /// The maximum anisotropy of texture filtering, 1…16, for textures with a lower one. Default 1.
    public var anisotropy: Int
    /// The number of normals of a normal map that a pixel reflects: 1, 2 or 4. 1 reflects their mean, which smooths small highlights; 4 is
    /// for stills and fast GPUs. Each further normal costs two texture samples. Default 1.
    public var normalSamples: Int
    /// Fills `FrameStatistics.gpuMilliseconds`; waits for the GPU at the end of every frame. Default false.
    public var measuresTime: Bool
    /// Screen-space ambient occlusion for surfaces without an occlusion map or bake. Default nil: none.
    public var screenOcclusion: ScreenOcclusion?
    /// Glow around bright areas. Default nil: none.
    public var bloom: Bloom?
    /// The vignette, which darkens the corners. Default nil: no vignette.
    public var vignette: Vignette?

    /// The position of a pixel's sample, in pixels from the pixel's centre, x to the right, y down: for averaging several frames. Default
    /// 0.
    public var subpixelOffset = Vector2(0, 0)
    /// The offset that is added to the mip level of every texture. A negative offset is sharper, and needs more samples per pixel. −4…4,
    /// default 0.
    public var mipBias: Float = 0
    /// The number of seconds for surface functions (`SurfaceFunction`); a `SceneView` adds its scene's time. Default 0.
    public var time: Float = 0
    /// Whether stills (`Renderer.renderStill`) have shadows of the environment on all surfaces. Default false; single frames have them on shadow receivers
    /// only.
    public var environmentShadows = false
    /// The number of texels along each shadow map of the environment's light: 64…4,096, rounded up to a power of two.
    /// Default 512.
    public var environmentShadowResolution = 512
    /// The point of each light that casts shadows: for averaging several frames.
    var lightSample = LightSample.center
    /// Omits the background colour: the caller composites the image over it.
    var omitsBackgroundColor = false

    /// Creates options; see the properties for defaults and ranges.
    public init(
        sampleCount: Int = 4, toneMapping: ToneMapping = .neutral, exposure: Float = 0, debugView: DebugView? = nil, anisotropy: Int = 1,
        normalSamples: Int = 1, measuresTime: Bool = false, screenOcclusion: ScreenOcclusion? = nil, bloom: Bloom? = nil,
        vignette: Vignette? = nil
    ) {
        (self.sampleCount, self.toneMapping, self.exposure) = (sampleCount, toneMapping, exposure)
        (self.debugView, self.anisotropy) = (debugView, anisotropy)
        (self.normalSamples, self.measuresTime) = (normalSamples, measuresTime)
        (self.screenOcclusion, self.bloom, self.vignette) = (screenOcclusion, bloom, vignette)
    }

    /// Throws `RenderError.invalidOption` with the name of the first field that is out of range.
    public func validate() throws(RenderError) {
        guard sampleCount == 1 || sampleCount == 4 else {
            throw .invalidOption(name: "sampleCount", reason: "is \(sampleCount), not 1 or 4")
        }
        guard exposure >= -32, exposure <= 32 else { throw .invalidOption(name: "exposure", reason: "must lie in −32…32 stops") }
        guard mipBias >= -4, mipBias <= 4 else { throw .invalidOption(name: "mipBias", reason: "must lie in −4…4 levels") }
        guard subpixelOffset.isFinite else { throw .invalidOption(name: "subpixelOffset", reason: "must be finite") }
        guard (64...4096).contains(environmentShadowResolution) else {
            throw .invalidOption(name: "environmentShadowResolution", reason: "is \(environmentShadowResolution), not 64…4,096")
        }
        guard time.isFinite else { throw .invalidOption(name: "time", reason: "must be finite") }
        guard (1...16).contains(anisotropy) else { throw .invalidOption(name: "anisotropy", reason: "is \(anisotropy), not 1…16") }
        guard [1, 2, 4].contains(normalSamples) else {
            throw .invalidOption(name: "normalSamples", reason: "is \(normalSamples), not 1, 2 or 4")
        }
        try screenOcclusion?.validate()
        try bloom?.validate()
        try vignette?.validate()
    }
}
