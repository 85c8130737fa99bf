import VitrineMath
import VitrineVision

/// Begins a track in motion: from a second or two of features and inertial samples to pose, velocity, gravity, biases and scale, or a reason
/// why not.
///
/// The gyroscope's bias and the camera's clock come first (``RotationAlignment``), then velocity, gravity and points in one linear system
/// (``LinearAlignment``), then all together (``WindowAdjustment``). What comes out is believed only where everything fits: left free, gravity
/// has its magnitude; features and IMU have small residuals; and the scale's own standard deviation is small.
struct DynamicInitializer: Sendable {
    struct Settings: Equatable, Sendable {
        /// Seconds of the window, at most and at least.
        var longest = 2.4
        var shortest = 0.9
        /// Frames of the window that are used for the adjustment.
        var frames = 12
        var leastFeatures = 20
        var mostFeatures = 50
        /// Standard deviation of a feature in pixels, as it is taken to be at first. What is left over tells the true one: at least the second
        /// number, since errors of neighbouring pictures are alike; a window with more than the third is refused.
        var pixelNoise = 1.0
        var leastNoise = 0.5
        var mostNoise = 1.6
        /// How far features must move, the turn taken out, from the window's first frame to its last: the median in radians.
        var leastParallax = 0.015
        /// How far from the true one a free gravity may be, as a share of it.
        var gravityTolerance = 0.15
        /// The scale's standard deviation, as a share of it, at most: of a window that may still grow, and of the longest.
        var scaleDeviation = 0.04
        var lastScaleDeviation = 0.08
        /// Of the points, the share that has to fit.
        var share = 0.6
        /// Seconds without a sample.
        var longestGap = 0.06
        /// m/s².
        var gravity = 9.81
    }

    /// What is believed before: standard deviations of the gyroscope's bias (rad/s), the accelerometer's (m/s²) and the clock's offset.
    struct Belief: Sendable {
        var gyroscopeBias = Vector3d.zero
        var gyroscopeBiasDeviation = 0.1
        var accelerometerBias = Vector3d.zero
        var accelerometerBiasDeviation = 0.15
        var timeOffset = 0.0
        var timeOffsetDeviation = 0.05
    }

    var settings = Settings()

    func start(
        _ window: InitializationWindow, _ inertial: InertialBuffer, rig: SensorRig, belief: Belief
    ) throws(InitializationFailure) -> StartEstimate {
        try judged(solved(window, inertial, rig: rig, belief: belief))
    }

    /// What fits best, whether or not it is to be believed.
    func solved(
        _ window: InitializationWindow, _ inertial: InertialBuffer, rig: SensorRig, belief: Belief
    ) throws(InitializationFailure) -> Solved {
        let input = try input(window, inertial, rig, belief)
        let aligned = try align(window, inertial, rig, belief)
        return try adjusted(input, aligned.gyroscopeBias, aligned.timeOffset)
    }

    /// What is worth the work: the cheap reasons against it.
    private func input(
        _ window: InitializationWindow, _ inertial: InertialBuffer, _ rig: SensorRig, _ belief: Belief
    ) throws(InitializationFailure) -> Input {
        let frames = window.spread(settings.frames)
        guard window.duration >= settings.shortest, frames.count >= 6 else { throw .tooShort }
        let tracks = InitializationWindow.tracks(frames, sights: 4, limit: settings.mostFeatures)
        guard tracks.count >= settings.leastFeatures else { throw .tooFewFeatures }
        // What hasn't moved in the picture hasn't travelled, whatever the gyroscope says.
        let moved = tracks.map { length($0.sights[$0.sights.count - 1].normalized - $0.sights[0].normalized) }.sorted()
        guard moved[moved.count / 2] >= settings.leastParallax / 2 else { throw .tooLittleTravel }
        return Input(frames: frames, tracks: tracks, inertial: inertial, rig: rig, belief: belief)
    }
}
