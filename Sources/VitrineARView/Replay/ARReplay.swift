import VitrineAR
import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Steps through a session and renders each frame: the same recording gives the same bytes.
///
/// ```swift
/// let replay = try ARReplay(ARSession(source: source, pace: .stepped), width: 640, height: 360)
/// let anchor = ARAnchor(name: "cube", transform: Matrix4(translation: [0, -0.5, -1]))
/// try replay.session.add(anchor: anchor)
/// replay.content.attach(cube, to: anchor)
/// let report = try await replay.run(ARWorldTrackingConfiguration(planeDetection: [.horizontal])) { rendered in … }
/// ```
///
/// Tracks the next frames while it renders one. Placements take effect before the next frame is tracked, so the result does not depend on timing.
@MainActor
public final class ARReplay {
    /// A rendered frame.
    public struct RenderedFrame: Sendable {
        /// The number of the frame, from 0.
        public let index: Int
        /// The time in seconds since the first frame.
        public let elapsed: Double
        /// The frame of the session.
        public let frame: ARFrame
        /// The rendered image: `.rgba8`, sRGB-encoded, opaque.
        public let image: Image
        package let times: Times
    }

    /// Wall-clock times of a frame in milliseconds. Stages of different frames overlap.
    package struct Times: Equatable, Sendable {
        package var session: ARFrameTimings
        /// The time to encode GPU commands.
        package var drawing: Double
        /// The time to wait for the GPU and to copy the image.
        package var readingBack: Double
    }

    /// A summary of a replay.
    public struct Report: Equatable, Sendable {
        /// The number of frames.
        public var frames = 0
        /// The number of frames with normal tracking.
        public var normalFrames = 0
        /// The number of frames with normal tracking, or limited only by an unknown scale.
        public var trackedFrames = 0
        /// The number of seconds from the first to the last frame.
        public var duration = 0.0
        /// The placed objects: name, time in seconds since the first frame, position.
        package var placed: [Placed] = []

        package struct Placed: Equatable, Sendable {
            /// The index of the placement.
            package let index: Int
            package let name: String
            package let elapsed: Double
            package let position: Vector3
            package let isOnSurface: Bool
        }
    }

    /// An object to place.
    private struct PlacedObject {
        let node: Node
        let name: String
        let placement: ARPlacement
        let clip: AnimationClip?
    }

    /// The session that plays the recording.
    public let session: ARSession
    /// The size of the images in pixels.
    public let width, height: Int
    /// The orientation of the view.
    public let orientation: InterfaceOrientation
    /// The scene of the placed objects.
    public let content = AnchoredScene()
    /// The renderer of all frames.
    public let renderer: ARSceneRenderer
    private var objects: [PlacedObject] = []
    private var players: [AnimationPlayer] = []
    /// The anchors of the current run.
    private var anchors: [ARAnchor] = []
    private var hasRun = false
    private let target: OffscreenTarget
    /// The number of frames that are tracked ahead.
    private static let lead = 3

    /// Creates a replay.
    ///
    /// - Parameters:
    ///   - session: A session with pace `.stepped` that is not running.
    ///   - width, height: The size of the images in pixels.
    ///   - orientation: The orientation of the view. Default `.landscapeRight`.
    ///   - adapter: The GPU that renders.
    /// - Throws: `RenderError.device` if there is no such GPU, `.invalidOption` if it cannot render images of this size.
    public init(
        _ session: ARSession, width: Int, height: Int, orientation: InterfaceOrientation = .landscapeRight,
        adapter: RenderAdapter = .automatic
    ) throws {
        (self.session, self.width, self.height, self.orientation) = (session, width, height, orientation)
        renderer = try ARSceneRenderer(adapter: adapter)
        target = try OffscreenTarget(renderer.device, width: width, height: height)
    }

    /// Schedules an object.
    ///
    /// - Parameters:
    ///   - node: The object; its origin is placed on the ground, as by `Node.standing(size:)`.
    ///   - name: Its name in messages and of its anchor.
    ///   - placement: The target and time at which it is placed, once tracking is normal.
    ///   - clip: A looping animation in the replay's time; nil without one.
    package func place(_ node: Node, named name: String, at placement: ARPlacement, clip: AnimationClip? = nil) {
        objects.append(PlacedObject(node: node, name: name, placement: placement, clip: clip))
    }

    /// Preloads the scheduled objects, so that no frame waits for them.
    public func prepare() throws {
        try renderer.prepare(objects.map(\.node), of: content, for: session.source.rig.camera)
    }

    /// Runs the session to its end. Another run rewinds the recording, restarts tracking and removes placed objects.
    ///
    /// - Parameters:
    ///   - duration: The longest duration in seconds. Default: to the end.
    ///   - onFrame: Called for each frame in order.
    /// - Throws: Errors of the session, the GPU and `onFrame`; `ARError` with code `.requestFailed` if no frame advanced or an object was never
    ///   placed.
    public func run(
        _ configuration: any ARConfiguration, duration: Double = .infinity, onFrame: (RenderedFrame) async throws -> Void
    ) async throws -> Report {
        session.run(configuration, options: clear() ? [.resetTracking, .removeExistingAnchors] : [])
        defer { session.pause() }
        let feed = ReplayFeed(
            session, objects.map { ($0.name, $0.placement) }, orientation, viewportSize: Vector2(Float(width), Float(height)))
        var pending: [Task<ReplayFeed.Step?, any Error>] = []
        defer { for task in pending { task.cancel() } }
        var report = Report()
        while true {
            while pending.count < Self.lead { pending.append(feed.step(after: pending.last)) }
            guard let step = try await pending.removeFirst().value, step.elapsed <= duration else { break }
            attach(step, &report)
            try await onFrame(try draw(step, index: report.frames))
            report.frames += 1
            report.normalFrames += step.frame.camera.trackingState == .normal ? 1 : 0
            report.trackedFrames += step.frame.camera.trackingState.isTracking ? 1 : 0
            report.duration = step.elapsed
        }
        guard report.frames > 1, report.duration > 0 else { throw ARError.nothingAdvanced(frames: report.frames) }
        let placed = Set(report.placed.map(\.index))
        if let index = objects.indices.first(where: { !placed.contains($0) }) {
            throw ARError.neverPlaced(objects[index].name, objects[index].placement, duration: report.duration)
        }
        return report
    }

    /// Removes the objects of an earlier run.
    ///
    /// - Returns: Whether there was one.
    private func clear() -> Bool {
        for anchor in anchors { content.detach(from: anchor) }
        defer { (players, anchors, hasRun) = ([], [], true) }
        return hasRun
    }

    private func attach(_ step: ReplayFeed.Step, _ report: inout Report) {
        for thing in step.placed {
            let object = objects[thing.index]
            content.attach(object.node, to: thing.anchor, standsOnGround: thing.isOnSurface)
            anchors.append(thing.anchor)
            if let clip = object.clip { players.append(AnimationPlayer(clip)) }
            report.placed.append(
                .init(
                    index: thing.index, name: object.name, elapsed: step.elapsed, position: thing.anchor.transform.translation,
                    isOnSurface: thing.isOnSurface))
        }
        for player in players {
            player.time = step.elapsed
            player.apply()
        }
    }

    private func draw(_ step: ReplayFeed.Step, index: Int) throws -> RenderedFrame {
        let began = ContinuousClock.now
        try renderer.draw(content, in: step.frame, to: target.view, orientation: orientation)
        let drawn = ContinuousClock.now
        let image = try target.image()
        let read = ContinuousClock.now
        return RenderedFrame(
            index: index, elapsed: step.elapsed, frame: step.frame, image: image,
            times: Times(session: step.timings, drawing: began.milliseconds(to: drawn), readingBack: drawn.milliseconds(to: read)))
    }
}

extension ContinuousClock.Instant {
    fileprivate func milliseconds(to end: Self) -> Double {
        let (seconds, attoseconds) = duration(to: end).components
        return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
    }
}

extension ARError {
    /// The recording has no frame, or all frames have one time.
    static func nothingAdvanced(frames: Int) -> ARError { ARError(.requestFailed, "no frame advanced: \(frames) came") }

    static func neverPlaced(_ name: String, _ placement: ARPlacement, duration: Double) -> ARError {
        switch placement {
        case .tap(_, let time):
            ARError(
                .requestFailed,
                "\(name) was never placed: after its tap at \(time) s there was no frame with normal tracking (the replay took \(Int(duration.rounded())) s)"
            )
        case .plane: ARError(.requestFailed, "\(name) was never placed: no horizontal plane was detected")
        case .image: ARError(.requestFailed, "\(name) was never placed: no reference image was detected")
        }
    }
}
