import VitrineMath

/// A segment of motion in closed form, from time 0 on. Springs and coasting continue after their duration.
enum MotionPath<Value: VectorArithmetic>: Equatable, Sendable {
    case still(Value)
    /// `carried` is the initial velocity minus that of the curve.
    case eased(from: Value, to: Value, curve: UnitCurve, duration: Double, carried: Value)
    case cubic(from: Value, to: Value, startVelocity: Value, endVelocity: Value, duration: Double)
    case spring(from: Value, to: Value, velocity: Value, spring: Spring)
    /// Decelerates to 1/e of the velocity in `timeConstant` seconds.
    case coast(from: Value, velocity: Value, timeConstant: Double)

    /// A timing curve that continues from a value and a velocity without a jump.
    ///
    /// The difference between the velocity and that of the curve at its start is added as D v s (1 − s)², a Hermite polynomial that starts with
    /// velocity v and ends at 0 with velocity 0 after the duration D (s is the fraction of the time). From rest, the curve is unchanged.
    static func eased(
        from start: Value, to end: Value, curve: UnitCurve, duration: Double, takingOver velocity: Value
    ) -> MotionPath {
        guard duration > 0 else { return .still(end) }
        guard velocity != .zero else { return .eased(from: start, to: end, curve: curve, duration: duration, carried: .zero) }
        let slope = curve.velocity(at: 0)
        // A curve that starts vertically has no finite velocity to subtract.
        let own = slope.isFinite ? (end - start).scaled(by: slope / duration) : .zero
        return .eased(from: start, to: end, curve: curve, duration: duration, carried: velocity - own)
    }

    func value(after time: Double) -> Value {
        let time = max(time, 0)
        switch self {
        case .still(let value): return value
        case .eased(let start, let end, let curve, let duration, let carried):
            guard time < duration else { return end }
            let s = time / duration
            return start + (end - start).scaled(by: curve.value(at: s)) + carried.scaled(by: duration * s * (1 - s) * (1 - s))
        case .cubic(let start, let end, let startVelocity, let endVelocity, let duration):
            guard time < duration else { return end }
            let (s, rest) = (time / duration, 1 - time / duration)
            // The Hermite basis.
            return start + (end - start).scaled(by: s * s * (3 - 2 * s)) + startVelocity.scaled(by: duration * s * rest * rest)
                - endVelocity.scaled(by: duration * s * s * rest)
        case .spring(let start, let end, let velocity, let spring):
            return spring.value(from: start, to: end, initialVelocity: velocity, time: time)
        case .coast(let start, let velocity, let timeConstant):
            return start + velocity.scaled(by: timeConstant * (1 - exp(-time / timeConstant)))
        }
    }

    /// Units per second.
    func velocity(after time: Double) -> Value {
        let time = max(time, 0)
        switch self {
        case .still: return .zero
        case .eased(let start, let end, let curve, let duration, let carried):
            guard time <= duration else { return .zero }
            let s = time / duration
            let slope = curve.velocity(at: s)
            return (end - start).scaled(by: (slope.isFinite ? slope : 0) / duration) + carried.scaled(by: (1 - s) * (1 - 3 * s))
        case .cubic(let start, let end, let startVelocity, let endVelocity, let duration):
            guard time <= duration else { return .zero }
            let s = time / duration
            return (end - start).scaled(by: 6 * s * (1 - s) / duration) + startVelocity.scaled(by: (1 - s) * (1 - 3 * s))
                + endVelocity.scaled(by: s * (3 * s - 2))
        case .spring(let start, let end, let velocity, let spring):
            return spring.velocity(target: end - start, initialVelocity: velocity, time: time)
        case .coast(_, let velocity, let timeConstant): return velocity.scaled(by: exp(-time / timeConstant))
        }
    }

    /// Whether the motion has visibly ended: its duration is over, or a spring is within 1/10,000 of its motion (1/1,000 when coasting).
    func isAtRest(after time: Double) -> Bool {
        switch self {
        case .still: return true
        case .eased(_, _, _, let duration, _), .cubic(_, _, _, _, let duration): return time >= duration
        case .spring(let start, let end, let velocity, let spring):
            let swing = 1 / (spring.naturalFrequency * spring.naturalFrequency)
            let atStart = (start - end).magnitudeSquared + velocity.magnitudeSquared * swing
            let now = (value(after: time) - end).magnitudeSquared + self.velocity(after: time).magnitudeSquared * swing
            return now <= atStart * 1e-8
        case .coast(_, let velocity, let timeConstant): return velocity == .zero || time >= 6.9 * timeConstant
        }
    }

    /// The value at the end.
    var end: Value {
        switch self {
        case .still(let value): value
        case .eased(_, let end, _, _, _), .cubic(_, let end, _, _, _), .spring(_, let end, _, _): end
        case .coast(let start, let velocity, let timeConstant): start + velocity.scaled(by: timeConstant)
        }
    }
}
