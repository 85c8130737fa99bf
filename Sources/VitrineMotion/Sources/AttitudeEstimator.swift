import VitrineMath

/// How a device is held, from its gyroscope and accelerometer.
///
/// The gyroscope's turns are added up; gravity corrects what drifts, slowly (a complementary filter: Mahony, Hamel & Pflimlin, "Nonlinear
/// complementary filters on the special orthogonal group", 2008, without the estimate of the bias). About gravity nothing corrects it: the
/// heading drifts, and begins as 0.
public struct AttitudeEstimator: Equatable, Sendable {
    /// Seconds in which gravity corrects to 1/e.
    public var correctionTime = 1.0
    /// referenceFromDevice: +y of the reference is up.
    public private(set) var attitude = Quaternion.identity
    private var lastTurn: Double?
    private var lastPull: Double?

    public init() {}

    /// - Parameter rate: Radians a second about the device's axes (+x right, +y up, +z out of the screen).
    public mutating func turn(_ rate: Vector3, at time: Double) {
        guard rate.isFinite, time.isFinite else { return }
        defer { lastTurn = time }
        // After a gap nobody knows what it did.
        guard let lastTurn, time > lastTurn, time - lastTurn < 0.5 else { return }
        attitude = (attitude * Quaternion(rotationVector: rate * Float(time - lastTurn))).normalized
    }

    /// - Parameter force: What the accelerometer feels, device axes: at rest 9.81 m/s² *upwards*.
    public mutating func pull(_ force: Vector3, at time: Double) {
        guard force.isFinite, time.isFinite, length(force) > 1 else { return }
        let up = attitude.rotate(normalize(force))
        let correction = Quaternion(from: up, to: .up)
        guard let lastPull else {
            (attitude, self.lastPull) = ((correction * attitude).normalized, time)
            return
        }
        let elapsed = clamp(time - lastPull, 0, 0.5)
        // A hand that shakes feels more or less than gravity: believe it less.
        let trust = max(0, 1 - abs(length(force) / 9.81 - 1) * 2)
        let share = Float(1 - exp(-elapsed / max(correctionTime, 1e-3))) * trust
        attitude = (Quaternion.identity.slerp(to: correction, share) * attitude).normalized
        self.lastPull = max(time, lastPull)
    }
}
