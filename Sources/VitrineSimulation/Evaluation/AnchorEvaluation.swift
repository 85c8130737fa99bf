import VitrineTracking
import VitrineVision

/// Places an anchor in front of the camera every two seconds, moves it as a session does, and measures where later frames show it.
package struct AnchorEvaluation: Sendable {
    private struct Anchor {
        /// The position in the room.
        var truth: Vector3d
        /// The position in the tracker's world: as it follows the map's keyframes, and without their moves.
        var position, fixed: Vector3d
        var time: Double
        var keyframe: Int?
    }

    /// The distances in the camera's frame between where an anchor is and where it should be, in metres, at least five seconds after its placement:
    /// for anchors that follow keyframes, and for anchors that do not.
    package private(set) var errors: [Double] = [], fixedErrors: [Double] = []
    private var anchors: [Anchor] = []
    /// The number of anchors from before tracking was lost.
    private var fixedCount = 0
    private var wasLost = false

    /// Seconds between anchors, and from an anchor's placement to its first measurement; metres from the camera.
    private static let interval = 2.0, delay = 5.0, distance = 1.5

    package var count: Int { anchors.count }

    package init() {}

    /// - Parameter truth: The camera's true pose.
    mutating func add(_ result: TrackingResult, truth: RigidTransform?) {
        let isLost = result.state == .limited(.relocalizing)
        if isLost, !wasLost { fixedCount = anchors.count }
        wasLost = isLost
        if result.startsNewWorld { (anchors, fixedCount) = ([], 0) }
        for index in anchors.indices.dropFirst(fixedCount) {
            if let correction = result.relocalizationCorrection {
                anchors[index].position = correction * anchors[index].position
                anchors[index].fixed = correction * anchors[index].fixed
            }
            if let move = anchors[index].keyframe.flatMap({ result.keyframeMoves[$0] }) {
                anchors[index].position = move * anchors[index].position
            }
        }
        guard result.state == .normal, let truth, let pose = result.worldFromCamera else { return }
        let (back, trueBack) = (pose.inverse, truth.inverse)
        for anchor in anchors where result.time - anchor.time > Self.delay {
            let seen = trueBack * anchor.truth
            guard seen.z > 0.3, length(Vector2d(seen.x, seen.y)) < 0.6 * seen.z else { continue }
            errors.append(length(back * anchor.position - seen))
            fixedErrors.append(length(back * anchor.fixed - seen))
        }
        guard result.time - (anchors.last?.time ?? -.infinity) > Self.interval else { return }
        let ahead = Vector3d(0, 0, Self.distance)
        let position = pose * ahead
        anchors.append(
            Anchor(truth: truth * ahead, position: position, fixed: position, time: result.time, keyframe: result.referenceKeyframe))
    }
}
