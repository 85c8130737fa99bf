import VitrineVision

/// How far a filter's first state may be off, as standard deviations. What has none, 0, is held for good.
@frozen public struct FilterUncertainty: Equatable, Sendable {
    /// Radians about the two level axes: how well "down" is known.
    public var tilt = 0.02
    /// Radians about the vertical. Nothing ever tells the heading: it stays what it was called, so it is tiny.
    public var heading = 1e-4
    /// Metres. As free as the heading.
    public var position = 1e-4
    /// m/s.
    public var velocity = 0.1
    /// rad/s.
    public var gyroscopeBias = 0.01
    /// m/s².
    public var accelerometerBias = 0.1
    /// Seconds: the camera's clock against the IMU's.
    public var timeOffset = 0.005
    /// Radians, then metres: how the camera sits on the IMU.
    public var extrinsicRotation = 0.005
    public var extrinsicTranslation = 0.005
    /// Pixels.
    public var focal = 1.0
    public var center = 1.0
    /// The lens's four numbers.
    public var lens = SIMD4<Double>(5e-3, 5e-3, 5e-4, 5e-4)
    /// The covariance of orientation (about the world's axes), position, velocity, gyroscope bias, accelerometer bias: 15×15 by rows, in
    /// place of the six numbers above it, where an initialization has worked it out. Empty: those numbers.
    public var covariance: [Double] = []

    public init() {}

    /// For a device whose first state and calibration are exact: what simulations start from.
    public static var exact: FilterUncertainty {
        var result = FilterUncertainty()
        (result.tilt, result.velocity) = (1e-4, 1e-4)
        (result.gyroscopeBias, result.accelerometerBias) = (1e-4, 1e-3)
        return result.calibrated
    }

    /// The same with the calibration held.
    public var calibrated: FilterUncertainty {
        var result = self
        (result.timeOffset, result.extrinsicRotation, result.extrinsicTranslation) = (0, 0, 0)
        (result.focal, result.center, result.lens) = (0, 0, .zero)
        return result
    }
}
