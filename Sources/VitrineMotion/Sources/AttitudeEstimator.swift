import VitrineMath

/// Estimates the attitude of a device from its gyroscope and accelerometer.
///
/// Integrates the rotation rate and slowly corrects the drift with the direction of gravity: a complementary filter (Mahony, Hamel & Pflimlin,
/// "Nonlinear complementary filters on the special orthogonal group", 2008, without bias estimation). The heading starts at 0 and drifts.
package struct AttitudeEstimator: Equatable, Sendable {
    /// The time constant of the correction by gravity, in seconds.
    private let correctionTime = 1.0
    /// The rotation from the device's axes to the reference's (`referenceFromDevice`); +y of the reference is up.
    package private(set) var attitude = Quaternion.identity
    private var lastRotation: Double?
    private var lastAcceleration: Double?

    package init() {}

    /// Adds a gyroscope sample.
    ///
    /// - Parameter rate: The rotation rate in radians per second about the device's axes (+x right, +y up, +z out of the screen).
    package mutating func addRotationRate(_ rate: Vector3, at time: Double) {
        guard rate.isFinite, time.isFinite else { return }
        defer { lastRotation = time }
        // The rotation during a gap is unknown.
        guard let lastRotation, time > lastRotation, time - lastRotation < 0.5 else { return }
        attitude = (attitude * Quaternion(rotationVector: rate * Float(time - lastRotation))).normalized
    }

    /// Adds an accelerometer sample.
    ///
    /// - Parameter force: The specific force in device axes, m/s²: at rest 9.81 *upwards*.
    package mutating func addAcceleration(_ force: Vector3, at time: Double) {
        guard force.isFinite, time.isFinite, length(force) > 1 else { return }
        let up = attitude.rotate(normalize(force))
        let correction = Quaternion(from: up, to: .up)
        guard let lastAcceleration else {
            (attitude, self.lastAcceleration) = ((correction * attitude).normalized, time)
            return
        }
        let elapsed = clamp(time - lastAcceleration, 0, 0.5)
        // A force that differs from gravity contains motion and gets less weight.
        let weight = max(0, 1 - abs(length(force) / 9.81 - 1) * 2)
        let share = Float(1 - exp(-elapsed / max(correctionTime, 1e-3))) * weight
        attitude = (Quaternion.identity.slerp(to: correction, share) * attitude).normalized
        self.lastAcceleration = max(time, lastAcceleration)
    }
}
