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

/// Runs a session picture by picture and draws each: the same recording gives the same bytes, whenever and wherever.
///
/// ```swift
/// let replay = try ARReplay(ARSession(source: source, pace: .stepped), width: 640, height: 360)
/// replay.place(ARPlacement(name: "cube", place: .tap([320, 200], time: 1), node: cube))
/// let report = try await replay.run(ARWorldTrackingConfiguration(planeDetection: [.horizontal])) { picture in … }
/// ```
///
/// While a frame is drawn the next ones are tracked already; what is placed in a frame is placed before the next is begun, so nothing depends on
/// who is faster.
@MainActor
public final class ARReplay {
    /// One frame, drawn.
    public struct Picture: Sendable {
        /// From 0.
        public let index: Int
        /// Seconds since the first frame.
        public let elapsed: Double
        public let frame: ARFrame
        /// `.rgba8`, sRGB-encoded, opaque.
        public let image: Image
        public let times: Times
    }

    /// What a picture took of the clock on the wall, in milliseconds. Stages of different pictures run at the same time.
    public struct Times: Equatable, Sendable {
        public var session: ARFrameTimings
        /// Preparing what the GPU does.
        public var drawing: Double
        /// Waiting for the GPU, and copying the picture.
        public var readingBack: Double
    }

    /// How a replay went.
    public struct Report: Equatable, Sendable {
        public var frames = 0
        /// Of these, tracked normally.
        public var normalFrames = 0
        /// Seconds from the first frame to the last.
        public var duration = 0.0
        /// What was placed: its name, when (seconds since the first frame) and where.
        public var placed: [Placed] = []

        public struct Placed: Equatable, Sendable {
            /// In the order in which things were given to `place`.
            public let index: Int
            public let name: String
            public let elapsed: Double
            public let position: Vector3
            public let isOnSurface: Bool
        }
    }

    public let session: ARSession
    public let width, height: Int
    public let orientation: InterfaceOrientation
    public let content = AnchoredScene()
    public let renderer: ARSceneRenderer
    private var placements: [ARPlacement] = []
    private var players: [AnimationPlayer] = []
    /// Of this run.
    private var anchors: [ARAnchor] = []
    private var hasRun = false
    private let target: OffscreenTarget
    /// How many frames are tracked before they are drawn.
    private static let lead = 3

    /// - Parameters:
    ///   - session: With pace `.stepped`, not running.
    ///   - width, height: Of the pictures, as they are held.
    public init(
        _ session: ARSession, width: Int, height: Int, orientation: InterfaceOrientation = .landscapeRight,
        adapter: GPUAdapterChoice = .automatic
    ) throws {
        (self.session, self.width, self.height, self.orientation) = (session, width, height, orientation)
        renderer = try ARSceneRenderer(GPUDevice.make(adapter))
        target = try OffscreenTarget(renderer.device, width: width, height: height)
    }

    /// Puts something into the session when its moment has come.
    public func place(_ placement: ARPlacement) { placements.append(placement) }

    /// Uploads and compiles what is going to be placed, so that no frame of the replay waits for it.
    public func prepare() throws {
        try renderer.prepare(placements.map(\.node), of: content, for: session.source.rig.camera)
    }

    /// Runs the session to its end. A session that came to its end may be run again: from the recording's beginning, tracked anew, with nothing placed.
    ///
    /// - Parameters:
    ///   - duration: Stops after so many seconds of it; nil: at its end.
    ///   - onPicture: Gets each picture, in order.
    /// - Throws: What the session, the GPU and `onPicture` throw; `ARReplayError` where no frame advanced, or something was never placed.
    public func run(
        _ configuration: any ARConfiguration, duration: Double = .infinity, onPicture: (Picture) async throws -> Void
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
            try await onPicture(try draw(step, index: report.frames))
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

    /// Takes away what an earlier run has placed.
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

    private func draw(_ step: ReplayFeed.Step, index: Int) throws -> Picture {
        let began = ContinuousClock.now
        try renderer.draw(content, in: step.frame, to: target.view, orientation: orientation)
        let drawn = ContinuousClock.now
        let image = try target.image()
        let read = ContinuousClock.now
        return Picture(
            index: index, elapsed: step.elapsed, frame: step.frame, image: image,
            times: Times(session: step.times, drawing: began.milliseconds(to: drawn), readingBack: drawn.milliseconds(to: read)))
    }
}

extension ContinuousClock.Instant {
    fileprivate func milliseconds(to end: Self) -> Double {
        let (seconds, attoseconds) = duration(to: end).components
        return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
    }
}

/// Why a replay shows nothing.
public enum ARReplayError: Error, Equatable, CustomStringConvertible {
    /// The recording has no picture, or all of them at one moment.
    case nothingAdvanced(frames: Int)
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
