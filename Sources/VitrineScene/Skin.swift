import VitrineMath

/// The joints that deform a mesh.
///
/// A skin does not own its joints; their parents or other owners do. So a figure whose skinned node is a joint, or lies below
/// one, goes away like any other. A joint that goes away before its skin leaves its world transform of the last `Scene.update()`, or,
/// if it belonged to no scene, its own transform.
///
/// ```swift
/// let hip = Node(name: "hip")
/// scene.rootNode.addChildNode(hip)                  // the tree keeps the joint
/// body.skin = Skin(joints: [hip])
/// ```
public final class Skin {
    /// For lookups and messages.
    public var name: String
    /// Joints that went away keep their place, so that vertices find theirs by number.
    private let references: [NodeReference]
    /// For each joint: its frame from the mesh's, in the pose the mesh was made in.
    public let inverseBindMatrices: [Matrix4]

    /// Nodes of the same scene; nil for those that are gone.
    public var joints: [Node?] { references.map { $0.node } }

    /// - Parameters:
    ///   - joints: Nodes owned by a scene or another object; the skin does not retain them.
    ///   - inverseBindMatrices: As many as joints; missing ones are the identity.
    public init(name: String = "", joints: [Node], inverseBindMatrices: [Matrix4] = []) {
        self.name = name
        references = joints.map { $0.reference }
        self.inverseBindMatrices = joints.indices.map { $0 < inverseBindMatrices.count ? inverseBindMatrices[$0] : .identity }
    }

    /// The same skin for other joints; nil where none of them is replaced.
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

    /// `worldFromBind` of every joint, with the world transforms of the last `Scene.update()`.
    public func jointMatrices() -> [Matrix4] {
        var matrices: [Matrix4] = []
        matrices.reserveCapacity(references.count)
        for index in references.indices { matrices.append(references[index].worldTransform * inverseBindMatrices[index]) }
        return matrices
    }
}
