import VitrineMath

/// One axis of a `PanController`.
struct PanAxis: Equatable, Sendable {
    struct Rules {
        /// The limits of the offset; nil for none.
        var range: ClosedRange<Float>?
        var band: RubberBand
        var deceleration: Deceleration
        var spring: Spring
        var catchTime: Double

        func clamped(_ value: Float) -> Float { range.map { clamp(value, $0.lowerBound, $0.upperBound) } ?? value }
        func held(_ value: Float) -> Float { range.map { band.hold(value, in: $0) } ?? value }
        func released(_ value: Float) -> Float { range.map { band.release(value, in: $0) } ?? value }
        func slope(_ value: Float) -> Float {
            let over = value - clamped(value)
            return over == 0 ? 1 : band.slope(over)
        }
    }

    private enum State: Equatable, Sendable {
        /// The first path from `start` on, and `turn` seconds later the second.
        case free(MotionPath<Float>, start: Double, turn: Double, MotionPath<Float>)
        /// A pan, before the resistance beyond the limits is applied.
        case held(from: Float, CaughtMotion<Float>, pull: Float)
    }

    private var state = State.free(.still(0), start: 0, turn: .infinity, .still(0))

    func value(at time: Double, _ rules: Rules) -> Float {
        switch state {
        case .free(let first, let start, let turn, let second):
            time - start < turn ? first.value(after: time - start) : second.value(after: time - start - turn)
        case .held(let from, let caught, let pull): rules.held(from + caught.offset(at: time) + pull)
        }
    }

    func velocity(at time: Double, _ rules: Rules) -> Float {
        switch state {
        case .free(let first, let start, let turn, let second):
            time - start < turn ? first.velocity(after: time - start) : second.velocity(after: time - start - turn)
        case .held(let from, let caught, let pull):
            caught.velocity(at: time) * rules.slope(from + caught.offset(at: time) + pull)
        }
    }

    var end: Float {
        switch state {
        case .free(let first, _, let turn, let second): turn == .infinity ? first.end : second.end
        case .held(let from, _, let pull): from + pull
        }
    }

    func isAtRest(at time: Double) -> Bool {
        switch state {
        case .free(let first, let start, let turn, let second):
            turn == .infinity ? first.isAtRest(after: time - start) : second.isAtRest(after: time - start - turn)
        case .held(_, let caught, _): caught.isAtRest(at: time)
        }
    }

    mutating func take(at time: Double, _ rules: Rules) {
        let (shown, velocity) = (value(at: time, rules), velocity(at: time, rules))
        let free = rules.released(shown)
        let caught = CaughtMotion(velocity: velocity / rules.slope(free), time: time, timeConstant: rules.catchTime)
        state = .held(from: free, caught, pull: 0)
    }

    mutating func pull(by way: Float) {
        if case .held(let from, let caught, _) = state { state = .held(from: from, caught, pull: way) }
    }

    mutating func release(at time: Double, hand: Float, _ rules: Rules) {
        guard case .held(let from, let caught, let pull) = state else { return }
        let slope = rules.slope(from + caught.offset(at: time) + pull)
        let (shown, speed) = (value(at: time, rules), velocity(at: time, rules) + hand * slope)
        let inside = rules.clamped(shown)
        if inside != shown {
            let back = MotionPath.spring(from: shown, to: inside, velocity: speed, spring: rules.spring)
            state = .free(back, start: time, turn: .infinity, .still(inside))
        } else {
            state = coast(from: shown, speed, at: time, rules)
        }
    }

    private func coast(from value: Float, _ speed: Float, at time: Double, _ rules: Rules) -> State {
        guard speed != 0 else { return .free(.still(value), start: time, turn: .infinity, .still(value)) }
        let path = MotionPath.coast(from: value, velocity: speed, timeConstant: rules.deceleration.timeConstant)
        let edge = rules.range.map { speed > 0 ? $0.upperBound : $0.lowerBound }
        guard
            let edge,
            let turn = rules.deceleration.time(from: Double(value), velocity: Double(speed), reaching: Double(edge))
        else { return .free(path, start: time, turn: .infinity, .still(value)) }
        let left = rules.deceleration.velocity(from: speed, after: turn)
        return .free(path, start: time, turn: turn, .spring(from: edge, to: edge, velocity: left, spring: rules.spring))
    }

    mutating func glide(to goal: Float, at time: Double, _ rules: Rules) {
        let (shown, velocity, end) = (value(at: time, rules), velocity(at: time, rules), rules.clamped(goal))
        let path = MotionPath.spring(from: shown, to: end, velocity: velocity, spring: Spring(duration: 0.25, bounce: 0))
        state = .free(shown == end && velocity == 0 ? .still(end) : path, start: time, turn: .infinity, .still(end))
    }
}
