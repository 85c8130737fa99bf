import VitrineMath

/// A value with inertia: after a drag it coasts to a stop, or a spring takes it to a goal.
struct Glide<V: VectorArithmetic>: Equatable, Sendable {
    var value: V
    /// Units per second.
    var velocity: V = .zero
    /// The goal of the spring; nil if the value coasts.
    var goal: V?
    /// The distance from the end below which the motion ends.
    var tolerance: Double

    init(_ value: V, tolerance: Double) {
        self.value = value
        self.tolerance = tolerance
    }

    var isAtRest: Bool { goal == nil && velocity == .zero }

    /// Returns the value at which the motion ends.
    func destination(timeConstant: Double) -> V { goal ?? value + velocity.scaled(by: timeConstant) }

    mutating func stop(at value: V) {
        self.value = value
        stop()
    }

    mutating func stop() {
        velocity = .zero
        goal = nil
    }

    /// Advances the motion.
    ///
    /// - Parameter timeConstant: The time in seconds in which coasting slows to 1/e.
    mutating func advance(by deltaTime: Double, spring: Spring, timeConstant: Double) {
        if let goal {
            spring.update(value: &value, velocity: &velocity, target: goal, deltaTime: deltaTime)
            let swing = velocity.scaled(by: 1 / spring.naturalFrequency)
            if isSmall(value - goal), isSmall(swing) { stop(at: goal) }
        } else if velocity != .zero {
            // The integral of v e^{−t/τ}: the path does not depend on the step size.
            let left = exp(-deltaTime / timeConstant)
            value = value + velocity.scaled(by: timeConstant * (1 - left))
            velocity = velocity.scaled(by: left)
            if isSmall(velocity.scaled(by: timeConstant)) { velocity = .zero }
        }
    }

    private func isSmall(_ difference: V) -> Bool { difference.magnitudeSquared <= tolerance * tolerance }
}

/// Estimates the velocity of a pointer from its moves.
struct VelocityTracker: Equatable, Sendable {
    /// The duration in seconds over which the velocity is averaged, and after which a pointer that does not move has velocity 0.
    private static let window = 0.05

    private var lastTime: Double
    private var pending = Vector2(0, 0)
    private var velocity = Vector2(0, 0)

    init(startingAt time: Double) { lastTime = time }

    mutating func move(by delta: Vector2, at time: Double) {
        pending += delta
        let elapsed = time - lastTime
        // Several moves may have equal or nearly equal time stamps.
        guard elapsed > 1e-5 else { return }
        let weight = Float(1 - exp(-elapsed / VelocityTracker.window))
        velocity += (pending / Float(elapsed) - velocity) * weight
        pending = Vector2(0, 0)
        lastTime = time
    }

    /// Returns the velocity in units per second at a release at `time`.
    func velocity(releasedAt time: Double) -> Vector2 {
        time - lastTime <= VelocityTracker.window ? velocity : Vector2(0, 0)
    }
}
