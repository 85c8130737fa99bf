import Vitrine
import VitrineAR
import VitrineVision

/// How well a tracker follows a source that knows the truth: causally, each pose as it was said when its picture came.
public struct TrackingEvaluation: Sendable {
    /// Pictures that came, that have a pose in the state `normal`, and that say where they truly were.
    public private(set) var pictures = 0
    public private(set) var tracked = 0
    /// Seconds from the first picture to the first that is tracked; nil where none is.
    public private(set) var startDelay: Double?
    /// How often the state went from `normal` to something else.
    public private(set) var losses = 0
    /// Of each picture, in the order of the pictures: what tracking it took.
    public private(set) var milliseconds: [Double] = []
    /// Poses of the camera as tracked, and as they were; times on the IMU's clock.
    public private(set) var estimate: [TimedPose] = []
    public private(set) var truth: [TimedPose] = []
    /// Of each pose in `estimate`: 6×6 by rows, or empty.
    public private(set) var covariances: [[Double]] = []
    /// The planes that were found on the way.
    public private(set) var planes = PlaneEvaluation()

    public init() {}

    /// Feeds a source to a tracker to its end.
    public mutating func follow(
        _ source: some SensorSource, with tracker: some Tracker, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        var (first, isNormal): (Double?, Bool) = (nil, false)
        while let event = try await source.next() {
            switch event {
            case .inertial(let sample): tracker.add(sample)
            case .picture(let sample):
                let began = ContinuousClock.now
                let result = tracker.track(sample.image.luma, time: sample.time)
                milliseconds.append((ContinuousClock.now - began) / .milliseconds(1))
                first = first ?? sample.time
                add(result, sample, since: first ?? 0)
                planes.add(result, camera: sample.camera ?? source.rig.camera, depth: sample.depth)
                if isNormal, result.state != .normal { losses += 1 }
                isNormal = result.state == .normal
            case .interruptionBegan, .interruptionEnded: break
            }
        }
    }

    private mutating func add(_ result: TrackingResult, _ sample: CameraSample, since first: Double) {
        pictures += 1
        // Both by the picture's own stamp: the truth is of the moment that the stamp means.
        if let pose = sample.worldFromCamera, sample.time > truth.last?.time ?? -.infinity {
            truth.append(TimedPose(time: sample.time, pose: pose))
        }
        guard result.state == .normal, let pose = result.worldFromCamera, sample.time > estimate.last?.time ?? -.infinity else { return }
        tracked += 1
        startDelay = startDelay ?? sample.time - first
        estimate.append(TimedPose(time: sample.time, pose: pose))
        covariances.append(result.covariance)
    }

    /// What came of it.
    public struct Score: Sendable, Equatable {
        /// After the best turn about the vertical and the best shift; metres.
        public var positionRMSE, largestPositionError: Double
        /// Metres of the truth, after the best turn, shift and scale: what pictures alone can be asked for.
        public var shapeRMSE: Double
        /// Degrees.
        public var orientationRMSE: Double
        /// What the estimate has to be multiplied by to fit best.
        public var scale: Double
        /// Metres of the true path that were tracked.
        public var pathLength: Double
        /// Normalized errors squared, aligned at the first pose: 3 for honest covariances.
        public var consistency: TrajectoryComparison.Consistency
        /// Per picture: median, and what 99 of 100 keep.
        public var medianMilliseconds, slowMilliseconds: Double
        /// From the tracker's world to the truth's, by heading and place.
        public var truthFromEstimate: SimilarityTransform
    }

    /// - Throws: where too little was tracked to say.
    public func score() throws(TrajectoryError) -> Score {
        let yaw = try TrajectoryComparison(estimate: estimate, truth: truth, alignment: .yaw)
        let similar = try TrajectoryComparison(estimate: estimate, truth: truth, alignment: .similarity)
        let first = try TrajectoryComparison(estimate: estimate, truth: truth, alignment: .first)
        return Score(
            positionRMSE: yaw.positionRMSE, largestPositionError: yaw.largestPositionError,
            shapeRMSE: similar.positionRMSE,
            orientationRMSE: yaw.orientationRMSE * 180 / .pi,
            scale: similar.truthFromEstimate.scale, pathLength: yaw.pathLength, consistency: first.consistency(covariances),
            medianMilliseconds: median(milliseconds), slowMilliseconds: quantile(milliseconds, 0.99),
            truthFromEstimate: yaw.truthFromEstimate)
    }
}
