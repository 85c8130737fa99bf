import VitrineMath

/// The joints that deform a mesh.
///
/// A skin does not retain its joints; their parents or other owners do. Therefore a figure whose skinned node is a joint or a descendant of one can
/// be freed. A joint that is freed before its skin keeps its world transform of the last `Scene.update()`, or its transform if it belonged to no
/// scene.
///
/// ```swift
/// let hip = Node(name: "hip")
/// scene.rootNode.addChildNode(hip)                  // the tree keeps the joint
/// body.skin = Skin(joints: [hip])
/// ```
public final class Skin {
    /// The name, for lookups and messages.
    public var name: String
    /// References to the joints. Freed joints keep their index, so that vertices find their joints by index.
    private let references: [NodeReference]
    /// For each joint, the transform from the mesh's frame to the joint's frame in the bind pose.
    public let inverseBindMatrices: [Matrix4]

    /// The joints, nodes of the same scene; nil for those that were freed.
    public var joints: [Node?] { references.map { $0.node } }

    /// Creates a skin.
    ///
    /// - Parameters:
    ///   - joints: Nodes that a scene or another object owns; the skin does not retain them.
    ///   - inverseBindMatrices: One per joint; missing ones are the identity.
    public init(name: String = "", joints: [Node], inverseBindMatrices: [Matrix4] = []) {
        self.name = name
        references = joints.map { $0.reference }
        self.inverseBindMatrices = joints.indices.map { $0 < inverseBindMatrices.count ? inverseBindMatrices[$0] : .identity }
    }

    /// Creates the same skin for other joints; nil if no joint is replaced.
    init?(_ other: Skin, replacingJoints replacement: (Node) -> Node?) {
        var isReplaced = false
        references = other.references.map { reference in
            guard let node = reference.node, let other = replacement(node) else { return reference }
            isReplaced = true
            return other.reference
        }
        guard isReplaced else { return nil }
        name = other.name
        inverseBindMatrices = other.inverseBindMatrices
    }

    /// Returns `worldFromBind` of every joint, with the world transforms of the last `Scene.update()`.
    public func jointMatrices() -> [Matrix4] {
        var matrices: [Matrix4] = []
        matrices.reserveCapacity(references.count)
        for index in references.indices { matrices.append(references[index].worldTransform * inverseBindMatrices[index]) }
        return matrices
    }
}
