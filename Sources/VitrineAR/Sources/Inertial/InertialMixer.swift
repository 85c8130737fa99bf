import VitrineVision

/// A reading of an IMU.
package struct InertialReading: Equatable, Sendable {
    /// The time in nanoseconds on the monotonic clock.
    package var nanoseconds: Int64
    /// The angular velocity in rad/s.
    package var angularVelocity: Vector3d
    /// The specific force in m/s², +9.81 upwards at rest.
    package var acceleration: Vector3d
}

/// Combines a gyroscope and an accelerometer with different sampling times: one reading at each time of the gyroscope, with the acceleration
/// interpolated between the two nearest samples.
struct InertialMixer: Sendable {
    private typealias Stamped = (nanoseconds: Int64, value: Vector3d)
    private var rotations: [Stamped] = []
    private var accelerations: [Stamped] = []

    /// The largest number of samples that wait for the other sensor: more than a second of a fast sensor.
    private static let limit = 4096

    mutating func addRotation(_ value: Vector3d, at nanoseconds: Int64) -> [InertialReading] {
        if rotations.last.map({ nanoseconds > $0.nanoseconds }) ?? true { rotations.append((nanoseconds, value)) }
        return mixed()
    }

    mutating func addAcceleration(_ value: Vector3d, at nanoseconds: Int64) -> [InertialReading] {
        if accelerations.last.map({ nanoseconds > $0.nanoseconds }) ?? true { accelerations.append((nanoseconds, value)) }
        return mixed()
    }

    private mutating func mixed() -> [InertialReading] {
        var (result, done, next): ([InertialReading], Int, Int) = ([], 0, 0)
        for rotation in rotations {
            while next < accelerations.count, accelerations[next].nanoseconds < rotation.nanoseconds { next += 1 }
            guard next < accelerations.count else { break }
            done += 1
            // No acceleration before the first sample.
            guard next > 0 || accelerations[next].nanoseconds == rotation.nanoseconds else { continue }
            result.append(
                InertialReading(
                    nanoseconds: rotation.nanoseconds, angularVelocity: rotation.value,
                    acceleration: acceleration(at: rotation.nanoseconds, next))
            )
        }
        rotations.removeFirst(done)
        if next > 1 { accelerations.removeFirst(next - 1) }
        if rotations.count > Self.limit { rotations.removeFirst(rotations.count - Self.limit) }
        if accelerations.count > Self.limit { accelerations.removeFirst(accelerations.count - Self.limit) }
        return result
    }

    private func acceleration(at nanoseconds: Int64, _ next: Int) -> Vector3d {
        let after = accelerations[next]
        guard next > 0, after.nanoseconds > nanoseconds else { return after.value }
        let before = accelerations[next - 1]
        let part = Double(nanoseconds - before.nanoseconds) / Double(after.nanoseconds - before.nanoseconds)
        return before.value + (after.value - before.value) * part
    }
}
