import VitrineMath
import VitrineVision

/// Detects that the camera was moved without the IMU measuring it: features are still tracked, but not where the predicted pose projects their points.
///
/// That happens if the stream was cut and both views overlap, or if the clocks jump. Rays are compared as if all rows were exposed with the middle one.
struct MotionCheck: Sendable {
    /// Smallest numbers of points, at first and while a contradiction is undecided, and largest relative standard deviation of their distances.
    private static let minimumPoints = 12, minimumKeptPoints = 6, depthDeviation = 0.1
    /// Largest median angle in radians between predicted and observed directions, and its increase with the angular speed: errors of the clock, seconds.
    private static let largestAngle = 0.025, clockError = 0.004
    /// Frames, and seconds since the first one, that prove the contradiction; seconds after which one that cannot be decided ends.
    private static let minimumFrames = 3, minimumContradictionTime = 0.19, maximumContradictionTime = 0.5

    /// Frames that contradict the prediction.
    private struct Contradiction {
        /// The time of the first frame, and the number of frames.
        var time: Double
        var frames = 0
        /// The newest feature before the first frame, and the points as they were then: later points may be wrong.
        var newestID: Int
        var points: [TrackedPoint]
    }

    /// nil if the newest frame agrees.
    private var contradiction: Contradiction?
    /// The newest feature of the last frame.
    private var newestID = -1
    /// The angular speed at the last frame.
    private var angularSpeed = 0.0

    /// Whether the newest frames contradict the predicted pose.
    var isUncertain: Bool { contradiction != nil }

    /// The newest feature from before frames that contradict the predicted pose: the filter must not use it and earlier ones until that is decided.
    var newestDoubtfulID: Int? { contradiction?.newestID }

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
        let limit = Self.largestAngle + Self.clockError * max(angularSpeed, self.angularSpeed)
        defer { (newestID, self.angularSpeed) = (tracks.last?.id ?? newestID, angularSpeed) }
        let minimum = contradiction == nil ? Self.minimumPoints : Self.minimumKeptPoints
        guard let angle = Self.medianAngle(tracks, contradiction?.points ?? points, predicted, minimum: minimum) else {
            if let contradiction, time - contradiction.time > Self.maximumContradictionTime { self.contradiction = nil }
            return nil
        }
        guard angle > limit else {
            contradiction = nil
            return nil
        }
        var found = contradiction ?? Contradiction(time: time, newestID: newestID, points: points)
        found.frames += 1
        contradiction = found
        guard found.frames >= Self.minimumFrames, time - found.time >= Self.minimumContradictionTime else { return nil }
        contradiction = nil
        return (found.time, found.newestID)
    }

    /// The median angle between predicted and observed directions; nil for too few points.
    private static func medianAngle(
        _ tracks: [FeatureTracker.Track], _ points: [TrackedPoint], _ predicted: RigidTransform, minimum: Int
    ) -> Double? {
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
        guard angles.count >= minimum else { return nil }
        angles.sort()
        return angles[angles.count / 2]
    }
}
