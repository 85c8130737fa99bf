import VitrineMath
import VitrineMotion

/// Something that a node does over time: moving, turning, fading, or several of these one after the other or together.
///
/// An action is a description: the same one may run on many nodes, and several times.
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
/// **What is changed** are the node's own values (`position`, `orientation`, `scale`, `opacity`). Relative actions (`by`) add to whatever
/// the values are, so that several of them, and the program, may move one node at once. Absolute ones (`to`) go from the value at their
/// start to their target and set it in each step: of several that set one property, the one that was started last is seen.
///
/// **Time** is given by `Scene.advance(by:)`; nothing has a clock. What is left of a step when one part of a sequence ends goes to the
/// next, so the place at a moment doesn't depend on how many steps led to it. A duration of 0 takes effect with the next step, whatever
/// its length. Actions that are removed leave the node where it is. Nodes that belong to no scene stand still, and go on when they do.
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
    /// Seconds of the action for each second that passes. At 0 it stands still; below is taken as 0.
    public var speed = 1.0
    /// How the way is spread over the time. Parts of sequences and groups may have their own beside that of the whole; what runs for ever
    /// has no end to ease to: there only that of the repeated action counts.
    public var timingMode = UnitCurve.linear
    /// In place of `timingMode`: the share of the way after each share of the time. The end is where it says that 1 is.
    public var timingFunction: ((Float) -> Float)?

    init(_ kind: Kind, length: Double) {
        self.kind = kind
        self.length = length > 0 ? length : 0
    }

    /// Seconds from start to end; infinite where it has none.
    public var duration: Double { length == 0 ? 0 : speed > 0 ? length / speed : .infinity }

    /// The share of the way at a share of the time.
    func eased(_ share: Double) -> Float {
        timingFunction.map { $0(Float(share)) } ?? Float(timingMode.value(at: share))
    }

    var isEased: Bool { timingFunction != nil || timingMode != .linear }
}
