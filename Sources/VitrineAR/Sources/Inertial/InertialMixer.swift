import VitrineVision

/// One reading of an IMU, its time in nanoseconds of the monotonic clock.
public struct InertialReading: Equatable, Sendable {
    public var nanoseconds: Int64
    /// rad/s.
    public var angularVelocity: Vector3d
    /// m/s², +9.81 upwards at rest.
    public var acceleration: Vector3d
}

/// Makes one IMU of a gyroscope and an accelerometer that measure at times of their own: a reading at each of the gyroscope's, the acceleration between
/// the two nearest.
struct InertialMixer: Sendable {
    private typealias Stamped = (nanoseconds: Int64, value: Vector3d)
    private var turns: [Stamped] = []
    private var forces: [Stamped] = []

    /// More than a second of a quick sensor: the other one is silent.
    private static let limit = 4096

    mutating func addTurn(_ value: Vector3d, at nanoseconds: Int64) -> [InertialReading] {
        if turns.last.map({ nanoseconds > $0.nanoseconds }) ?? true { turns.append((nanoseconds, value)) }
        return mixed()
    }

    mutating func addForce(_ value: Vector3d, at nanoseconds: Int64) -> [InertialReading] {
        if forces.last.map({ nanoseconds > $0.nanoseconds }) ?? true { forces.append((nanoseconds, value)) }
        return mixed()
    }

    private mutating func mixed() -> [InertialReading] {
        var (result, done, next): ([InertialReading], Int, Int) = ([], 0, 0)
        for turn in turns {
            while next < forces.count, forces[next].nanoseconds < turn.nanoseconds { next += 1 }
            guard next < forces.count else { break }
            done += 1
            // Before the first there is nothing to go by.
            guard next > 0 || forces[next].nanoseconds == turn.nanoseconds else { continue }
            result.append(
                InertialReading(nanoseconds: turn.nanoseconds, angularVelocity: turn.value, acceleration: force(at: turn.nanoseconds, next))
            )
        }
        turns.removeFirst(done)
        if next > 1 { forces.removeFirst(next - 1) }
        if turns.count > Self.limit { turns.removeFirst(turns.count - Self.limit) }
        if forces.count > Self.limit { forces.removeFirst(forces.count - Self.limit) }
        return result
    }

    private func force(at nanoseconds: Int64, _ next: Int) -> Vector3d {
        let after = forces[next]
        guard next > 0, after.nanoseconds > nanoseconds else { return after.value }
        let before = forces[next - 1]
        let part = Double(nanoseconds - before.nanoseconds) / Double(after.nanoseconds - before.nanoseconds)
        return before.value + (after.value - before.value) * part
    }
}
