import VitrineTracking
import VitrineVision

/// A camera sample with the tracker's estimate for it.
///
/// The second value of the chain `SensorEvent` → `TrackedFrame` → `WorldUpdate` → `ARFrame`.
package struct TrackedFrame: Sendable {
    package let sample: CameraSample
    /// The tracker's estimate, in the tracker's world.
    package let result: TrackingResult
    /// The time in seconds on the IMU's clock; increases from frame to frame.
    package let timestamp: Double

    /// The camera model of this image.
    package var camera: CameraIntrinsics { sample.camera ?? result.rig.camera }

    /// The camera's pose (x right, y down, z forward) in the tracker's world; nil if it is unknown, not finite or not rigid.
    package var worldFromCamera: RigidTransform? { result.worldFromCamera.flatMap { TransformCheck.isPose($0) ? $0 : nil } }

    /// Whether the tracker returned a pose that is not finite or not rigid.
    var hasInvalidPose: Bool { result.worldFromCamera != nil && worldFromCamera == nil }
}

/// Feeds sensor events to a tracker. `ARSession`, `TrackingEvaluation` and `vitrine ar track` all use it.
package struct TrackingRunner {
    package let method: TrackingMethod
    package let tracker: ActiveTracker
    private let timeOffset: Double
    private var lastTimestamp = -Double.infinity
    private var milliseconds = 0.0

    /// Creates a runner with a tracker for a device.
    ///
    /// - Parameter clock: Seconds of a monotonic clock, for the tracker's diagnostics.
    /// - Throws: `TrackingMethodError` if the device lacks what the method needs.
    package init(_ method: TrackingMethod, rig: SensorRig, clock: (() -> Double)? = nil) throws(TrackingMethodError) {
        self.method = method.resolved(for: rig)
        tracker = try method.makeTracker(for: rig, clock: clock)
        timeOffset = rig.timeOffset
    }

    /// Passes an event to the tracker.
    ///
    /// - Returns: The tracked frame for a camera sample, nil for any other event.
    package mutating func process(_ event: SensorEvent) -> TrackedFrame? {
        let watch = Stopwatch()
        defer { watch.add(to: &milliseconds) }
        switch event {
        case .inertial(let sample): tracker.add(sample)
        case .image(let sample):
            let result = tracker.track(
                sample.image.luma, depth: sample.depth?.confidentMetres, second: sample.secondLuma, time: sample.time,
                recordedPose: sample.worldFromCamera)
            // Increases also when the tracker corrects the camera's clock offset backwards.
            let time = result.time.isFinite ? result.time : sample.time + timeOffset
            lastTimestamp = max(time, lastTimestamp.nextUp)
            return TrackedFrame(sample: sample, result: result, timestamp: lastTimestamp)
        case .interruptionBegan, .interruptionEnded: break
        }
        return nil
    }

    /// Discards the tracker's world, and keeps the estimated biases of the IMU and the offset of its clock.
    package mutating func reset() { tracker.reset() }

    /// The device was interrupted: the tracker keeps its map and relocalizes.
    package func interrupt() { tracker.interrupt() }

    /// Continues the increasing timestamps of the runner that this one replaces.
    mutating func continueTimestamps(of other: TrackingRunner?) {
        if let other { lastTimestamp = other.lastTimestamp }
    }

    /// Lets timestamps start over, for a source that was rewound.
    package mutating func restartTimestamps() { lastTimestamp = -.infinity }

    /// Lets the next timestamp be that of `frame` again.
    mutating func rewindTimestamps(to frame: TrackedFrame) { lastTimestamp = frame.timestamp.nextDown }

    /// The time that the tracker took since the last call.
    mutating func takeMilliseconds() -> Double {
        defer { milliseconds = 0 }
        return milliseconds
    }
}
