import VitrineMath

/// Joints that pull a mesh's vertices along.
public final class Skin {
    public var name: String
    /// Nodes of the same scene.
    public let joints: [Node]
    /// For each joint: its frame from the mesh's, in the pose the mesh was made in.
    public let inverseBindMatrices: [Matrix4]

    /// - Parameter inverseBindMatrices: As many as joints; missing ones are the identity.
    public init(name: String = "", joints: [Node], inverseBindMatrices: [Matrix4] = []) {
        self.name = name
        self.joints = joints
        self.inverseBindMatrices = joints.indices.map { $0 < inverseBindMatrices.count ? inverseBindMatrices[$0] : .identity }
    }

    /// `worldFromBind` of every joint, with the world transforms of the last `Scene.update()`.
    public func jointMatrices() -> [Matrix4] {
        var matrices: [Matrix4] = []
        matrices.reserveCapacity(joints.count)
        for index in joints.indices { matrices.append(joints[index].worldTransform * inverseBindMatrices[index]) }
        return matrices
    }
}
