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

/// Shows a session's camera image with an anchored scene, in a window or headless.
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
/// It redraws with each frame. Run the session with pace `.realTime` or `.unpaced` in a window, `.stepped` for `playHeadless`.
@MainActor
public final class ARSceneView {
    /// The session whose frames are shown.
    public let session: ARSession
    /// The scene over the camera image.
    public let content = AnchoredScene()
    /// The orientation of the view. Default `.landscapeRight`.
    public var orientation = InterfaceOrientation.landscapeRight { didSet { setNeedsDisplay() } }
    /// Render options of the scene.
    public var options = RenderOptions() { didSet { setNeedsDisplay() } }
    /// Nodes without a parent to preload with the window, so that the frame in which they, or others with the same materials, appear takes no
    /// longer than others.
    public var preloadedNodes: [Node] = []
    /// Called for a tap or click with its position in points from the view's upper left corner, and the visible frame.
    public var onTap: (@MainActor (_ point: Vector2, _ frame: ARFrame) -> Void)?
    /// Makes the content of an anchor, once for each anchor of the session; nil for an anchor without content. The node is attached to the anchor.
    public var makeNode: (@MainActor (ARAnchor) -> Node?)?
    /// Called for each frame before it is drawn.
    public var onFrame: (@MainActor (ARFrame) -> Void)?
    /// Called if the session fails. The default prints the error to standard error.
    public var onFailure: @MainActor (any Error) -> Void = { error in
        let line = Array("error: \(error)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
    /// The view's size in points.
    public private(set) var size = Vector2(0, 0)
    /// The visible frame; nil before the first.
    public private(set) var frame: ARFrame?

    private var renderer: ARSceneRenderer?
    private weak var window: Window?
    private var listening: Task<Void, Never>?
    private var tap = TapGesture()
    /// The anchors for which `makeNode` was called.
    private var populated = Set<UUID>()

    /// Creates a view of a session.
    public init(_ session: ARSession) { self.session = session }

    /// Redraws the current frame; call it after changing the scene.
    public func setNeedsDisplay() { window?.requestFrame() }

    private func show(_ new: ARFrame) {
        frame = new
        populate(new.anchors)
        onFrame?(new)
        setNeedsDisplay()
    }

    /// Makes the nodes of new anchors, and removes those of deleted anchors.
    private func populate(_ anchors: [ARAnchor]) {
        guard let makeNode else { return }
        let current = Set(anchors.map(\.identifier))
        for identifier in populated.subtracting(current) { content.detach(from: ARAnchor(transform: .identity, identifier: identifier)) }
        populated.formIntersection(current)
        for anchor in anchors where populated.insert(anchor.identifier).inserted {
            if let node = makeNode(anchor) { content.attach(node, to: anchor) }
        }
    }

    /// The node with an anchor's transform that contains the attached nodes; nil without any.
    public func node(for anchor: ARAnchor) -> Node? { content.node(for: anchor) }

    /// The anchor to which a node, or a node above it, is attached, in its state of the visible frame; nil for none.
    public func anchor(for node: Node) -> ARAnchor? {
        guard let identifier = content.anchorIdentifier(for: node) else { return nil }
        return frame?.anchors.first { $0.identifier == identifier }
    }

    private func listen() {
        let frames = session.frames
        listening?.cancel()
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
    /// Prepares the renderer and starts to read the session's frames.
    public func prepare(in window: Window, progress: @escaping @MainActor (LoadingProgress) -> Void) async throws {
        self.window = window
        size = window.size
        let (device, format) = try window.graphics()
        let renderer = try ARSceneRenderer(device)
        try renderer.prepare(preloadedNodes, of: content, for: session.source.rig.camera, format: format)
        preloadedNodes = []
        self.renderer = renderer
        if session.pace != .stepped { listen() }
        progress(LoadingProgress(1, stage: "ready"))
    }

    /// Draws the newest frame, or black before the first.
    public func draw(_ target: WindowFrame) throws {
        guard let renderer else { return }
        size = Vector2(Float(target.width), Float(target.height)) / target.scale
        guard let frame else { return try clear(target) }
        renderer.options = options
        try renderer.draw(content, in: frame, to: target.target, orientation: orientation)
    }

    /// Clears the target before the first frame.
    private func clear(_ target: WindowFrame) throws {
        let encoder = try target.device.makeCommandEncoder("no frame")
        encoder.renderPass(GPURenderPassDescriptor("no frame", colors: [GPUColorAttachment(target.target, load: .clear(.black))])) { _ in }
        target.device.queue.submit(try encoder.finish())
    }

    /// Handles an input event: recognizes taps on the view.
    public func handle(_ event: InputEvent) {
        for change in tap.handle(event) where change.phase == .ended {
            guard let frame else { continue }
            onTap?(change.value.location, frame)
            setNeedsDisplay()
        }
    }

    /// Stops to read the session's frames. The session continues.
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
    ///   - script: The input events; times are seconds since the session's first frame.
    ///   - frames: The most frames to write.
    ///   - size: The view's size in points, which are pixels here.
    ///   - folder: Created if it does not exist.
    ///   - adapter: The GPU that renders.
    /// - Returns: The number of frames written.
    public func playHeadless(
        _ script: EventScript, frames count: Int, size: Vector2, writingTo folder: URL, adapter: RenderAdapter = .automatic
    ) async throws -> Int {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let renderer = try ARSceneRenderer(adapter: adapter)
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
            let image = try renderer.image(
                of: content, in: frame, width: Int(size.x), height: Int(size.y), orientation: orientation)
            let number = String(repeating: "0", count: max(0, 4 - String(index).count)) + String(index)
            try image.write(to: folder.appendingPathComponent("frame-\(number).png"))
            index += 1
        }
        return index
    }
}
