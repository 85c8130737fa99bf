import VitrineAR
import VitrineMath

/// The tracking side of a replay: steps its session and adds placements.
actor ReplayFeed {
    /// A frame with the objects placed in it.
    struct Step: Sendable {
        let frame: ARFrame
        /// Seconds since the first frame.
        let elapsed: Double
        let placed: [Placed]
        let timings: ARFrameTimings
    }

    struct Placed: Sendable {
        /// The index of the placement.
        let index: Int
        let anchor: ARAnchor
        let isOnSurface: Bool
    }

    private let session: ARSession
    private let orientation: InterfaceOrientation
    private let viewportSize: Vector2
    private var waiting: [(index: Int, name: String, placement: ARPlacement)]
    private var start: Double?

    init(
        _ session: ARSession, _ placements: [(name: String, placement: ARPlacement)], _ orientation: InterfaceOrientation,
        viewportSize: Vector2
    ) {
        (self.session, self.orientation, self.viewportSize) = (session, orientation, viewportSize)
        waiting = placements.enumerated().map { ($0.offset, $0.element.name, $0.element.placement) }
    }

    /// Starts the step after another one. Chained tasks run ahead of the renderer.
    nonisolated func step(after last: Task<Step?, any Error>?) -> Task<Step?, any Error> {
        Task.detached { [self] in
            if let last, try await last.value == nil { return nil }
            return try await step()
        }
    }

    /// Returns nil at the end of the recording.
    private func step() async throws -> Step? {
        guard let frame = try await session.step() else { return nil }
        let timings = session.frameTimings
        let elapsed = frame.timestamp - (start ?? frame.timestamp)
        if start == nil { start = frame.timestamp }
        return Step(frame: frame, elapsed: elapsed, placed: try place(in: frame, elapsed), timings: timings)
    }

    /// Adds anchors before the session makes its next frame, which then contains them.
    private func place(in frame: ARFrame, _ elapsed: Double) throws -> [Placed] {
        // Place objects only while the pose is reliable.
        guard frame.camera.trackingState.isTracking else { return [] }
        var placed: [Placed] = []
        var added: [ARAnchor] = []
        var later = waiting
        later.removeAll { index, name, placement in
            guard let target = placement.target(in: frame, elapsed: elapsed, orientation: orientation, viewportSize: viewportSize) else {
                return false
            }
            let image = placement.image(in: frame)
            let anchor = image ?? ARAnchor(name: name, transform: target.transform, estimatedFrom: target.estimatedFrom)
            if image == nil { added.append(anchor) }
            placed.append(Placed(index: index, anchor: anchor, isOnSurface: target.isOnSurface))
            return true
        }
        waiting = later
        for anchor in added { try session.add(anchor: anchor) }
        return placed
    }
}
