import VitrineMath

/// Values that are known before an initialization, and their standard deviations.
struct InertialPrior: Sendable {
    /// The bias of the gyroscope in rad/s.
    var gyroscopeBias = Vector3d.zero
    var gyroscopeBiasDeviation = 0.1
    /// The bias of the accelerometer in m/s².
    var accelerometerBias = Vector3d.zero
    var accelerometerBiasDeviation = 0.15
    /// The standard deviation of each entry of the matrices of the IMU's scale and misalignment; 0: they are not estimated.
    var calibrationDeviation = 0.0
    /// The offset between the clocks of camera and IMU in seconds.
    var timeOffset = 0.0
    var timeOffsetDeviation = 0.05
}
