import Foundation
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// The filter on shared recordings.
@Suite(.serialized) struct FilterRecordingTests {
    /// Sixty seconds of simulated flight with an IMU and noisy features. The filter starts at the ground truth.
    struct SimulatedFlight {
        var samples: [InertialSample]
        var frames: [FilterRun.Frame] = []
        var truth: [TimedPose]
        var start: FilterState

        init() throws {
            let lines = try TrackingData.numbers("sim-features/features.csv.gz")
            let origin = lines[0][0]
            samples = try TrackingData.samples("sim-features/imu.csv.gz", origin: origin)
            truth = try TrackingData.poses("sim-features/truth.tum", origin: origin)
            for line in lines {
                if frames.last?.time != line[0] - origin { frames.append(.init(time: line[0] - origin, features: [])) }
                frames[frames.count - 1].features.append(
                    ObservedFeature(id: Int(line[2]), pixel: Vector2d(line[3] + 0.5, line[4] + 0.5)))
            }
            start = FilterState(time: truth[0].time, worldFromBody: truth[0].pose)
            start.velocity = velocity
        }

        /// The first velocity: dead reckoning from the first pose ends at the second pose's position.
        private var velocity: Vector3d {
            var buffer = InertialBuffer()
            for sample in samples.prefix(200) { _ = buffer.append(sample) }
            var reckoning = InertialPropagation(start, gravity: InertialSimulator.gravity, noise: InertialNoise())
            reckoning.integrate(buffer.samples(from: truth[0].time, to: truth[1].time), withErrors: false)
            return (truth[1].pose.translation - reckoning.state.worldFromBody.translation) / (truth[1].time - truth[0].time)
        }
    }

    @Test(.enabled(if: TrackingData.has("sim-features"), TrackingData.missing)) func tracksASimulatedFlight() throws {
        let flight = try SimulatedFlight()
        let filter = VisualInertialFilter(rig: TrackingData.eurocRig, state: flight.start, uncertainty: .exact)
        let run = FilterRun(filter, samples: flight.samples, frames: flight.frames)
        let comparison = try TrajectoryComparison(estimate: run.estimate, truth: flight.truth)
        // The accuracy of OpenVINS on this data set.
        #expect(comparison.positionRMSE < 0.013)
        #expect(comparison.orientationRMSE < 0.19 * .pi / 180)
    }

    @Test(.enabled(if: TrackingData.has("april-corners"), TrackingData.missing)) func tracksADroneInFrontOfABoard() throws {
        let board = try BoardRecording()
        var uncertainty = FilterUncertainty()
        uncertainty.accelerometerBias = 0.2
        // The IMU was calibrated in the factory, unlike that of a phone.
        uncertainty.inertialCalibration = 0.001
        // The initial state is that of the truth: it was not determined from readings.
        uncertainty.stateByCalibration = [Double](repeating: 0, count: 15 * 18)
        let filter = VisualInertialFilter(rig: board.rig, state: board.start, uncertainty: uncertainty)
        let run = FilterRun(filter, samples: board.samples, frames: board.frames)
        // The accelerometer's bias tilts the board's world a little: aligned by a rotation and a translation.
        let comparison = try TrajectoryComparison(estimate: run.estimate, truth: board.truth, alignment: .rigid)
        #expect(comparison.pathLength > 29 && comparison.pairs.count > 1400)
        #expect(comparison.positionRMSE < 0.03)
        #expect(comparison.orientationRMSE < 1.5 * .pi / 180)
    }

    // MARK: Measurements

    /// Prints the filter's numbers for docs/measurements/ar.md with `VITRINE_FIGURES=1`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["VITRINE_FIGURES"] != nil && TrackingData.has("sim-features")))
    func printMeasurements() throws {
        let flight = try SimulatedFlight()
        var (calibrating, more) = (FilterUncertainty(), FilterSettings())
        let exact = FilterUncertainty.exact
        (calibrating.tilt, calibrating.velocity) = (exact.tilt, exact.velocity)
        (calibrating.gyroscopeBias, calibrating.accelerometerBias) = (exact.gyroscopeBias, exact.accelerometerBias)
        more.points = 120
        for (name, settings, uncertainty) in [
            ("sim-features, fixed calibration", FilterSettings(), exact),
            ("sim-features, estimated calibration", FilterSettings(), calibrating),
            ("sim-features, 120 points", more, exact),
        ] {
            let filter = VisualInertialFilter(
                rig: TrackingData.eurocRig, settings: settings, state: flight.start, uncertainty: uncertainty)
            try report(name, FilterRun(filter, samples: flight.samples, frames: flight.frames), flight.truth, .yaw)
        }
        let board = try BoardRecording()
        var uncertainty = FilterUncertainty()
        uncertainty.accelerometerBias = 0.2
        // The IMU was calibrated in the factory, unlike that of a phone.
        uncertainty.inertialCalibration = 0.001
        // The initial state is that of the truth: it was not determined from readings.
        uncertainty.stateByCalibration = [Double](repeating: 0, count: 15 * 18)
        let filter = VisualInertialFilter(rig: board.rig, state: board.start, uncertainty: uncertainty)
        try report("april-corners", FilterRun(filter, samples: board.samples, frames: board.frames), board.truth, .rigid)
    }

    private func report(_ name: String, _ run: FilterRun, _ truth: [TimedPose], _ alignment: TrajectoryComparison.Alignment) throws {
        let comparison = try TrajectoryComparison(estimate: run.estimate, truth: truth, alignment: alignment)
        print(
            String(
                format: "  %@: %.2f cm, %.3f°, %.2f ms per update", name, comparison.positionRMSE * 100,
                comparison.orientationRMSE * 180 / .pi, run.medianSeconds * 1000))
    }
}
