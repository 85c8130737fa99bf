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
