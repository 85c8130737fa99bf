import VitrineGeometry
import VitrineMath
import VitrineVision

/// Detects that the camera was moved without the IMU measuring it: features are still tracked, but one rigid motion, other than the predicted one, explains
/// them.
///
/// That happens if the stream was cut and both views overlap, or if the clocks jump. Without such a motion the images are dark, bright or blurred, or
/// objects move: that is no evidence. Rays are compared as if all rows were exposed with the middle one.
struct MotionCheck: Sendable {
    /// The predicted motion of the camera since the newest frame that the filter has processed.
    struct Prediction {
        /// The processed frame's camera from the newest one.
        var motion: RigidTransform
        /// Standard deviation of its translation in metres.
        var deviation: Double
        /// rad/s.
        var angularSpeed: Double
        /// Seconds on the camera's clock.
        var time: Double
    }

    enum Verdict: Equatable {
        /// The features agree with the prediction, or there are too few to decide.
        case agrees
        /// The features contradict the prediction, which is not proven yet. The features before, up to an identifier, that do not agree
        /// with the prediction.
        case contradicts(Set<Int>)
        /// The camera was moved, by the features or because none of them could refute it in time: the time of the first frame after the move and the newest feature before it.
        case moved(time: Double, newestID: Int)
    }

    private struct Point {
        var id: Int
        /// In the reference camera's frame: the observed direction times the estimated distance, so that an inexact point is no motion.
        var position: Vector3d
        var deviation: Double
    }

    private struct View {
        var time: Double
        var tracks: [FeatureTracker.Track]
    }

    private struct Contradiction {
        /// The first frame that contradicts the prediction, and the newest feature before it.
        var time: Double
        var newestID: Int
        /// The frames with evidence of another motion, and those that decide nothing.
        var frames = 0, undecided = 0
    }

    /// Smallest number and share of points that a motion must explain, and largest relative standard deviation of their distances.
    private static let minimumPoints = 8, consensus = 0.6, depthDeviation = 0.1
    /// Smallest unpredicted translation in metres, and in standard deviations.
    private static let translation = 0.04, significance = 4.0
    /// Smallest unpredicted rotation in radians, and its increase with the angular speed: errors of the clock, seconds.
    private static let rotation = 0.025, clockError = 0.004
    /// Frames, and seconds since the first one, that prove a contradiction. Seconds after which the features must have refuted it; with fewer frames by
    /// then it is given up.
    private static let minimumFrames = 3, minimumTime = 0.19, maximumTime = 0.5, minimumUnrefuted = 5

    private var contradiction: Contradiction?
    /// The newest feature of the last frame without a contradiction.
    private var newestID = -1
    /// The angular speed at the last frame.
    private var angularSpeed = 0.0
    /// The points of the reference frame: the newest processed one before a contradiction.
    private var points: [Point] = []
    /// The reference camera from that of the newest processed frame, as predicted, and the standard deviation of its translation.
    private var referenceFromCamera = RigidTransform.identity
    private var deviation = 0.0
    /// The newest frames: the filter may not have processed the last ones yet.
    private var views: [View] = []
    private static let maximumViews = 8

    /// Whether the newest frames contradict the predicted pose.
    var isUncertain: Bool { contradiction != nil }

    /// Takes a processed frame as the reference, unless a contradiction is pending.
    ///
    /// - Parameters:
    ///   - found: The frame's points in the world, by ascending identifier.
    ///   - prediction: The frame's predicted motion since the processed frame before; nil if it is unknown.
    mutating func update(_ found: [TrackedPoint], worldFromCamera: RigidTransform, prediction: Prediction?, time: Double) {
        let view = views.last { $0.time == time }
        views.removeAll { $0.time <= time }
        if contradiction != nil, let prediction {
            referenceFromCamera = referenceFromCamera * prediction.motion
            deviation += prediction.deviation
            return
        }
        let cameraFromWorld = worldFromCamera.inverse
        points = Self.pairs(view?.tracks ?? [], found, id: \.id).map { track, point in
            Point(id: track.id, position: track.ray * length(cameraFromWorld * point.position), deviation: point.deviation)
        }
        (referenceFromCamera, deviation, contradiction) = (.identity, 0, nil)
    }

    /// Compares a frame's features with the predicted motion.
    ///
    /// - Parameters:
    ///   - tracks: The features, by ascending identifier.
    ///   - noise: Standard deviation of their directions in radians.
    mutating func check(_ tracks: [FeatureTracker.Track], noise: Double, _ prediction: Prediction) -> Verdict {
        let angle = Self.rotation + Self.clockError * max(prediction.angularSpeed, angularSpeed)
        angularSpeed = prediction.angularSpeed
        views = views.suffix(Self.maximumViews - 1) + [View(time: prediction.time, tracks: tracks)]
        if let pending = contradiction, prediction.time - pending.time > Self.maximumTime {
            (contradiction, points) = (nil, [])
            // The points from before have left the image: new features would agree with any pose.
            if pending.frames + pending.undecided >= Self.minimumUnrefuted {
                return .moved(time: pending.time, newestID: pending.newestID)
            }
        }
        let predicted = (referenceFromCamera * prediction.motion).inverse
        let (ids, matches) = matches(tracks)
        let resection = PointResection(points: matches, noise: noise)
        let evidence = Self.evidence(resection, predicted, angle, deviation + prediction.deviation)
        if evidence == false || contradiction == nil && evidence == nil {
            (contradiction, newestID) = (nil, tracks.last?.id ?? newestID)
            return .agrees
        }
        var pending = contradiction ?? Contradiction(time: prediction.time, newestID: newestID)
        if evidence == true { pending.frames += 1 } else { pending.undecided += 1 }
        contradiction = pending
        guard pending.frames >= Self.minimumFrames, prediction.time - pending.time >= Self.minimumTime else {
            let agreeing = Set(zip(ids, resection.inliers(predicted)).filter(\.1).map(\.0))
            return .contradicts(Set(tracks.map(\.id).filter { $0 <= pending.newestID && !agreeing.contains($0) }))
        }
        (contradiction, points) = (nil, [])
        return .moved(time: pending.time, newestID: pending.newestID)
    }

    /// Whether the points prove another motion than the predicted one; nil if no motion explains enough of them.
    ///
    /// - Parameters:
    ///   - predicted: The newest camera from the reference.
    ///   - angle: The largest error of the predicted rotation in radians.
    ///   - deviation: Standard deviation of the predicted translation in metres.
    private static func evidence(
        _ resection: PointResection, _ predicted: RigidTransform, _ angle: Double, _ deviation: Double
    ) -> Bool? {
        guard let found = resection.solve(from: predicted), found.share >= consensus, found.count >= minimumPoints else { return nil }
        let move = found.pose * predicted.inverse
        let (turn, shift) = (move.rotation.rotationVector, move.translation)
        let (turned, shifted) = (length(turn), length(shift))
        if turned > angle, turned > significance * found.deviation(rotation: turn / turned) { return true }
        guard shifted > translation else { return false }
        let own = found.deviation(translation: shift / shifted)
        return shifted > significance * (own * own + deviation * deviation).squareRoot()
    }

    /// The tracked features with a point of known distance.
    private func matches(_ tracks: [FeatureTracker.Track]) -> (ids: [Int], [PointResection.Point]) {
        let known = Self.pairs(tracks, points, id: \.id).filter { _, point in
            let distance = length(point.position)
            return distance > 0.05 && point.deviation < Self.depthDeviation * distance
        }
        return (known.map(\.0.id), known.map { PointResection.Point(position: $1.position, deviation: $1.deviation, ray: $0.ray) })
    }

    /// Pairs features with elements of the same identifier, both by ascending identifier.
    private static func pairs<Element>(
        _ tracks: [FeatureTracker.Track], _ others: [Element], id: KeyPath<Element, Int>
    ) -> [(FeatureTracker.Track, Element)] {
        var (found, next): ([(FeatureTracker.Track, Element)], Int) = ([], 0)
        for track in tracks {
            while next < others.count, others[next][keyPath: id] < track.id { next += 1 }
            if next < others.count, others[next][keyPath: id] == track.id { found.append((track, others[next])) }
        }
        return found
    }
}
