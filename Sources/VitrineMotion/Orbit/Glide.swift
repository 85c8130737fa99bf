import VitrineMath

/// A value that a hand moves and that then runs on: it coasts to a stop, or springs to a goal.
struct Glide<V: VectorArithmetic>: Equatable, Sendable {
    var value: V
    /// Units a second.
    var velocity: V = .zero
    /// Where a spring takes the value; nil: it coasts.
    var goal: V?
    /// How far from its end the motion counts as ended.
    var tolerance: Double

    init(_ value: V, tolerance: Double) {
        self.value = value
        self.tolerance = tolerance
    }

    var isAtRest: Bool { goal == nil && velocity == .zero }

    /// Where the motion will end.
    func destination(timeConstant: Double) -> V { goal ?? value + velocity.scaled(by: timeConstant) }

    mutating func stop(at value: V) {
        self.value = value
        stop()
    }

    mutating func stop() {
        velocity = .zero
        goal = nil
    }

    /// - Parameter timeConstant: Seconds in which coasting slows to 1/e.
    mutating func advance(by deltaTime: Double, spring: Spring, timeConstant: Double) {
        if let goal {
            spring.update(value: &value, velocity: &velocity, target: goal, deltaTime: deltaTime)
            let swing = velocity.scaled(by: 1 / spring.naturalFrequency)
            if isSmall(value - goal), isSmall(swing) { stop(at: goal) }
        } else if velocity != .zero {
            // The integral of v e^{−t/τ}: the same path in one step or in many.
            let left = exp(-deltaTime / timeConstant)
            value = value + velocity.scaled(by: timeConstant * (1 - left))
            velocity = velocity.scaled(by: left)
            if isSmall(velocity.scaled(by: timeConstant)) { velocity = .zero }
        }
    }

    private func isSmall(_ difference: V) -> Bool { difference.magnitudeSquared <= tolerance * tolerance }
}

/// The speed of a hand, from moves and their times.
struct VelocityTracker: Equatable, Sendable {
    /// Seconds over which the speed is averaged, and after which a hand that holds still has no speed left.
    private static let window = 0.05

    private var lastTime: Double
    private var pending = Vector2(0, 0)
    private var velocity = Vector2(0, 0)

    init(startingAt time: Double) { lastTime = time }

    mutating func move(by delta: Vector2, at time: Double) {
        pending += delta
        let elapsed = time - lastTime
        // Several moves can carry one time stamp, or nearly.
        guard elapsed > 1e-5 else { return }
        let weight = Float(1 - exp(-elapsed / VelocityTracker.window))
        velocity += (pending / Float(elapsed) - velocity) * weight
        pending = Vector2(0, 0)
        lastTime = time
    }

    /// Units a second when the hand lets go at `time`.
    func velocity(releasedAt time: Double) -> Vector2 {
        time - lastTime <= VelocityTracker.window ? velocity : Vector2(0, 0)
    }
}
