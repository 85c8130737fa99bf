import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Attaches anchors to keyframes of the tracker's map: when the map corrects a keyframe, its anchors follow over half a second.
///
/// All transforms are in the tracker's world.
struct KeyframeAnchors: Sendable {
    /// A plane's transform as detected, and its moves since then.
    private struct PlaneMove: Sendable {
        var detected: Matrix4
        var move = RigidTransform.identity
    }

    /// The keyframe of each attached anchor.
    private var keyframes: [UUID: Int] = [:]
    /// The corrections that are still being applied.
    private var easings: [UUID: CorrectionEasing] = [:]
    private var planes: [UUID: PlaneMove] = [:]

    /// The smallest move of an anchor that it follows, in metres and radians: smaller ones accumulate.
    private static let smallestShift = 0.002, smallestAngle = 0.002
    /// The moves of anchors that are too small so far.
    private var pending: [UUID: RigidTransform] = [:]

    var isEmpty: Bool { keyframes.isEmpty }

    /// Attaches an anchor to a keyframe unless it is attached already.
    mutating func attach(_ anchor: UUID, to keyframe: Int) { if keyframes[anchor] == nil { keyframes[anchor] = keyframe } }

    /// Detaches an anchor: it stays in place until it is attached again.
    mutating func detach(_ anchor: UUID) {
        (keyframes[anchor], easings[anchor], planes[anchor], pending[anchor]) = (nil, nil, nil, nil)
    }

    mutating func detachAll() { self = KeyframeAnchors() }

    /// Begins to apply the moves of keyframes.
    ///
    /// - Parameters:
    ///   - moves: New from old poses, by keyframe.
    ///   - anchors: The anchors with their positions.
    ///   - time: The time of the frame in seconds.
    /// - Returns: The moves of anchors that are too large to ease.
    mutating func follow(
        _ moves: [Int: RigidTransform], _ anchors: [(id: UUID, position: Vector3d)], at time: Double
    ) -> [UUID: RigidTransform] {
        var jumps: [UUID: RigidTransform] = [:]
        for (id, position) in anchors {
            guard let keyframe = keyframes[id], let move = moves[keyframe] else { continue }
            let total = pending[id].map { move * $0 } ?? move
            guard
                length(total * position - position) > Self.smallestShift || length(total.rotation.rotationVector) > Self.smallestAngle
            else {
                pending[id] = total
                continue
            }
            pending[id] = nil
            let rest = easings.removeValue(forKey: id)?.remaining ?? .identity
            let pivot = total * (rest.inverse * position)
            if let easing = CorrectionEasing(of: total, after: rest, around: pivot, at: time) {
                easings[id] = easing
            } else {
                jumps[id] = total * rest.inverse
                movePlane(id, by: total * rest.inverse)
            }
        }
        return jumps
    }

    /// Continues the moves to a time.
    ///
    /// - Returns: The moves since the last call, by anchor.
    mutating func advance(to time: Double) -> [UUID: RigidTransform] {
        var moves: [UUID: RigidTransform] = [:]
        for (id, easing) in easings {
            var current = easing
            let isComplete = current.advance(to: time)
            easings[id] = isComplete ? nil : current
            let move = current.remaining * easing.remaining.inverse
            moves[id] = move
            movePlane(id, by: move)
        }
        return moves
    }

    private mutating func movePlane(_ id: UUID, by move: RigidTransform) {
        if let known = planes[id] { planes[id] = PlaneMove(detected: known.detected, move: move * known.move) }
    }

    /// A plane as detected, moved as its keyframe was since the detector determined its transform.
    mutating func moved(_ plane: ARPlaneAnchor) -> ARPlaneAnchor {
        guard let known = planes[plane.identifier], known.detected == plane.transform else {
            // The detector has corrected the plane with the newest points.
            planes[plane.identifier] = PlaneMove(detected: plane.transform)
            (easings[plane.identifier], pending[plane.identifier]) = (nil, nil)
            return plane
        }
        return known.move == .identity ? plane : plane.with(transform: Matrix4(known.move) * plane.transform)
    }
}
