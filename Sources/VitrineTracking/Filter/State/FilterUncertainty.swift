import VitrineVision

/// Standard deviations of a filter's initial state and calibration. A value of 0 fixes a parameter.
package struct FilterUncertainty: Equatable, Sendable {
    /// The standard deviation of the tilt, in radians about each of the two horizontal axes.
    package var tilt = 0.02
    /// The standard deviation of the heading, in radians about the vertical axis. The heading is unobservable and defined by the initial
    /// state.
    package var heading = 1e-4
    /// The standard deviation of the position in metres. The position is unobservable and defined by the initial state.
    package var position = 1e-4
    /// The standard deviation of the velocity in m/s.
    package var velocity = 0.1
    /// The standard deviation of the gyroscope's bias in rad/s.
    package var gyroscopeBias = 0.01
    /// The standard deviation of the accelerometer's bias in m/s².
    package var accelerometerBias = 0.1
    /// Offset between the camera's and the IMU's clock in seconds.
    package var timeOffset = 0.005
    /// Each entry of the matrices of the IMU's scale and misalignment.
    package var inertialCalibration = 0.01
    /// Pose of the camera on the IMU: radians and metres.
    package var extrinsicRotation = 0.005
    package var extrinsicTranslation = 0.005
    /// Focal lengths and principal point in pixels.
    package var focal = 1.0
    package var center = 1.0
    /// The four distortion coefficients.
    package var distortion = SIMD4<Double>(5e-3, 5e-3, 5e-4, 5e-4)
    /// The rotation of the second camera of a stereo pair in radians: see ``MeasuredDepth/turnSlope``.
    package var secondTurn = MeasuredDepth.turnDeviation
    /// The covariance of orientation (about the world's axes), position, velocity, gyroscope bias and accelerometer bias: 15×15 in row order.
    /// Replaces the first six values unless empty.
    package var covariance: [Double] = []
    /// The derivatives of the same 15 values by the 18 entries of the matrices of the gyroscope and the accelerometer, column by column: 15×18 in
    /// row order. Empty: those of a state that was determined at rest.
    package var stateByCalibration: [Double] = []
    /// An estimate of scale and misalignment of the IMU, together with that of the 15 values; nil: none, with the deviations above.
    package var calibration: InertialCalibration?

    package init() {}

    /// The uncertainty of an exact initial state and calibration, as in simulations.
    package static var exact: FilterUncertainty {
        var result = FilterUncertainty()
        (result.tilt, result.velocity) = (1e-4, 1e-4)
        (result.gyroscopeBias, result.accelerometerBias) = (1e-4, 1e-3)
        return result.calibrated
    }

    /// The same with a fixed calibration.
    package var calibrated: FilterUncertainty {
        var result = self
        (result.timeOffset, result.extrinsicRotation, result.extrinsicTranslation, result.secondTurn) = (0, 0, 0, 0)
        (result.focal, result.center, result.distortion, result.inertialCalibration) = (0, 0, .zero, 0)
        return result
    }
}

/// An estimate of the matrices of the IMU's scale and misalignment, which are added to the identity.
package struct InertialCalibration: Equatable, Sendable {
    /// The 18 entries of the gyroscope's and the accelerometer's matrix, column by column.
    package var entries: [Double]
    /// Their covariance, 18×18 in row order.
    package var covariance: [Double]
    /// The covariance of the 15 values of the state with them, 15×18 in row order.
    package var cross: [Double]
}
