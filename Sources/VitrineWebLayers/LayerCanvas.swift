import VitrineGPU
import VitrineLayers
import VitrineMath
import VitrineMotion
import VitrineWeb

/// A canvas of the page that shows a tree of layers.
///
/// Unchecked Sendable, so that it can use the view: a page has one thread, on which all of its functions are called.
final class LayerCanvas: PageCanvas, @unchecked Sendable {
    private let page: Page
    private let number: Int32
    private let format: GPUTextureFormat
    private let view: LayerView
    private let renderer: LayerRenderer
    /// The first renderer of the page, which others share compiled shaders with. The page calls from one thread.
    nonisolated(unsafe) private static var shared: LayerRenderer?
    private var needsDisplay = false
    /// The size in pixels.
    private var size = (width: 0, height: 0)
    /// Pixels per point.
    private var scale: Float = 1

    init(_ page: Page, number: Int32, format: GPUTextureFormat, view: LayerView) throws(PageError) {
        (self.page, self.number, self.format, self.view) = (page, number, format, view)
        let shared = Self.shared.flatMap { $0.device === page.device ? $0 : nil }
        do throws(LayerError) { renderer = try LayerRenderer(page.device, sharing: shared) } catch { throw PageError(error.description) }
        Self.shared = shared ?? renderer
        MainActor.assumeIsolated { view.open(renderer) { Page.setNeedsDisplay(number) } }
    }

    deinit { MainActor.assumeIsolated { view.close() } }

    var viewer: PageViewer? { nil }

    var counts: (drawCalls: Int, triangles: Int, gpuMemory: Int) { (renderer.statistics.drawCalls, 0, renderer.memory) }

    func setNeedsDisplay() {
        guard !needsDisplay else { return }
        needsDisplay = true
        Page.requestFrame(number)
    }

    func resize(width: Int, height: Int, points: Vector2) {
        let isEmpty = width <= 0 || height <= 0 || points.min() <= 0
        size = isEmpty ? (0, 0) : (width, height)
        scale = isEmpty ? 1 : Float(width) / points.x
        setNeedsDisplay()
    }

    func handle(_ event: InputEvent, isInput: Bool) -> Bool {
        MainActor.assumeIsolated { view.handle(event) }
        return false
    }

    func frame(at time: Double) throws(PageError) -> PageFrame {
        try MainActor.assumeIsolated { () throws(PageError) in try draw(at: time) }
    }

    @MainActor private func draw(at time: Double) throws(PageError) -> PageFrame {
        var result = PageFrame()
        guard size.width > 0, needsDisplay || view.needsFrames else { return result }
        needsDisplay = false
        guard let target = try page.canvasTexture(of: number, width: size.width, height: size.height, format: format) else {
            setNeedsDisplay()
            return result
        }
        do throws(LayerError) {
            try view.draw(to: target, scale: scale, time: time)
        } catch { throw PageError(error.description) }
        result.hasDrawn = true
        result.needsAnother = view.needsFrames
        return result
    }
}

/// Creates a canvas that shows a scene of the program. Returns its number, or −1 after putting the reason.
///
/// - Parameters:
///   - name: UTF-8.
///   - width, height: The size of the canvas in points.
@_expose(wasm, "vitrine_make_layers") @_cdecl("vitrine_make_layers")
public func makeLayers(isBGRA: Int32, name: UnsafePointer<UInt8>?, count: Int32, width: Float, height: Float) -> Int32 {
    let name = String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    guard let page = Page.current else {
        Page.putText("the runtime is closed")
        return -1
    }
    do throws(PageError) {
        let view: LayerView
        do throws(SceneError) {
            view = try MainActor.assumeIsolated { () throws(SceneError) in try PageScenes.make(name, size: Vector2(width, height)) }
        } catch { throw PageError(error.text) }
        return try page.addCanvas { number throws(PageError) in
            try LayerCanvas(page, number: number, format: isBGRA != 0 ? .bgra8Unorm : .rgba8Unorm, view: view)
        }
    } catch {
        Page.putText(error.text)
        return -1
    }
}
