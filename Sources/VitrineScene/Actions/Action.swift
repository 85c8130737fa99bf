import VitrineMath
import VitrineMotion

/// A change of a node over time: moving, rotating, fading, or several of these in sequence or together.
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
/// **Values**: actions change the node's own values (`position`, `orientation`, `scale`, `opacity`). Relative actions (`by`) add to the current
/// values, so that several of them, and the app, can move one node at once. Absolute ones (`to`) interpolate from the value at their
/// start to their target and set it in each step: of several that set one property, the one that was started last wins.
///
/// **Time**: `Scene.advance(by:)` passes time in; there is no clock. When one part of a sequence ends, the rest of the step goes to the
/// next part, so the pose at a time does not depend on the number of steps. A duration of 0 takes effect with the next step of any
/// length. Removing an action leaves the node in its pose. Actions of nodes without a scene pause, and continue in a scene.
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
        /// nil: for ever.
        case repeating(Action, count: Int?)
    }

    let kind: Kind
    /// Seconds at speed 1; of a wait with a range, those in the middle.
    let length: Double
    /// Seconds of the action per second. 0 pauses it; negative values count as 0.
    public var speed = 1.0
    /// The easing of the change. Parts of sequences and groups may have their own beside that of the whole; for endless
    /// repetitions only that of the repeated action counts.
    public var timingMode = UnitCurve.linear
    /// Replaces `timingMode`: maps the share of the time to the share of the change. The value at 1 is the end.
    public var timingFunction: ((Float) -> Float)?

    init(_ kind: Kind, length: Double) {
        self.kind = kind
        self.length = length > 0 ? length : 0
    }

    /// Seconds from start to end; infinite for endless actions.
    public var duration: Double { length == 0 ? 0 : speed > 0 ? length / speed : .infinity }

    /// The share of the change at a share of the time.
    func eased(_ share: Double) -> Float {
        timingFunction.map { $0(Float(share)) } ?? Float(timingMode.value(at: share))
    }

    var isEased: Bool { timingFunction != nil || timingMode != .linear }
}

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

extension Action {
    /// The reverse action. Sequences run from their end, each part reversed; the timing function stays.
    ///
    /// Actions without a known reverse (`move(to:)` and other absolute ones) become a wait of the same duration; closures, and
    /// removal, are their own reverse.
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
    /// nil for absolute changes.
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
