import VitrineMath

/// A rule that a node follows wherever its own values put it: facing something, keeping a distance.
///
/// Constraints change the world transform and not the node's own values: `position`, `orientation`, `scale` and `transform` are what the
/// program and its actions last said, `worldTransform` and `presentedTransform` are where the node is seen. Take the constraint away, and
/// it is back.
///
/// ```swift
/// spot.constraints = [.lookAt(card)]
/// label.constraints = [.billboard(), .distance(1...2, from: card)]
/// label.constraints[0].influence = 0.5
/// ```
///
/// They are applied by `Scene.update()`, after animations and actions have had their say: of one node in their order, each to the result of
/// the one before; of several nodes so that a target is in its place before who follows it. Two that follow each other are applied in the
/// order in which they came into the scene. Targets are not held; a target that goes away leaves its last place.
public struct Constraint {
    enum Kind {
        case lookAt(NodeReference, offset: Vector3, front: Vector3, worldUp: Vector3?)
        case billboard(BillboardAxes)
        case distance(ClosedRange<Float>, NodeReference)
        case copy(NodeReference, CopiedParts)
        case transform(inWorldSpace: Bool, (Node, Matrix4) -> Matrix4)
    }

    var kind: Kind
    /// 0…1: how far the node is taken from where it would be to where the rule has it. Between the two, shear is lost.
    public var influence: Float = 1
    /// Default true.
    public var isEnabled = true

    init(_ kind: Kind) { self.kind = kind }

    /// Turns the node so that its `localFront` points at `target`.
    ///
    /// - Parameters:
    ///   - offset: The point looked at, metres in the target's own frame.
    ///   - localFront: The direction of the node that is to point there; cameras and lights look along −Z.
    ///   - isGimbalLockEnabled: Whether the node stays level: its own up (+Y; +Z where the front lies along Y) as near to `worldUp` as can be.
    ///     If not, it turns the shortest way from where it is, and rolls as that brings with it.
    ///   - worldUp: Used with gimbal lock.
    public static func lookAt(
        _ target: Node, offset: Vector3 = .zero, localFront: Vector3 = [0, 0, -1], isGimbalLockEnabled: Bool = false,
        worldUp: Vector3 = .up
    ) -> Constraint {
        Constraint(.lookAt(target.reference, offset: offset, front: localFront, worldUp: isGimbalLockEnabled ? worldUp : nil))
    }

    /// Turns the node's +Z towards the viewer, perpendicular to the image plane.
    ///
    /// - Parameter axes: The local axes about which the node may turn. All: it is upright in the image. X and Y: it stays level.
    public static func billboard(_ axes: BillboardAxes = .all) -> Constraint { Constraint(.billboard(axes)) }

    /// Keeps the node between two distances from `target`, metres, on the line between the two. A node at the target's very place goes out
    /// along its own +Z.
    public static func distance(_ range: ClosedRange<Float>, from target: Node) -> Constraint {
        Constraint(.distance(range, target.reference))
    }

    /// Takes over where `target` is in the world, how it is turned, how large it is, or some of these.
    public static func copy(_ target: Node, _ parts: CopiedParts = .all) -> Constraint { Constraint(.copy(target.reference, parts)) }

    /// Replaces the node's transform, in the world or in its parent, by the result of `body`, which is called in every update, also if nothing moved.
    /// A result that is not finite is not used.
    public static func transform(inWorldSpace: Bool = true, _ body: @escaping (_ node: Node, _ transform: Matrix4) -> Matrix4) -> Constraint
    {
        Constraint(.transform(inWorldSpace: inWorldSpace, body))
    }
}

/// The axes of a node about which a billboard may turn.
public struct BillboardAxes: OptionSet, Sendable {
    /// Bits.
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The local x axis.
    public static let x = BillboardAxes(rawValue: 1)
    /// The local y axis.
    public static let y = BillboardAxes(rawValue: 2)
    /// The local z axis.
    public static let z = BillboardAxes(rawValue: 4)
    /// All axes.
    public static let all: BillboardAxes = [.x, .y, .z]
}

/// Parts of a transform.
public struct CopiedParts: OptionSet, Sendable {
    /// Bits.
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The position.
    public static let position = CopiedParts(rawValue: 1)
    /// The orientation.
    public static let orientation = CopiedParts(rawValue: 2)
    /// The scale.
    public static let scale = CopiedParts(rawValue: 4)
    /// Position, orientation and scale.
    public static let all: CopiedParts = [.position, .orientation, .scale]
}
