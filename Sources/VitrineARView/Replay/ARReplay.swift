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
/// replay.place(ARPlacement(name: "cube", place: .tap([320, 200], time: 1), node: cube))
/// let report = try await replay.run(ARWorldTrackingConfiguration(planeDetection: [.horizontal])) { rendered in … }
/// ```
///
/// Tracks the next frames while it renders one. Placements take effect before the next frame is tracked, so the result does not depend on timing.
@MainActor
public final class ARReplay {
    /// A rendered frame.
    public struct RenderedFrame: Sendable {
        /// Starting at 0.
        public let index: Int
        /// Seconds since the first frame.
        public let elapsed: Double
        /// The frame of the session.
        public let frame: ARFrame
        /// `.rgba8`, sRGB-encoded, opaque.
        public let image: Image
        package let times: Times
    }

    /// Wall-clock times of a frame in milliseconds. Stages of different frames overlap.
    package struct Times: Equatable, Sendable {
        package var session: ARFrameTimings
        /// Encoding GPU commands.
        package var drawing: Double
        /// Waiting for the GPU and copying the image.
        package var readingBack: Double
    }

    /// A summary of a replay.
    public struct Report: Equatable, Sendable {
        /// The number of frames.
        public var frames = 0
        /// The number of frames with normal tracking.
        public var normalFrames = 0
        /// Seconds from the first to the last frame.
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

    /// The session.
    public let session: ARSession
    /// The size of the images in pixels.
    public let width, height: Int
    /// The orientation of the view.
    public let orientation: InterfaceOrientation
    /// The scene of the placed objects.
    public let content = AnchoredScene()
    /// The renderer of all frames.
    public let renderer: ARSceneRenderer
    private var placements: [ARPlacement] = []
    private var players: [AnimationPlayer] = []
    /// The anchors of the current run.
    private var anchors: [ARAnchor] = []
    private var hasRun = false
    private let target: OffscreenTarget
    /// The number of frames that are tracked ahead.
    private static let lead = 3

    /// - Parameters:
    ///   - session: A session with pace `.stepped` that is not running.
    ///   - width, height: The size of the images in pixels.
    ///   - orientation: The orientation of the view. Default `.landscapeRight`.
    public init(
        _ session: ARSession, width: Int, height: Int, orientation: InterfaceOrientation = .landscapeRight,
        adapter: GPUAdapterChoice = .automatic
    ) throws {
        (self.session, self.width, self.height, self.orientation) = (session, width, height, orientation)
        renderer = try ARSceneRenderer(GPUDevice.make(adapter))
        target = try OffscreenTarget(renderer.device, width: width, height: height)
    }

    /// Schedules an object.
    public func place(_ placement: ARPlacement) { placements.append(placement) }

    /// Preloads the scheduled objects, so that no frame waits for them.
    public func prepare() throws {
        try renderer.prepare(placements.map(\.node), of: content, for: session.source.rig.camera)
    }

    /// Runs the session to its end. Another run rewinds the recording, restarts tracking and removes placed objects.
    ///
    /// - Parameters:
    ///   - duration: The longest duration in seconds. Default: to the end.
    ///   - onFrame: Called for each frame in order.
    /// - Throws: Errors of the session, the GPU and `onFrame`; `ARReplayError` if no frame advanced or an object was never placed.
    public func run(
        _ configuration: any ARConfiguration, duration: Double = .infinity, onFrame: (RenderedFrame) async throws -> Void
    ) async throws -> Report {
        session.run(configuration, options: clear() ? [.resetTracking, .removeExistingAnchors] : [])
        defer { session.pause() }
        let feed = ReplayFeed(
            session, placements.map { ($0.name, $0.place) }, orientation, viewportSize: Vector2(Float(width), Float(height)))
        var coming: [Task<ReplayFeed.Step?, any Error>] = []
        defer { for task in coming { task.cancel() } }
        var report = Report()
        while true {
            while coming.count < Self.lead { coming.append(feed.step(after: coming.last)) }
            guard let step = try await coming.removeFirst().value, step.elapsed <= duration else { break }
            attach(step, &report)
            try await onFrame(try draw(step, index: report.frames))
            report.frames += 1
            report.normalFrames += step.frame.camera.trackingState == .normal ? 1 : 0
            report.duration = step.elapsed
        }
        guard report.frames > 1, report.duration > 0 else { throw ARReplayError.nothingAdvanced(frames: report.frames) }
        let placed = Set(report.placed.map(\.index))
        if let index = placements.indices.first(where: { !placed.contains($0) }) {
            throw ARReplayError.neverPlaced(name: placements[index].name, place: placements[index].place, report.duration)
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
            let placement = placements[thing.index]
            content.attach(placement.node, to: thing.anchor, standsOnGround: thing.isOnSurface)
            anchors.append(thing.anchor)
            if let clip = placement.clip { players.append(AnimationPlayer(clip)) }
            report.placed.append(
                .init(
                    index: thing.index, name: placement.name, elapsed: step.elapsed, position: thing.anchor.transform.translation,
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

/// Why a replay failed.
public enum ARReplayError: Error, Equatable, CustomStringConvertible {
    /// The recording has no frame, or all frames have one time.
    case nothingAdvanced(frames: Int)
    /// An object was never placed.
    case neverPlaced(name: String, place: ARPlacement.Place, Double)

    public var description: String {
        switch self {
        case .nothingAdvanced(let frames): "no frame advanced: \(frames) came"
        case .neverPlaced(let name, .tap(_, let time), let duration):
            "\(name) was never placed: after its tap at \(time) s there was no frame with normal tracking (the replay took \(duration) s)"
        case .neverPlaced(let name, .plane, _): "\(name) was never placed: no horizontal plane was found"
        }
    }
}
