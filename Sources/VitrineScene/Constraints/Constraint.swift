import VitrineMath

/// A rule for a node's world transform: facing another node, keeping a distance.
///
/// Constraints change the world transform and not the node's own values: `position`, `orientation`, `scale` and `transform` have the values that
/// the app and actions set; `worldTransform` and `presentedTransform` include constraints. Without the constraint, the node returns to its own
/// transform.
///
/// ```swift
/// spot.constraints = [.lookAt(card)]
/// label.constraints = [.billboard(), .distance(1...2, from: card)]
/// label.constraints[0].influence = 0.5
/// ```
///
/// `Scene.update()` applies them after animations and actions: the constraints of a node in their order, each to the result of the one before;
/// targets before the nodes that refer to them. Two nodes that refer to each other are updated in the order in which they were added to the
/// scene. Targets are not retained; a released target counts with its last pose.
public struct Constraint {
    enum Kind {
        case lookAt(NodeReference, offset: Vector3, front: Vector3, worldUp: Vector3?)
        case billboard(BillboardAxes)
        case distance(ClosedRange<Float>, NodeReference)
        case copy(NodeReference, position: Bool, orientation: Bool, scale: Bool)
        case transform(inWorldSpace: Bool, (Node, Matrix4) -> Matrix4)
    }

    var kind: Kind
    /// Weight of the constraint, 0…1: interpolates between the transform without it and with it. Between the two, shear is lost. Default 1.
    public var influence: Float = 1
    /// Whether the constraint applies. Default true.
    public var isEnabled = true

    init(_ kind: Kind) { self.kind = kind }

    /// Rotates the node so that its `localFront` points at `target`.
    ///
    /// - Parameters:
    ///   - offset: The point to face, metres in the target's local frame.
    ///   - localFront: The direction of the node that points to the target; cameras and lights look along −Z.
    ///   - isGimbalLockEnabled: Whether the node stays level: its up (+Y; +Z if the front is along Y) as near to `worldUp` as possible.
    ///     Otherwise it rotates by the shortest arc, and may roll.
    ///   - worldUp: World frame; used with gimbal lock.
    public static func lookAt(
        _ target: Node, offset: Vector3 = .zero, localFront: Vector3 = [0, 0, -1], isGimbalLockEnabled: Bool = false,
        worldUp: Vector3 = .up
    ) -> Constraint {
        Constraint(.lookAt(target.reference, offset: offset, front: localFront, worldUp: isGimbalLockEnabled ? worldUp : nil))
    }

    /// Rotates the node's +Z towards the viewer, perpendicular to the image plane.
    ///
    /// - Parameter axes: The local axes of rotation. All: the node is upright in the image. X and Y: it stays level.
    public static func billboard(_ axes: BillboardAxes = .all) -> Constraint { Constraint(.billboard(axes)) }

    /// Keeps the distance between node and `target` within a range, metres, along the line between the two. A node at the position of the target
    /// moves along its own +Z.
    public static func distance(_ range: ClosedRange<Float>, from target: Node) -> Constraint {
        Constraint(.distance(range, target.reference))
    }

    /// Copies the world position, orientation and scale of another node, or some of them.
    public static func copy(_ target: Node, position: Bool = true, orientation: Bool = true, scale: Bool = true) -> Constraint {
        Constraint(.copy(target.reference, position: position, orientation: orientation, scale: scale))
    }

    /// Replaces the node's transform, in the world or in its parent, by the result of `body`, which is called in every update, also if nothing moved.
    /// A result that is not finite is not used.
    public static func transform(inWorldSpace: Bool = true, _ body: @escaping (_ node: Node, _ transform: Matrix4) -> Matrix4) -> Constraint
    {
        Constraint(.transform(inWorldSpace: inWorldSpace, body))
    }
}

/// The axes about which a billboard rotates.
public struct BillboardAxes: OptionSet, Sendable {
    /// Bits.
    public let rawValue: Int
    /// Makes a set of bits.
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
