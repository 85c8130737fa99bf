import VitrineFiles
import VitrineGPU
import VitrineLayers
import VitrineMath
import VitrineRender
import VitrineStage
import VitrineWindow

extension LayerView: WindowContent {
    /// Compiles the shaders and uploads the images of the tree. Called by the window.
    public func prepare(in window: Window, progress: @escaping @MainActor (LoadingProgress) -> Void) async throws {
        let renderer = try LayerRenderer(window.graphics().device)
        open(renderer) { [weak window] in window?.requestFrame() }
        progress(LoadingProgress(0.5, stage: "drawing"))
        // Compiles the shaders and uploads the images.
        resize(to: window.size)
        _ = try renderer.image(of: root, size: pointwiseMax(size, Vector2(1, 1)), background: background)
        progress(LoadingProgress(1, stage: "ready"))
    }

    /// Calls `onUpdate` and draws the tree. Called by the window.
    public func draw(_ frame: WindowFrame) throws { try draw(to: frame.target, scale: frame.scale, time: frame.time) }

    /// The next refresh while `onUpdate` returns true or `rendersContinuously` is set; otherwise none.
    public var frameDemand: FrameDemand { needsFrames ? .next : .none }

    /// Releases the GPU's resources. Called by the window.
    public func windowDidClose() { close() }
}

extension LayerView {
    /// Renders an image of the tree without a window.
    ///
    /// - Parameters:
    ///   - size: The size in points.
    ///   - scale: The number of pixels per point.
    ///   - adapter: The GPU to use if the view has none yet.
    public func snapshot(size: Vector2, scale: Float = 1, adapter: RenderAdapter = .automatic) throws -> Image {
        // Without a window another device replaces a lost one.
        let current = isShown || renderer?.device.isLost == false ? self.renderer : nil
        let renderer = try current ?? LayerRenderer(GPUDevice.make(adapter.choice))
        if current == nil { open(renderer, request: nil) }
        resize(to: size)
        return try renderer.image(of: root, size: size, scale: scale, background: background)
    }
}
