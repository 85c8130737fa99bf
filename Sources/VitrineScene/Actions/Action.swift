import VitrineMath
import VitrineMotion

/// A change of a node over time: a movement, a rotation, a fade, or several of them in sequence or in parallel.
///
/// An action is a description: it can run on many nodes, and several times.
///
/// ```swift
/// let turn = Action.repeatForever(.rotate(byX: 0, y: 2, z: 0, duration: 1))        // two radians a second
/// card.runAction(turn, forKey: "turn")
/// var rise = Action.move(by: [0, 0.2, 0], duration: 0.4)
/// rise.timingMode = .easeInOut
/// card.runAction(.sequence([rise, .wait(duration: 1), rise.reversed()])) { print("down again") }
/// scene.advance(by: 1 / 60)                                                        // a `SceneView` does this itself
/// ```
///
/// **Values**: Actions change the node's properties (`position`, `orientation`, `scale`, `opacity`). Relative actions (`by`) add to the current
/// values, so that several actions and the app can change one node at the same time. Absolute actions (`to`) interpolate from the value at their
/// start to their target and set it in each step. If several absolute actions set the same property, the one that was started last takes effect.
///
/// **Time**: Actions have no clock; `Scene.advance(by:)` advances them. When a part of a sequence ends, the next part gets the rest of the
/// step, so the pose at a time does not depend on the number of steps. A duration of 0 takes effect with the next step of any length.
/// Removing an action leaves the node in its current pose. Actions of a node that is in no scene pause, and continue in a scene.
public struct Action {
    indirect enum Kind {
        case change(NodeChange)
        case wait(range: Double, seed: UInt64)
        case setHidden(Bool)
        case removeFromParent
        case call((Node) -> Void)
        case custom((Node, Double) -> Void)
        case sequence([Action])
        case group([Action])
        /// Repeats the action; a `count` of nil means forever.
        case repeating(Action, count: Int?)
    }

    let kind: Kind
    /// The duration in seconds at speed 1; for a wait with a range, the centre of the range.
    let length: Double
    /// The factor on the speed of the action. 0 pauses it; negative values count as 0.
    public var speed = 1.0
    /// The easing of the change. Parts of sequences and groups may have their own easing in addition to that of the whole. Endless repetitions use
    /// only the easing of the repeated action.
    public var timingMode = UnitCurve.linear
    /// A custom easing that replaces `timingMode`: maps the fraction of the duration to the fraction of the change. Its value at 1 is the end.
    public var timingFunction: ((Float) -> Float)?

    init(_ kind: Kind, length: Double) {
        self.kind = kind
        self.length = length > 0 ? length : 0
    }

    /// The time in seconds from start to end; infinite for endless actions.
    public var duration: Double { length == 0 ? 0 : speed > 0 ? length / speed : .infinity }

    /// Returns the fraction of the change at a fraction of the duration.
    func eased(_ share: Double) -> Float {
        timingFunction.map { $0(Float(share)) } ?? Float(timingMode.value(at: share))
    }

    var isEased: Bool { timingFunction != nil || timingMode != .linear }
}

// Durations are in seconds; negative durations count as 0.

extension Action {
    /// Moves the node by `delta`, in metres in the parent's frame.
    public static func move(by delta: Vector3, duration: Double) -> Action { Action(.change(.moveBy(delta)), length: duration) }

    /// Moves the node to `position`, in metres in the parent's frame. Not reversible: `reversed()` waits for the same duration.
    public static func move(to position: Vector3, duration: Double) -> Action { Action(.change(.moveTo(position)), length: duration) }

    /// Rotates the node by these angles in radians about the parent's x, then y, then z axis. All three angles grow at the same time.
    public static func rotate(byX x: Float, y: Float, z: Float, duration: Double) -> Action {
        Action(.change(.turnBy(.angles(Vector3(x, y, z)), isBackwards: false)), length: duration)
    }

    /// Rotates the node by `angle` about `axis`, a direction in the parent's frame.
    public static func rotate(by angle: Angle, around axis: Vector3, duration: Double) -> Action {
        Action(.change(.turnBy(.axis(axis, angle), isBackwards: false)), length: duration)
    }

    /// Rotates the node until its `eulerAngles` have these values in radians. Not reversible: `reversed()` waits for the same duration.
    ///
    /// - Parameter shortestArc: Whether to rotate about one axis by the smallest angle. Otherwise each of the three angles changes from its current
    ///   value to its target, which may include whole turns.
    public static func rotate(toX x: Float, y: Float, z: Float, duration: Double, shortestArc: Bool = false) -> Action {
        let angles = Vector3(x, y, z)
        return Action(.change(shortestArc ? .turnTo(Quaternion(eulerAngles: angles)) : .anglesTo(angles)), length: duration)
    }

    /// Rotates the node by the smallest angle to the rotation by `angle` about `axis`. Not reversible: `reversed()` waits for the same duration.
    public static func rotate(to angle: Angle, around axis: Vector3, duration: Double) -> Action {
        .rotate(to: Quaternion(angle: angle, axis: axis), duration: duration)
    }

    /// Rotates the node by the smallest angle to `orientation`. Not reversible: `reversed()` waits for the same duration.
    public static func rotate(to orientation: Quaternion, duration: Double) -> Action {
        Action(.change(.turnTo(orientation.normalized)), length: duration)
    }

    /// Multiplies the node's scale by `factor`.
    ///
    /// - Precondition: `factor` is finite and not 0.
    public static func scale(by factor: Float, duration: Double) -> Action {
        precondition(factor.isFinite && factor != 0, "a scale needs a finite factor other than 0")
        return Action(.change(.scaleBy(factor, isBackwards: false)), length: duration)
    }

    /// Changes the scale along all axes to `scale`. Not reversible: `reversed()` waits for the same duration.
    public static func scale(to scale: Float, duration: Double) -> Action { .scale(to: Vector3(repeating: scale), duration: duration) }

    /// Changes the scale along each axis to `scale`. Not reversible: `reversed()` waits for the same duration.
    public static func scale(to scale: Vector3, duration: Double) -> Action { Action(.change(.scaleTo(scale)), length: duration) }

    /// Changes the opacity to 1; the reverse is `fadeOut`.
    public static func fadeIn(duration: Double) -> Action { Action(.change(.fadeTo(1, reverse: 0)), length: duration) }

    /// Changes the opacity to 0; the reverse is `fadeIn`.
    public static func fadeOut(duration: Double) -> Action { Action(.change(.fadeTo(0, reverse: 1)), length: duration) }

    /// Changes the opacity to `opacity`, 0…1. Not reversible: `reversed()` waits for the same duration.
    public static func fadeOpacity(to opacity: Float, duration: Double) -> Action {
        Action(.change(.fadeTo(opacity, reverse: nil)), length: duration)
    }

    /// Changes the opacity by `delta`; the visible opacity is clamped to 0…1.
    public static func fadeOpacity(by delta: Float, duration: Double) -> Action { Action(.change(.fadeBy(delta)), length: duration) }

    /// Hides the node immediately; the reverse is `unhide`.
    public static func hide() -> Action { Action(.setHidden(true), length: 0) }

    /// Shows the node immediately; the reverse is `hide`.
    public static func unhide() -> Action { Action(.setHidden(false), length: 0) }

    /// Removes the node from its parent immediately. Its other actions pause.
    public static func removeFromParentNode() -> Action { Action(.removeFromParent, length: 0) }

    /// Runs the actions one after the other.
    public static func sequence(_ actions: [Action]) -> Action {
        Action(.sequence(actions), length: actions.reduce(0) { $0 + $1.duration })
    }

    /// Runs the actions at the same time; the group ends with the longest one.
    public static func group(_ actions: [Action]) -> Action {
        Action(.group(actions), length: actions.reduce(0) { max($0, $1.duration) })
    }

    /// Runs the action `count` times; not at all if `count` is 0 or negative.
    public static func `repeat`(_ action: Action, count: Int) -> Action {
        let count = max(count, 0)
        return Action(.repeating(action, count: count), length: count == 0 ? 0 : action.duration * Double(count))
    }

    /// Runs the action again and again until it is removed. An action of duration 0 runs once in every step.
    public static func repeatForever(_ action: Action) -> Action { Action(.repeating(action, count: nil), length: .infinity) }

    /// Waits for `duration` seconds, or for a time drawn uniformly from `duration ± range / 2`.
    ///
    /// - Parameter seed: The seed of the random times. The same seed gives the same times in each run of the action. Each repetition draws another time.
    public static func wait(duration: Double, range: Double = 0, seed: UInt64 = 0) -> Action {
        Action(.wait(range: max(range, 0), seed: seed), length: duration)
    }

    /// Calls `body` immediately. `body` receives the node, so that the closure need not capture it.
    public static func run(_ body: @escaping (Node) -> Void) -> Action { Action(.call(body), length: 0) }

    /// Calls `body` in every step with the eased time since the start, 0…`duration` seconds; the last call has `duration`.
    public static func customAction(duration: Double, _ body: @escaping (_ node: Node, _ elapsed: Double) -> Void) -> Action {
        Action(.custom(body), length: duration)
    }
}

extension Action {
    /// Returns the reverse action. A sequence runs backwards with each part reversed; the timing function is unchanged.
    ///
    /// Actions that are not reversible (`move(to:)` and other absolute ones) become a wait of the same duration. Closures and removals are their own
    /// reverse.
    public func reversed() -> Action {
        var result = Action(kind.reversed, length: length)
        (result.speed, result.timingMode, result.timingFunction) = (speed, timingMode, timingFunction)
        return result
    }
}

extension Action.Kind {
    fileprivate var reversed: Action.Kind {
        switch self {
        case .change(let change): change.reversed.map { .change($0) } ?? .wait(range: 0, seed: 0)
        case .setHidden(let isHidden): .setHidden(!isHidden)
        case .sequence(let actions): .sequence(actions.reversed().map { $0.reversed() })
        case .group(let actions): .group(actions.map { $0.reversed() })
        case .repeating(let action, let count): .repeating(action.reversed(), count: count)
        case .wait, .removeFromParent, .call, .custom: self
        }
    }
}

extension NodeChange {
    /// The reverse change; nil for absolute changes.
    fileprivate var reversed: NodeChange? {
        switch self {
        case .moveBy(let delta): .moveBy(-delta)
        case .turnBy(let turn, let isBackwards): .turnBy(turn, isBackwards: !isBackwards)
        case .scaleBy(let factor, let isBackwards): .scaleBy(factor, isBackwards: !isBackwards)
        case .fadeBy(let delta): .fadeBy(-delta)
        case .fadeTo(let opacity, let reverse?): .fadeTo(reverse, reverse: opacity)
        case .moveTo, .turnTo, .anglesTo, .scaleTo, .fadeTo(_, reverse: nil): nil
        }
    }
}
