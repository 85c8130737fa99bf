import VitrineMath
import VitrineVision

/// Tracks a device's rotation from its IMU alone: three degrees of freedom, available at once.
///
/// Images only determine the times of the poses. Gravity corrects the tilt; the heading drifts with the residual gyroscope bias, which is
/// estimated whenever the device is at rest.
package final class OrientationTracker: Tracker {
    package struct Settings: Equatable, Sendable {
        /// The number of seconds after the first sample until the tilt is reliable.
        package var settlingTime = 0.3
        /// The angular speed in rad/s above which gyroscopes saturate.
        package var maximumAngularSpeed = 30.0
        /// The number of seconds without samples after which there is no pose.
        package var maximumInertialGap = 1.0

        package init() {}
    }

    package let settings: Settings
    private let rig: SensorRig
    private var estimator: OrientationEstimator
    private var gate = InertialSampleGate()
    private var last: TrackingResult?
    /// Samples and frames that were out of order or not finite.
    package private(set) var skipped = (samples: 0, frames: 0)

    package init(rig: SensorRig, settings: Settings = Settings()) {
        (self.rig, self.settings) = (rig, settings)
        estimator = OrientationEstimator(cameraFromBody: rig.cameraFromBody.rotation)
    }

    /// The bias of the gyroscope in rad/s in the body's axes, estimated at rest; zero until then.
    package var gyroscopeBias: Vector3d { estimator.gyroscopeBias }

    package func add(_ sample: InertialSample) {
        for admitted in gate.admitted(sample) { estimator.add(rig.corrected(admitted)) }
        skipped.samples = gate.skipped
    }

    package func track(_ image: Plane<UInt8>, time: Double) -> TrackingResult { track(time: time) }

    /// The pose at a time on the camera's clock.
    package func track(time: Double) -> TrackingResult {
        let moment = time + rig.timeOffset
        if let last, !(moment > last.time) {
            skipped.frames += 1
            return last
        }
        guard moment.isFinite, moment - estimator.time < 1e9, let worldFromBody = estimator.worldFromBody(at: moment),
            moment - estimator.time <= settings.maximumInertialGap
        else {
            let result = TrackingResult(time: moment, state: .notAvailable, worldFromCamera: nil, rig: rig)
            if moment.isFinite { last = result }
            return result
        }
        let pose = RigidTransform(rotation: worldFromBody * rig.cameraFromBody.rotation.transpose, translation: .zero)
        let result = TrackingResult(time: moment, state: state, worldFromCamera: pose, rig: rig)
        last = result
        return result
    }

    private var state: TrackingState {
        if estimator.age < settings.settlingTime { return .limited(.initializing) }
        return length(estimator.rate) > settings.maximumAngularSpeed ? .limited(.excessiveMotion) : .normal
    }

    package func reset() {
        var fresh = OrientationEstimator(cameraFromBody: rig.cameraFromBody.rotation)
        fresh.adoptBias(of: estimator)
        (estimator, last, gate) = (fresh, nil, InertialSampleGate())
    }
}
