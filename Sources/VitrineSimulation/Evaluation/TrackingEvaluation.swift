import Vitrine
import VitrineAR
import VitrineVision

/// Measures a tracker on a source with ground truth: causally, each pose as reported when its image arrived.
package struct TrackingEvaluation: Sendable {
    /// The number of camera samples.
    package private(set) var sampleCount = 0
    /// The number of camera samples with tracking state `normal`, or `limited(.scaleUnknown)`, and a pose.
    package private(set) var trackedCount = 0
    /// The number of seconds from the first image to the first tracked one; nil if none is tracked.
    package private(set) var startDelay: Double?
    /// The number of changes of the state to `limited(.relocalizing)`.
    package private(set) var losses = 0
    /// The tracking time of each image in milliseconds.
    package private(set) var milliseconds: [Double] = []
    /// The estimated poses of the camera, with times on the camera's clock.
    package private(set) var estimate: [TimedPose] = []
    /// The true poses of the camera, with times on the camera's clock.
    package private(set) var truth: [TimedPose] = []
    /// The covariance of each pose in `estimate`: 6×6 in row-major order; empty if unknown.
    package private(set) var covariances: [[Double]] = []
    /// The times at which the injected loss begins and at which images are normal again, on the camera's clock; nil without a loss.
    package private(set) var lossTimes: (start: Double, end: Double)?
    /// The planes that were detected.
    package private(set) var planes = PlaneEvaluation()
    /// Anchors that are placed along the path.
    package private(set) var anchors = AnchorEvaluation()

    /// Creates an evaluation without samples.
    package init() {}

    /// Tracks a source to its end.
    ///
    /// - Parameter method: Default `.automatic`.
    /// - Throws: Errors of the source; `ARError` if the device lacks what the method needs.
    package mutating func track(
        _ source: some SensorSource, method: TrackingMethod = .automatic, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        var runner = try TrackingRunner(method, rig: source.rig)
        try await track(source, with: &runner)
    }

    /// Passes the events of a source to a runner.
    ///
    /// - Parameter loss: A loss of tracking to inject. Default none.
    package mutating func track(
        _ source: some SensorSource, with runner: inout TrackingRunner, loss: SensorLoss? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        var (first, wasTracked): (Double?, Bool) = (nil, false)
        var filter = loss.map { SensorLossFilter($0) }
        while let next = try await source.next() {
            for event in filter?.replacing(next) ?? [next] {
                if case .interruptionEnded = event { runner.interrupt() }
                let start = ContinuousClock.now
                guard let frame = runner.process(event) else { continue }
                milliseconds.append((ContinuousClock.now - start) / .milliseconds(1))
                first = first ?? frame.sample.time
                add(frame.result, frame.sample, since: first ?? 0)
                anchors.add(frame.result, truth: frame.sample.worldFromCamera)
                planes.add(frame.result, camera: frame.sample.camera ?? source.rig.camera, depth: frame.sample.depth)
                let isLost = frame.result.state == .limited(.relocalizing)
                if isLost, wasTracked { losses += 1 }
                wasTracked = !isLost
            }
        }
        if let start = filter?.startTime, let end = filter?.returnTime { lossTimes = (start, end) }
    }

    private mutating func add(_ result: TrackingResult, _ sample: CameraSample, since first: Double) {
        sampleCount += 1
        // Both by the image's own time stamp: the truth belongs to that time.
        if let pose = sample.worldFromCamera, sample.time > truth.last?.time ?? -.infinity {
            truth.append(TimedPose(time: sample.time, pose: pose))
        }
        guard result.state.isTracking, let pose = result.worldFromCamera, sample.time > estimate.last?.time ?? -.infinity else { return }
        trackedCount += 1
        startDelay = startDelay ?? sample.time - first
        estimate.append(TimedPose(time: sample.time, pose: pose))
        covariances.append(result.covariance)
    }

    /// The errors of the estimate.
    package struct Score: Sendable, Equatable {
        /// The root mean square and largest position error after alignment of yaw and position, in metres.
        package var positionRMSE, largestPositionError: Double
        /// The root mean square position error after alignment of rotation, position and scale, in metres: for tracking without an IMU.
        package var shapeRMSE: Double
        /// The orientation RMSE in degrees, after alignment of yaw and position.
        package var orientationRMSE: Double
        /// The factor from the estimate's scale to the true one.
        package var scale: Double
        /// The length of the true path in metres.
        package var pathLength: Double
        /// The normalized estimation error squared, aligned at the first pose: 3 for a consistent estimator.
        package var consistency: TrajectoryComparison.Consistency
        /// The tracking time per image: median and 99th percentile.
        package var medianMilliseconds, slowMilliseconds: Double
        /// The transform from the tracker's world to the true one, by yaw and position.
        package var truthFromEstimate: SimilarityTransform
    }

    /// Computes the errors.
    ///
    /// - Throws: `TrajectoryError` if too little was tracked.
    package func score() throws(TrajectoryError) -> Score {
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
