import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene

/// A 3D scene in a layer, by default on a transparent background.
///
/// ```swift
/// let logo = Layer(frame: Rectangle(x: 0, y: 0, width: 200, height: 200))
/// let scene = SceneDrawing(model, seenFrom: .framing(model.bounds, aspectRatio: 1))
/// logo.fill = .drawing(scene)
/// …
/// scene.setNeedsDisplay()       // after a change of the scene: redraws the layer too
/// ```
public final class SceneDrawing: LayerDrawing {
    /// The scene to draw. The next frame after it is replaced frees the GPU memory of the old scene, except for what the app still refers to.
    public var scene: Scene {
        didSet {
            if scene !== oldValue { replacements += 1 }
            setNeedsDisplay()
        }
    }
    /// The view of the scene; nil for the scene's point of view, or the whole scene from the front if there is none.
    public var view: View? { didSet { setNeedsDisplay() } }
    /// The options for rendering the scene.
    public var options: RenderOptions { didSet { setNeedsDisplay() } }
    /// Whether the background is transparent. If not, it is that of the scene. Default true.
    public var isTransparent = true { didSet { setNeedsDisplay() } }
    /// Draws the content and tracks its changes.
    // Not retained, because this object owns the content: only layers that retain this object draw it.
    public private(set) lazy var content = DrawingContent { [unowned(unsafe) self] surface, renderer throws(LayerError) in
        try draw(into: surface, renderer)
    }
    private var target: (view: GPUTextureView, width: Int, height: Int)?
    private var transfer: CoverDraw?
    /// How often the scene was replaced.
    private var replacements = 0

    /// Creates a drawing of a scene.
    public init(_ scene: Scene, seenFrom view: View? = nil, options: RenderOptions = RenderOptions()) {
        (self.scene, self.view, self.options) = (scene, view, options)
    }

    private func draw(into surface: LayerSurface, _ renderer: LayerRenderer) throws(LayerError) {
        let (width, height) = (surface.texture.width, surface.texture.height)
        let shown = try attempting("creating the target of a scene") { () throws(GPUError) in try target(renderer.device, width, height) }
        let scenes = try renderer.sceneRenderer()
        let seen = view ?? View(pointOfViewOf: scene) ?? .framing(scene.bounds, aspectRatio: Float(width) / Float(height))
        let background = scene.environment.background
        if isTransparent { scene.environment.background = .transparent }
        defer { if isTransparent { scene.environment.background = background } }
        do throws(RenderError) {
            try scenes.render(scene, from: seen, to: shown, options: options)
        } catch {
            throw .scene(error)
        }
        renderer.freeScenes(replacedIn: content, count: replacements)
        try attempting("drawing a scene in a layer") { () throws(GPUError) in
            // Tone mapped and encoded for display; sampling decodes it to linear light.
            let encoder = try renderer.device.makeCommandEncoder("scene in a layer")
            let pass = try transfer(renderer.device)
            try pass.draw([.texture(0, shown)], to: surface.view, encoder)
            renderer.device.queue.submit(try encoder.finish())
        }
    }

    private func target(_ device: GPUDevice, _ width: Int, _ height: Int) throws(GPUError) -> GPUTextureView {
        if let target, target.width == width, target.height == height, target.view.texture.device === device { return target.view }
        let view = try device.makeTexture(
            GPUTextureDescriptor(
                "scene", size: GPUExtent(width, height), format: .rgba8UnormSRGB, usage: [.renderAttachment, .textureBinding])
        )
        .makeView()
        (target, transfer) = ((view, width, height), nil)
        return view
    }

    private func transfer(_ device: GPUDevice) throws(GPUError) -> CoverDraw {
        if let transfer { return transfer }
        let made = try CoverDraw(
            device, "scene", [.texture(0, .fragment, .unfilterableFloat)],
            code: """
                @group(0) @binding(0) var source: texture_2d<f32>;
                @fragment fn fill(in: Covering) -> @location(0) vec4f { return textureLoad(source, vec2i(in.position.xy), 0); }
                """)
        transfer = made
        return made
    }
}
