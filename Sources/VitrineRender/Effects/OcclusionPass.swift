import VitrineGPU
import VitrineMath

/// How one frame looks for occlusion.
struct OcclusionSettings {
    let clipFromView: Matrix4
    /// Metres.
    let radius: Float
    /// `RenderOptions.subpixelOffset`: frames of a still look along other directions.
    let offset: Vector2
}

/// Finds `ScreenOcclusion`: depth and normals of the opaque parts at half size, from them how much of the sky each pixel sees, smoothed.
final class OcclusionPass {
    static let normalFormat = GPUTextureFormat.rgba8Unorm

    /// At half the picture's size.
    struct Textures {
        /// World directions as 0.5 + 0.5 · direction.
        let normals: GPUTextureView
        /// Reversed, as the frame's.
        let depth: GPUTextureView
        /// Share of the sky that is seen, and the distance ahead in metres.
        let found, smooth: GPUTextureView
        /// The picture's.
        let width, height: Int
    }

    private let device: GPUDevice
    private let finding, smoothing: CoverPass
    private var textures: Textures?

    init(_ device: GPUDevice, _ pipelines: PipelineCache) {
        self.device = device
        let values = GPUBindGroupLayoutEntry.uniformBuffer(0, .fragment, minSize: 96)
        finding = CoverPass(
            device, pipelines, "occlusion", [values, .texture(1, .fragment, .depth), .texture(2, .fragment)],
            code: OcclusionPassShader.finding)
        smoothing = CoverPass(
            device, pipelines, "occlusion smoothing", [values, .texture(1, .fragment), .texture(2, .fragment)],
            code: OcclusionPassShader.smoothing)
    }

    var memory: Int { textures.map { ($0.width + 1) / 2 * (($0.height + 1) / 2) * 16 } ?? 0 }

    func purge() { textures = nil }

    /// Room for a picture of this size, kept while it stays.
    func textures(width: Int, height: Int) throws(GPUError) -> Textures {
        if let textures, textures.width == width, textures.height == height { return textures }
        let device = self.device
        let size = GPUExtent((width + 1) / 2, (height + 1) / 2)
        func texture(_ label: String, _ format: GPUTextureFormat) throws(GPUError) -> GPUTextureView {
            try device.makeTexture(
                GPUTextureDescriptor(label, size: size, format: format, usage: [.renderAttachment, .textureBinding])
            ).makeView()
        }
        let made = Textures(
            normals: try texture("normals", Self.normalFormat), depth: try texture("depth before", FrameTargets.depthFormat),
            found: try texture("occlusion", .rg16Float), smooth: try texture("occlusion, smooth", .rg16Float), width: width, height: height)
        textures = made
        return made
    }

    /// The pass that fills normals and depth.
    func passDescriptor(_ textures: Textures, _ timestamps: GPUPassTimestamps?) -> GPURenderPassDescriptor {
        GPURenderPassDescriptor(
            "depth and normals", colors: [GPUColorAttachment(textures.normals)],
            depthStencil: GPUDepthStencilAttachment(textures.depth, depthLoad: .clear(0), depthStore: .store), timestamps: timestamps)
    }

    func draw(
        _ textures: Textures, _ settings: OcclusionSettings, worldFromCamera: Matrix4, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        let clipFromView = settings.clipFromView
        let turn = (settings.offset.x * 7.13 + settings.offset.y * 3.71).truncatingRemainder(dividingBy: 1)
        let isParallel = clipFromView.z.w == 0
        // Where the middle of the view frame lies in clip space: pictures may be shifted.
        let shift = isParallel ? Vector2(clipFromView.w.x, clipFromView.w.y) : Vector2(-clipFromView.z.x, -clipFromView.z.y)
        let (width, height) = (Float(textures.width) / 2, Float(textures.height) / 2)
        let viewFromWorld = worldFromCamera.affineInverse
        let values = try device.makeBuffer(
            "occlusion",
            contents: [
                Vector4(1 / clipFromView.x.x, 1 / clipFromView.y.y, shift.x, shift.y),
                Vector4(clipFromView.z.z, clipFromView.w.z, isParallel ? 1 : 0, settings.radius),
                Vector4(width, height, clipFromView.y.y * height / 2, turn),
                viewFromWorld.x, viewFromWorld.y, viewFromWorld.z,
            ], usage: .uniform)
        try finding.draw(
            [.buffer(0, values), .texture(1, textures.depth), .texture(2, textures.normals)], to: textures.found, encoder)
        try smoothing.draw(
            [.buffer(0, values), .texture(1, textures.found), .texture(2, textures.normals)], to: textures.smooth, encoder)
    }
}
