import VitrineGPU
import VitrineMath
import VitrineMotion

/// When a content wants to be drawn again without anything happening to it.
public enum FrameDemand: Equatable, Sendable {
    /// Not until an event or `Window.requestFrame()`: the window sleeps and uses no processor time.
    case none
    /// With the display's next picture: something moves.
    case next
    /// In so many seconds.
    case after(Double)
}

/// One picture to draw.
public struct WindowFrame {
    public let device: GPUDevice
    /// What is drawn into: all of it, it holds nothing yet.
    public let target: GPUTextureView
    public let format: GPUTextureFormat
    /// In pixels.
    public let width, height: Int
    /// Pixels a point.
    public let scale: Float
    /// Seconds on a clock that never jumps: the moment this picture stands for.
    public let time: Double
}

/// How far getting ready has come.
public struct LoadingProgress: Equatable, Sendable {
    /// 0…1, never falling.
    public var fraction: Double
    /// A word or two: "reading", "uploading".
    public var stage: String

    public init(_ fraction: Double, stage: String) { (self.fraction, self.stage) = (fraction, stage) }
}

/// What a window shows. Everything happens on the main actor.
@MainActor
public protocol WindowContent: AnyObject {
    /// Gets ready to draw the first picture whole. The window stays hidden until this is done and that picture is drawn; it calls once.
    ///
    /// - Parameter progress: Tell it how far you are; after 0.3 s a small window shows it.
    func prepare(
        in window: Window, device: GPUDevice, format: GPUTextureFormat, progress: @escaping @MainActor (LoadingProgress) -> Void
    ) async throws

    /// Handles a key that the user presses while `prepare` runs.
    ///
    /// - Returns: Whether it is handled. false, the default: the window passes it to `handle(_:)` once the first frame is shown.
    func handleWhilePreparing(_ event: InputEvent) -> Bool

    /// Draws and submits one picture.
    func draw(_ frame: WindowFrame) throws

    func handle(_ event: InputEvent)

    /// Asked after each event and each frame.
    var frameDemand: FrameDemand { get }

    /// The window is gone.
    func windowDidClose()
}

extension WindowContent {
    public func handle(_ event: InputEvent) {}
    public func handleWhilePreparing(_ event: InputEvent) -> Bool { false }
    public var frameDemand: FrameDemand { .none }
    public func windowDidClose() {}
}
