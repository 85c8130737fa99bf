import VitrineMath
import VitrineVision

/// Detects that the camera was moved without the IMU measuring it: features are still tracked, but not where the predicted pose projects their points.
///
/// That happens if the stream was cut and both views overlap, or if the clocks jump. Rays are compared as if all rows were exposed with the middle one.
struct MotionCheck: Sendable {
    /// Smallest number of points, and largest relative standard deviation of their distances.
    private static let minimumPoints = 12, depthDeviation = 0.1
    /// Largest median angle in radians between predicted and observed directions, and its increase with the angular speed: errors of the clock, seconds.
    private static let largestAngle = 0.025, clockError = 0.004
    /// Frames, and seconds since the first one, that prove the contradiction.
    private static let minimumFrames = 3, minimumContradictionTime = 0.19

    /// The first frame that contradicts the prediction, and the number of frames since then; nil if the newest frame agrees.
    private var contradiction: (time: Double, newestID: Int, frames: Int)?
    /// The newest feature of the last frame that agreed.
    private var newestID = -1
    /// The angular speed at the last frame.
    private var angularSpeed = 0.0

    /// Whether the newest frames contradict the predicted pose.
    var isUncertain: Bool { contradiction != nil }

    /// Compares a frame's features with the points' projections.
    ///
    /// - Parameters:
    ///   - tracks: The features, by ascending identifier.
    ///   - points: The points of the last frame, by ascending identifier.
    ///   - predicted: `worldFromCamera` by the IMU.
    /// - Returns: The time of the first frame after the move and the newest feature before it, once the contradiction is proven.
    mutating func check(
        _ tracks: [FeatureTracker.Track], _ points: [TrackedPoint], predicted: RigidTransform, angularSpeed: Double, time: Double
    ) -> (time: Double, newestID: Int)? {
        let angle = Self.medianAngle(tracks, points, predicted)
        let limit = Self.largestAngle + Self.clockError * max(angularSpeed, self.angularSpeed)
        self.angularSpeed = angularSpeed
        guard let angle, angle > limit else {
            if angle != nil { (contradiction, newestID) = (nil, tracks.last?.id ?? newestID) }
            return nil
        }
        var found = contradiction ?? (time, newestID, 0)
        found.frames += 1
        contradiction = found
        guard found.frames >= Self.minimumFrames, time - found.time >= Self.minimumContradictionTime else { return nil }
        contradiction = nil
        return (found.time, found.newestID)
    }

    /// The median angle between predicted and observed directions; nil for too few points.
    private static func medianAngle(_ tracks: [FeatureTracker.Track], _ points: [TrackedPoint], _ predicted: RigidTransform) -> Double? {
        let back = predicted.inverse
        var (angles, next): ([Double], Int) = ([], 0)
        for track in tracks {
            while next < points.count, points[next].id < track.id { next += 1 }
            guard next < points.count, points[next].id == track.id else { continue }
            let arm = back * points[next].position
            let distance = length(arm)
            guard distance > 0.05, points[next].deviation < depthDeviation * distance else { continue }
            angles.append(length(cross(arm, track.ray)) / distance)
        }
        guard angles.count >= minimumPoints else { return nil }
        angles.sort()
        return angles[angles.count / 2]
    }
}
