import Vitrine
import VitrineAR
import VitrineGPU

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Shows a session's camera picture with an anchored scene in it, in a window or as pictures without one.
///
/// ```swift
/// let view = ARSceneView(session)
/// view.onTap = { point, frame in
///     let anchor = ARAnchor(transform: frame.tapTarget(at: point, viewportSize: view.size).transform)
///     try? session.add(anchor: anchor)
///     view.content.attach(makeCube(), to: anchor)
/// }
/// session.run(ARWorldTrackingConfiguration(planeDetection: [.horizontal]))
/// try await Window("Tap to place", showing: view).run()
/// ```
///
/// It draws when a frame comes. The session must be running, and its pace is `.realTime` or `.unpaced` in a window, `.stepped` for `playHeadless`.
@MainActor
public final class ARSceneView {
    public let session: ARSession
    /// What is drawn into the picture.
    public let content = AnchoredScene()
    /// How the view is held. Default `.landscapeRight`.
    public var orientation = InterfaceOrientation.landscapeRight { didSet { setNeedsDisplay() } }
    /// Samples, tone mapping … of the scene.
    public var options = RenderOptions() { didSet { setNeedsDisplay() } }
    /// What may be put into the picture later, of no scene yet: it is made ready with the window, so that the frame in which it, or something of the same
    /// materials, appears takes no longer than any other.
    public var upcoming: [Node] = []
    /// Told where the person tapped or clicked, in points from the view's upper left corner, and what was shown then.
    public var onTap: (@MainActor (_ point: Vector2, _ frame: ARFrame) -> Void)?
    /// Told of each frame before it is drawn.
    public var onFrame: (@MainActor (ARFrame) -> Void)?
    /// Told why the session ended, where it did not just come to its end. By default it goes to standard error.
    public var onFailure: @MainActor (any Error) -> Void = { error in
        let line = Array("error: \(error)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
    /// Points.
    public private(set) var size = Vector2(0, 0)
    /// What is shown; nil before the first.
    public private(set) var frame: ARFrame?

    private var renderer: ARSceneRenderer?
    private weak var window: Window?
    private var listening: Task<Void, Never>?
    private var tap = TapGesture()

    public init(_ session: ARSession) { self.session = session }

    /// Asks for a new picture, of the same frame: call it after changing the scene.
    public func setNeedsDisplay() { window?.requestFrame() }

    private func show(_ new: ARFrame) {
        frame = new
        onFrame?(new)
        setNeedsDisplay()
    }

    private func listen() {
        let frames = session.frames
        listening = Task { [weak self] in
            do {
                for try await frame in frames { self?.show(frame) }
            } catch {
                self?.onFailure(error)
            }
        }
    }
}

extension ARSceneView: WindowContent {
    public func prepare(
        in window: Window, device: GPUDevice, format: GPUTextureFormat, progress: @escaping @MainActor (LoadingProgress) -> Void
    ) async throws {
        self.window = window
        size = window.size
        let renderer = try ARSceneRenderer(device)
        try renderer.prepare(upcoming, of: content, for: session.source.rig.camera, format: format)
        upcoming = []
        self.renderer = renderer
        if session.pace != .stepped { listen() }
        progress(LoadingProgress(1, stage: "ready"))
    }

    public func draw(_ picture: WindowFrame) throws {
        guard let renderer else { return }
        size = Vector2(Float(picture.width), Float(picture.height)) / picture.scale
        guard let frame else { return try clear(picture) }
        renderer.options = options
        try renderer.draw(content, in: frame, to: picture.target, orientation: orientation)
    }

    /// Nothing has come yet.
    private func clear(_ picture: WindowFrame) throws {
        let encoder = try picture.device.makeCommandEncoder("no frame")
        encoder.renderPass(GPURenderPassDescriptor("no frame", colors: [GPUColorAttachment(picture.target, load: .clear(.black))])) { _ in }
        picture.device.queue.submit(try encoder.finish())
    }

    public func handle(_ event: InputEvent) {
        for change in tap.handle(event) where change.phase == .ended {
            guard let frame else { continue }
            onTap?(change.value.location, frame)
            setNeedsDisplay()
        }
    }

    public func windowDidClose() {
        listening?.cancel()
        (listening, renderer, window) = (nil, nil, nil)
    }
}

extension ARSceneView {
    /// Plays a session of pace `.stepped` without a window and writes each frame: `FOLDER/frame-0000.png` … The same recording and events give
    /// the same bytes.
    ///
    /// - Parameters:
    ///   - script: The user's input; its times are seconds since the session's first frame.
    ///   - frames: The number of frames at most.
    ///   - size: The view's size in points, which are pixels here.
    /// - Returns: The number of frames written.
    public func playHeadless(
        _ script: EventScript, frames count: Int, size: Vector2, writingTo folder: URL, adapter: GPUAdapterChoice = .automatic
    ) async throws -> Int {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let renderer = try ARSceneRenderer(GPUDevice.make(adapter))
        self.size = size
        var events = script.events.sorted { $0.time < $1.time }[...]
        var (start, index) = (0.0, 0)
        while index < count, let frame = try await session.step() {
            if index == 0 { start = frame.timestamp }
            show(frame)
            while let event = events.first, event.time <= frame.timestamp - start {
                events.removeFirst()
                handle(event)
            }
            renderer.options = options
            let picture = try renderer.picture(
                of: content, in: frame, width: Int(size.x), height: Int(size.y), orientation: orientation)
            let number = String(repeating: "0", count: max(0, 4 - String(index).count)) + String(index)
            try picture.write(to: folder.appendingPathComponent("frame-\(number).png"))
            index += 1
        }
        return index
    }

    @available(*, deprecated, renamed: "playHeadless(_:frames:size:writingTo:adapter:)")
    public func rehearse(
        _ script: EventScript, frames count: Int, size: Vector2, writingTo folder: URL, adapter: GPUAdapterChoice = .automatic
    ) async throws -> Int {
        try await playHeadless(script, frames: count, size: size, writingTo: folder, adapter: adapter)
    }
}
