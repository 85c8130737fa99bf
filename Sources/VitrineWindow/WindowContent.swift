import VitrineGPU
import VitrineMath
import VitrineMotion
import VitrineScene
import VitrineStage

/// A frame to draw: pass it to the view of your content. With `import VitrineGPU`, custom GPU passes can draw it.
public struct WindowFrame {
    /// The device that draws.
    package let device: GPUDevice
    /// The texture to draw into. Its content is undefined.
    package let target: GPUTextureView
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The number of pixels per point.
    public let scale: Float
    /// The time of the frame in seconds, on a clock that never jumps.
    public let time: Double
}

/// The content of a window: a `SceneView`, a `LayerView`, a `Viewer`, or a custom type that forwards to one. All calls are on the main actor.
@MainActor
public protocol WindowContent: AnyObject {
    /// Prepares the content, so that the first frame can be drawn completely. The window stays hidden until that frame is drawn.
    ///
    /// Called at the start, and again after the GPU device was lost.
    ///
    /// - Parameter progress: The closure to call with the progress; after 0.3 s a small window shows it.
    func prepare(in window: Window, progress: @escaping @MainActor (LoadingProgress) -> Void) async throws

    /// Handles a key that the user presses while `prepare` runs.
    ///
    /// - Returns: Whether the key was handled. If false (default), the window passes it to `handle(_:)` once the first frame is shown.
    func handleWhilePreparing(_ event: InputEvent) -> Bool

    /// Draws a frame and submits it to the GPU.
    func draw(_ frame: WindowFrame) throws

    /// Handles an input event.
    func handle(_ event: InputEvent)

    /// The time at which the next frame is due; the window reads it after each event and each frame.
    var frameDemand: FrameDemand { get }

    /// Called when the window is closed. Release all resources of its GPU device.
    func windowDidClose()
}

extension WindowContent {
    /// Default implementation: ignores all events.
    public func handle(_ event: InputEvent) {}
    /// Default implementation: returns false, so that keys wait for the first frame.
    public func handleWhilePreparing(_ event: InputEvent) -> Bool { false }
    /// Default implementation: returns `.none`, so that frames are drawn only when the window needs them or `requestFrame()` is called.
    public var frameDemand: FrameDemand { .none }
    /// Default implementation: does nothing.
    public func windowDidClose() {}
}
