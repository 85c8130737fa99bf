import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// The filter on shared recordings.
@Suite(.serialized) struct FilterRecordingTests {
    /// Sixty seconds of simulated flight with an IMU and noisy features, from the true first state.
    struct SimulatedFlight {
        var samples: [InertialSample]
        var pictures: [FilterRun.Picture] = []
        var truth: [TimedPose]
        var start: FilterState

        init() throws {
            let lines = try TrackingData.numbers("sim-features/features.csv.gz")
            let origin = lines[0][0]
            samples = try TrackingData.samples("sim-features/imu.csv.gz", origin: origin)
            truth = try TrackingData.poses("sim-features/truth.tum", origin: origin)
            for line in lines {
                if pictures.last?.time != line[0] - origin { pictures.append(.init(time: line[0] - origin, features: [])) }
                pictures[pictures.count - 1].features.append(
                    ObservedFeature(id: Int(line[2]), pixel: Vector2d(line[3] + 0.5, line[4] + 0.5)))
            }
            let spline = try TrajectorySpline(through: truth, settings: .init(knotSpacing: 0.1, smoothing: 0))
            let motion = spline.motion(at: truth[0].time)
            start = FilterState(time: truth[0].time, worldFromBody: truth[0].pose, velocity: motion.velocity)
        }
    }

    @Test(.enabled(if: TrackingData.has("sim-features"), TrackingData.missing)) func followsASimulatedFlight() throws {
        let flight = try SimulatedFlight()
        var uncertainty = FilterUncertainty.exact
        (uncertainty.velocity, uncertainty.gyroscopeBias, uncertainty.accelerometerBias) = (0.1, 0.02, 0.1)
        let filter = VisualInertialFilter(rig: TrackingData.eurocRig, state: flight.start, uncertainty: uncertainty)
        let run = FilterRun(filter, samples: flight.samples, pictures: flight.pictures)
        let comparison = try TrajectoryComparison(estimate: run.estimate, truth: flight.truth)
        #expect(comparison.positionRMSE < 0.021)
        #expect(comparison.orientationRMSE < 0.35 * .pi / 180)
    }
}
