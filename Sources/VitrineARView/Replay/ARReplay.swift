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
/// While a frame is drawn the next is tracked already; what is placed in a frame is placed before that begins, so nothing depends on who is
/// faster.
@MainActor
public final class ARReplay {
    /// One frame, drawn.
    public struct Picture {
        /// From 0.
        public let index: Int
        /// Seconds since the first frame.
        public let elapsed: Double
        public let frame: ARFrame
        /// `.rgba8`, sRGB-encoded, opaque.
        public let image: Image
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
    private var waiting: [ARPlacement] = []
    private let target: OffscreenTarget

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
    public func place(_ placement: ARPlacement) { waiting.append(placement) }

    /// Runs the session to its end.
    ///
    /// - Parameters:
    ///   - duration: Stops after so many seconds of it; nil: at its end.
    ///   - onPicture: Gets each picture, in order.
    /// - Throws: What the session, the GPU and `onPicture` throw; `ARReplayError` where no frame advanced, or something was never placed.
    public func run(
        _ configuration: any ARConfiguration, duration: Double = .infinity, onPicture: (Picture) async throws -> Void
    ) async throws -> Report {
        session.run(configuration)
        defer { session.pause() }
        var report = Report()
        var start: Double?
        var next = try await session.step()
        while let frame = next {
            let elapsed = frame.timestamp - (start ?? frame.timestamp)
            if start == nil { start = frame.timestamp }
            guard elapsed <= duration else { break }
            try place(in: frame, elapsed, &report)
            let session = session
            async let coming = session.step()
            try renderer.draw(content, in: frame, to: target.view, orientation: orientation)
            try await onPicture(Picture(index: report.frames, elapsed: elapsed, frame: frame, image: try target.image()))
            report.frames += 1
            report.normalFrames += frame.camera.trackingState == .normal ? 1 : 0
            report.duration = elapsed
            next = try await coming
        }
        guard report.frames > 1, report.duration > 0 else { throw ARReplayError.nothingAdvanced(frames: report.frames) }
        if let missed = waiting.first { throw ARReplayError.neverPlaced(name: missed.name, place: missed.place, report.duration) }
        return report
    }

    private func place(in frame: ARFrame, _ elapsed: Double, _ report: inout Report) throws {
        // Before it is known where the camera is, nothing has a place.
        guard frame.camera.trackingState == .normal else { return }
        let viewport = Vector2(Float(width), Float(height))
        var later: [ARPlacement] = []
        for placement in waiting {
            guard let target = placement.target(in: frame, elapsed: elapsed, orientation: orientation, viewportSize: viewport) else {
                later.append(placement)
                continue
            }
            let anchor = ARAnchor(name: placement.name, transform: target.transform)
            try session.add(anchor: anchor)
            content.attach(placement.node, to: anchor, standsOnGround: target.isOnSurface)
            report.placed.append(
                .init(
                    name: placement.name, elapsed: elapsed, position: target.transform.translation, isOnSurface: target.isOnSurface))
        }
        waiting = later
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
