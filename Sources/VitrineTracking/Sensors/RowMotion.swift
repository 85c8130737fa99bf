import VitrineMath
import VitrineVision

/// The motion of a body around the capture of a frame's middle row: where the body is when the other rows of a rolling shutter are exposed.
///
/// Velocities count as constant in the body's frame under errors of the orientation: the motion turns with the world, which keeps the heading
/// unobservable. Their own errors are negligible: 0.05 m/s over 10 ms move a point at 2 m by a tenth of a pixel.
struct RowMotion: Equatable, Sendable {
    /// rad/s and rad/s² about the body's axes.
    var angularVelocity = Vector3d.zero, angularAcceleration = Vector3d.zero
    /// m/s and m/s² in the world.
    var velocity = Vector3d.zero, acceleration = Vector3d.zero

    /// The pose a time after that of a given one, in seconds.
    @inline(__always) func pose(_ pose: RigidTransform, after delay: Double) -> RigidTransform {
        RigidTransform(
            rotation: pose.rotation * Matrix3d.rotation(angularVelocity * delay + angularAcceleration * (delay * delay / 2)),
            translation: pose.translation + velocity * delay + acceleration * (delay * delay / 2))
    }
}

extension SensorRig {
    /// The exposure of a pixel's row relative to that of the middle row, as a share of the readout time: −0.5…0.5.
    @inline(__always) package func readoutShare(_ pixel: Vector2d) -> Double {
        min(max(pixel.y / Double(max(camera.height, 1)), 0), 1) - 0.5
    }

    /// A reading of the IMU with scale and misalignment corrected, biases not.
    package func corrected(_ sample: InertialSample) -> InertialSample {
        guard gyroscopeCorrection != .identity || accelerometerCorrection != .identity else { return sample }
        return InertialSample(
            time: sample.time, angularVelocity: gyroscopeCorrection * sample.angularVelocity,
            acceleration: accelerometerCorrection * sample.acceleration)
    }
}

extension SensorRig {
    /// The rotation vector of the camera during the readout of a frame, on the camera's axes, by the gyroscope. Zero for a global shutter.
    ///
    /// - Parameters:
    ///   - inertial: Corrected samples.
    ///   - time: The frame's, on the camera's clock.
    ///   - bias: The gyroscope's, rad/s.
    func readoutTurn(_ inertial: InertialBuffer, at time: Double, bias: Vector3d = .zero) -> Vector3d {
        guard readoutTime != 0, let sample = inertial.reading(at: time + timeOffset) else { return .zero }
        return cameraFromBody.rotation * (sample.angularVelocity - bias) * readoutTime
    }
}
