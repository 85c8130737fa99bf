import VitrineMath
import VitrineVision

/// Follows how a device turns, not where it goes: three degrees of freedom, from the IMU alone. It is there at once and can't be lost.
///
/// The pictures are not looked at: their times say when a pose is wanted. Gravity keeps it level; the heading drifts by what is left of the
/// gyroscope's bias, which is learnt whenever the device lies still.
public final class OrientationTracker: Tracker {
    public struct Settings: Equatable, Sendable {
        /// Seconds after the first sample until gravity is told from the hand's movement.
        public var settlingTime = 0.3
        /// rad/s: faster than this gyroscopes cut off.
        public var fastestTurn = 30.0
        /// Seconds without samples after which nothing is known.
        public var longestSilence = 1.0

        public init() {}
    }

    public let settings: Settings
    private let rig: SensorRig
    private var estimator: OrientationEstimator
    private var gate = SampleGate()
    private var last: TrackingResult?
    /// Samples and pictures that didn't move time on or weren't finite.
    public private(set) var passedOver = (samples: 0, pictures: 0)

    public init(rig: SensorRig, settings: Settings = Settings()) {
        (self.rig, self.settings) = (rig, settings)
        estimator = OrientationEstimator(cameraFromBody: rig.cameraFromBody.rotation)
    }

    /// rad/s in the body's axes, learnt at rest; zero until then.
    public var gyroscopeBias: Vector3d { estimator.gyroscopeBias }

    public func add(_ sample: InertialSample) {
        for admitted in gate.admitted(sample) { estimator.add(admitted) }
        passedOver.samples = gate.passedOver
    }

    public func track(_ image: TrackingImage, time: Double) -> TrackingResult { track(time: time) }

    /// The pose at a time on the camera's clock.
    public func track(time: Double) -> TrackingResult {
        let moment = time + rig.timeOffset
        if let last, !(moment > last.time) {
            passedOver.pictures += 1
            return last
        }
        guard moment.isFinite, moment - estimator.time < 1e9, let worldFromBody = estimator.worldFromBody(at: moment),
            moment - estimator.time <= settings.longestSilence
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
        return length(estimator.rate) > settings.fastestTurn ? .limited(.excessiveMotion) : .normal
    }

    public func reset() {
        var fresh = OrientationEstimator(cameraFromBody: rig.cameraFromBody.rotation)
        (fresh.gyroscopeBias, fresh.knowsBias) = (estimator.gyroscopeBias, estimator.knowsBias)
        (estimator, last, gate) = (fresh, nil, SampleGate())
    }
}
