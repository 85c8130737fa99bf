import VitrineMath
import VitrineVision

/// A small correction of the world, applied over half a second: camera and recent content move gradually instead of jumping.
struct CorrectionEasing: Sendable {
    /// Moves the tracker's corrected world to where content is now.
    private(set) var remaining: RigidTransform
    /// The transform at the start: a rotation vector about the pivot, and a shift of the pivot.
    private let rotation, shift, pivot: Vector3d
    private let start: Double

    /// The duration in seconds.
    private static let duration = 0.5
    /// The largest correction that is eased, in metres and radians: a larger one is reported to the app as a jump.
    private static let maximumShift = 0.15, maximumAngle = 0.05

    /// Begins to apply a correction of the world over time.
    ///
    /// - Parameters:
    ///   - correction: Moves earlier poses to the corrected world.
    ///   - previous: The remaining part of earlier corrections.
    ///   - pivot: The camera's position in the corrected world.
    ///   - time: The time of the frame in seconds.
    /// - Returns: nil for a large correction.
    init?(of correction: RigidTransform, after previous: RigidTransform, around pivot: Vector3d, at time: Double) {
        let initial = previous * correction.inverse
        (rotation, shift) = (initial.rotation.rotationVector, initial * pivot - pivot)
        guard length(shift) < Self.maximumShift, length(rotation) < Self.maximumAngle else { return nil }
        (remaining, self.pivot, start) = (initial, pivot, time)
    }

    /// Continues to a time.
    /// - Returns: Whether the correction is complete.
    mutating func advance(to time: Double) -> Bool {
        let rest = 1 - smoothstep(0, Self.duration, time - start)
        let turn = Matrix3d.rotation(rotation * rest)
        remaining = RigidTransform(rotation: turn, translation: pivot + shift * rest - turn * pivot)
        return rest <= 0
    }
}
