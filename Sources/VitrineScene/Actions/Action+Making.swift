import VitrineMath

// Durations are seconds; below 0 is taken as 0.

extension Action {
    /// Moves by `delta`, metres in the parent's frame.
    public static func move(by delta: Vector3, duration: Double) -> Action { Action(.change(.moveBy(delta)), length: duration) }

    /// Moves to `position`, metres in the parent's frame. Has no reverse: `reversed()` waits as long.
    public static func move(to position: Vector3, duration: Double) -> Action { Action(.change(.moveTo(position)), length: duration) }

    /// Turns by these angles, radians, about the parent's x, then y, then z axis, all three growing at the same time.
    public static func rotate(byX x: Float, y: Float, z: Float, duration: Double) -> Action {
        Action(.change(.turnBy(.angles(Vector3(x, y, z)), isBackwards: false)), length: duration)
    }

    /// Turns by `angle` about `axis`, a direction in the parent's frame.
    public static func rotate(by angle: Angle, around axis: Vector3, duration: Double) -> Action {
        Action(.change(.turnBy(.axis(axis, angle), isBackwards: false)), length: duration)
    }

    /// Turns until the node's `eulerAngles` are these, radians. Has no reverse: `reversed()` waits as long.
    ///
    /// - Parameter shortestArc: Whether it turns about one axis, the shortest way. If not, each of the three angles goes from where it is
    ///   to its target, which may take whole turns.
    public static func rotate(toX x: Float, y: Float, z: Float, duration: Double, shortestArc: Bool = false) -> Action {
        let angles = Vector3(x, y, z)
        return Action(.change(shortestArc ? .turnTo(Quaternion(eulerAngles: angles)) : .anglesTo(angles)), length: duration)
    }

    /// Turns, the shortest way, until the node is turned by `angle` about `axis`. Has no reverse: `reversed()` waits as long.
    public static func rotate(to angle: Angle, around axis: Vector3, duration: Double) -> Action {
        .rotate(to: Quaternion(angle: angle, axis: axis), duration: duration)
    }

    /// Turns to `orientation` the shortest way. Has no reverse: `reversed()` waits as long.
    public static func rotate(to orientation: Quaternion, duration: Double) -> Action {
        Action(.change(.turnTo(orientation.normalized)), length: duration)
    }

    /// Scales the node by `factor`.
    ///
    /// - Precondition: `factor` is finite and not 0.
    public static func scale(by factor: Float, duration: Double) -> Action {
        precondition(factor.isFinite && factor != 0, "a scale needs a finite factor other than 0")
        return Action(.change(.scaleBy(factor, isBackwards: false)), length: duration)
    }

    /// Brings the scale along all axes to `scale`. Has no reverse: `reversed()` waits as long.
    public static func scale(to scale: Float, duration: Double) -> Action { .scale(to: Vector3(repeating: scale), duration: duration) }

    /// Brings the scale along each axis to `scale`. Has no reverse: `reversed()` waits as long.
    public static func scale(to scale: Vector3, duration: Double) -> Action { Action(.change(.scaleTo(scale)), length: duration) }

    /// Brings the opacity to 1; the reverse is `fadeOut`.
    public static func fadeIn(duration: Double) -> Action { Action(.change(.fadeTo(1, reverse: 0)), length: duration) }

    /// Brings the opacity to 0; the reverse is `fadeIn`.
    public static func fadeOut(duration: Double) -> Action { Action(.change(.fadeTo(0, reverse: 1)), length: duration) }

    /// Brings the opacity to `opacity`, 0…1. Has no reverse: `reversed()` waits as long.
    public static func fadeOpacity(to opacity: Float, duration: Double) -> Action {
        Action(.change(.fadeTo(opacity, reverse: nil)), length: duration)
    }

    /// Changes the opacity by `delta`; the visible opacity is clamped to 0…1.
    public static func fadeOpacity(by delta: Float, duration: Double) -> Action { Action(.change(.fadeBy(delta)), length: duration) }

    /// Hides the node, at once; the reverse is `unhide`.
    public static func hide() -> Action { Action(.setHidden(true), length: 0) }

    /// Shows the node, at once; the reverse is `hide`.
    public static func unhide() -> Action { Action(.setHidden(false), length: 0) }

    /// Removes the node from its parent immediately. Its other actions pause.
    public static func removeFromParentNode() -> Action { Action(.removeFromParent, length: 0) }

    /// One after the other.
    public static func sequence(_ actions: [Action]) -> Action {
        Action(.sequence(actions), length: actions.reduce(0) { $0 + $1.duration })
    }

    /// All at the same time; ends with the longest.
    public static func group(_ actions: [Action]) -> Action {
        Action(.group(actions), length: actions.reduce(0) { max($0, $1.duration) })
    }

    /// `count` times; not at all for 0 and less.
    public static func `repeat`(_ action: Action, count: Int) -> Action {
        let count = max(count, 0)
        return Action(.repeating(action, count: count), length: count == 0 ? 0 : action.duration * Double(count))
    }

    /// Until it is removed. An action that takes no time runs once in every step.
    public static func repeatForever(_ action: Action) -> Action { Action(.repeating(action, count: nil), length: .infinity) }

    /// Does nothing for `duration` seconds, or for a time drawn evenly from `duration ± range / 2`.
    ///
    /// - Parameter seed: The same seed gives the same times, in each run of the action. Each repetition draws another time.
    public static func wait(duration: Double, range: Double = 0, seed: UInt64 = 0) -> Action {
        Action(.wait(range: max(range, 0), seed: seed), length: duration)
    }

    /// Calls `body`, at once. The node is handed over so that the closure need not hold it.
    public static func run(_ body: @escaping (Node) -> Void) -> Action { Action(.call(body), length: 0) }

    /// Calls `body` in every step with the seconds since the start, eased, 0…`duration`; the last time with `duration`.
    public static func customAction(duration: Double, _ body: @escaping (_ node: Node, _ elapsed: Double) -> Void) -> Action {
        Action(.custom(body), length: duration)
    }
}
