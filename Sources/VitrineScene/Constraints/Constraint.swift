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
    /// The weight of the constraint, 0…1, which interpolates between the transforms without and with it. Intermediate transforms have no shear.
    /// Default 1.
    public var influence: Float = 1
    /// Whether the constraint applies. Default true.
    public var isEnabled = true

    init(_ kind: Kind) { self.kind = kind }

    /// Rotates the node so that its `localFront` points at `target`.
    ///
    /// - Parameters:
    ///   - offset: The point to face, metres in the target's local frame.
    ///   - localFront: The direction of the node that points to the target; cameras and lights look along −Z.
    ///   - isGimbalLockEnabled: Whether the node stays level: its up direction (+Y; +Z if the front is along Y) is as near to `worldUp` as possible.
    ///     Otherwise it rotates by the shortest arc, and may roll.
    ///   - worldUp: The up direction in the world frame; used with gimbal lock.
    public static func lookAt(
        _ target: Node, offset: Vector3 = .zero, localFront: Vector3 = [0, 0, -1], isGimbalLockEnabled: Bool = false,
        worldUp: Vector3 = .up
    ) -> Constraint {
        Constraint(.lookAt(target.reference, offset: offset, front: localFront, worldUp: isGimbalLockEnabled ? worldUp : nil))
    }

    /// Rotates the node's +Z towards the viewer, perpendicular to the image plane.
    ///
    /// - Parameter axes: The local axes of rotation. With all axes, the node is upright in the image; with x and y, it stays level.
    public static func billboard(_ axes: BillboardAxes = .all) -> Constraint { Constraint(.billboard(axes)) }

    /// Keeps the distance between node and `target` within a range in metres, along the line between the two. A node at the position of the target
    /// moves along its own +Z.
    public static func distance(_ range: ClosedRange<Float>, from target: Node) -> Constraint {
        Constraint(.distance(range, target.reference))
    }

    /// Copies the world position, orientation and scale of another node, or some of them.
    public static func copy(_ target: Node, position: Bool = true, orientation: Bool = true, scale: Bool = true) -> Constraint {
        Constraint(.copy(target.reference, position: position, orientation: orientation, scale: scale))
    }

    /// Replaces the node's transform, in the world or in its parent, by the result of `body`, which is called in every update, even if nothing moved.
    /// A result that is not finite is ignored.
    public static func transform(inWorldSpace: Bool = true, _ body: @escaping (_ node: Node, _ transform: Matrix4) -> Matrix4) -> Constraint
    {
        Constraint(.transform(inWorldSpace: inWorldSpace, body))
    }
}

/// The axes about which a billboard rotates.
public struct BillboardAxes: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: Int
    /// Creates a set of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The local x axis.
    public static let x = BillboardAxes(rawValue: 1)
    /// The local y axis.
    public static let y = BillboardAxes(rawValue: 2)
    /// The local z axis.
    public static let z = BillboardAxes(rawValue: 4)
    /// All three axes.
    public static let all: BillboardAxes = [.x, .y, .z]
}

extension Constraint {
    /// Returns the node's world transform with the constraint applied.
    ///
    /// - Parameters:
    ///   - world: The world transform without the constraint.
    ///   - worldFromParent: The world transform of the parent.
    ///   - worldFromCamera: The pose of the camera.
    func applied(to world: Matrix4, of node: Node, worldFromParent: Matrix4, worldFromCamera: Matrix4) -> Matrix4 {
        guard isEnabled, influence > 0 else { return world }
        let ruled = whole(world, node, worldFromParent, worldFromCamera)
        guard influence < 1, ruled != world else { return ruled }
        let (from, to) = (Transform(world), Transform(ruled))
        return Transform(
            translation: mix(from.translation, to.translation, influence), rotation: from.rotation.slerp(to: to.rotation, influence),
            scale: mix(from.scale, to.scale, influence)
        ).matrix
    }

    private func whole(_ world: Matrix4, _ node: Node, _ worldFromParent: Matrix4, _ worldFromCamera: Matrix4) -> Matrix4 {
        switch kind {
        case .lookAt(let target, let offset, let front, let worldUp):
            return world.looking(at: target.worldTransform.transform(point: offset), front: front, worldUp: worldUp)
        case .billboard(let axes): return world.facing(worldFromCamera, axes)
        case .distance(let range, let target): return world.kept(range, from: target.worldTransform.translation)
        case .copy(let target, let position, let orientation, let scale):
            return world.copying(position: position, orientation: orientation, scale: scale, from: target.worldTransform)
        case .transform(let isInWorldSpace, let body):
            let result = isInWorldSpace ? body(node, world) : worldFromParent * body(node, worldFromParent.affineInverse * world)
            return result.isFinite ? result : world
        }
    }

    /// Whether the constraint depends on the camera's pose, and whether it depends on state outside the scene.
    var isBillboard: Bool {
        if case .billboard = kind { return true }
        return false
    }

    var isFree: Bool {
        if case .transform = kind { return true }
        return false
    }

    var target: NodeReference? {
        switch kind {
        case .lookAt(let target, _, _, _), .distance(_, let target), .copy(let target, _, _, _): target
        case .billboard, .transform: nil
        }
    }

    /// Returns the same constraint with another target.
    func retargeted(to target: NodeReference) -> Constraint {
        var result = self
        switch kind {
        case .lookAt(_, let offset, let front, let worldUp): result.kind = .lookAt(target, offset: offset, front: front, worldUp: worldUp)
        case .distance(let range, _): result.kind = .distance(range, target)
        case .copy(_, let position, let orientation, let scale):
            result.kind = .copy(target, position: position, orientation: orientation, scale: scale)
        case .billboard, .transform: break
        }
        return result
    }
}

// The world transforms that constraints produce. Rotations keep scale and shear, which rotate too.
extension Matrix4 {
    fileprivate var isFinite: Bool { (x + y + z + w).isFinite }

    /// Returns the transform rotated about its origin.
    private func turned(by turn: Quaternion) -> Matrix4 { Matrix4(Matrix3(turn) * linear, translation: translation) }

    private var rotation: Quaternion { Transform(self).rotation }

    fileprivate func looking(at point: Vector3, front: Vector3, worldUp: Vector3?) -> Matrix4 {
        let (front, direction) = (normalize(front), normalize(point - translation))
        guard front != .zero, direction != .zero else { return self }
        let rotation = rotation
        let shortest = Quaternion(from: rotation.rotate(front), to: direction)
        guard let worldUp else { return turned(by: shortest) }
        let localUp: Vector3 = abs(front.y) > 0.999 ? [0, 0, 1] : [0, 1, 0]
        // If the direction is vertical, the node keeps its heading.
        guard let ahead = Matrix3(front: direction, up: worldUp) ?? Matrix3(front: direction, up: rotation.rotate(localUp)),
            let own = Matrix3(front: front, up: localUp)
        else { return turned(by: shortest) }
        return turned(by: Quaternion(ahead) * Quaternion(own).inverse * rotation.inverse)
    }

    fileprivate func facing(_ worldFromCamera: Matrix4, _ axes: BillboardAxes) -> Matrix4 {
        let camera = Transform(worldFromCamera).rotation
        let rotation = rotation
        let (back, up) = (camera.rotate([0, 0, 1]), camera.rotate([0, 1, 0]))
        switch axes {
        case .all: return turned(by: camera * rotation.inverse)
        case [.x, .y]:
            guard let wanted = Matrix3(front: back, up: rotation.rotate([0, 1, 0])) else { return self }
            // A frame with its front along Z and its right along X: a node's local frame.
            let own = Matrix3(front: [0, 0, 1], up: [0, 1, 0]) ?? .identity
            return turned(by: Quaternion(wanted) * Quaternion(own).inverse * rotation.inverse)
        default:
            var result = self
            if axes.contains(.x) { result = result.turned(about: [1, 0, 0], bringing: [0, 0, 1], towards: back) }
            if axes.contains(.y) { result = result.turned(about: [0, 1, 0], bringing: [0, 0, 1], towards: back) }
            if axes.contains(.z) { result = result.turned(about: [0, 0, 1], bringing: [0, 1, 0], towards: up) }
            return result
        }
    }

    /// Returns the transform rotated about its local `axis`, so that its local direction `own` is as near to `direction` as possible.
    private func turned(about axis: Vector3, bringing own: Vector3, towards direction: Vector3) -> Matrix4 {
        let rotation = rotation
        let axis = rotation.rotate(axis)
        let flat = direction - axis * dot(axis, direction)
        // The direction is parallel to the axis: every rotation is equally near.
        guard length(flat) > 1e-6 else { return self }
        let now = rotation.rotate(own)
        let goal = normalize(flat)
        let angle = atan2(dot(cross(now, goal), axis), dot(now, goal))
        return turned(by: Quaternion(angle: .radians(angle), axis: axis))
    }

    fileprivate func kept(_ range: ClosedRange<Float>, from center: Vector3) -> Matrix4 {
        let way = translation - center
        let distance = length(way)
        let wanted = clamp(distance, max(range.lowerBound, 0), max(range.upperBound, 0))
        guard wanted != distance else { return self }
        let direction = distance > 0 ? way / distance : rotation.rotate([0, 0, 1])
        return Matrix4(linear, translation: center + direction * wanted)
    }

    fileprivate func copying(position: Bool, orientation: Bool, scale: Bool, from other: Matrix4) -> Matrix4 {
        if position, orientation, scale { return other }
        let translation = position ? other.translation : translation
        guard orientation || scale else { return Matrix4(linear, translation: translation) }
        let (own, copied) = (Transform(self), Transform(other))
        return Transform(
            translation: translation, rotation: orientation ? copied.rotation : own.rotation, scale: scale ? copied.scale : own.scale
        ).matrix
    }
}

extension Matrix3 {
    /// Creates the frame whose last axis is `front` and whose middle axis is as near to `up` as possible; nil if the two are parallel.
    fileprivate init?(front: Vector3, up: Vector3) {
        let side = cross(up, front)
        guard length(side) > 1e-5 * length(up) else { return nil }
        let x = normalize(side)
        self.init(x, cross(front, x), front)
    }
}

extension Node {
    /// The constraints of the node, in the order in which they are applied. Empty by default.
    public var constraints: [Constraint] {
        get { behavior?.constraints ?? [] }
        set {
            guard behavior != nil || !newValue.isEmpty else { return }
            makeBehavior().constraints = newValue
            store?.setConstrained(!newValue.isEmpty, at: slot)
        }
    }

    /// The node's transform in its parent with constraints applied: `parentFromLocal`.
    public var presentedTransform: Matrix4 {
        guard let store, store.mayHaveConstraints else { return parentFromLocal }
        let world = worldTransform
        return parent.map { $0.worldTransform.affineInverse * world } ?? world
    }
}
