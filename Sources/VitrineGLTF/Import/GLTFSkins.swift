import VitrineMath
import VitrineScene

/// A skin of the file, with its joints as node indices.
struct GLTFSkin {
    let json: JSONValue
    let name: String
    let joints: [Int]
    let inverseBindMatrices: [Matrix4]
}

/// The skins of a file. Invariant: every joint is a node, and no mesh refers to a joint that its skin does not have.
struct GLTFSkins {
    private let context: GLTFContext
    private let accessors: GLTFAccessors
    private let nodes: GLTFNodes
    private var skins: [GLTFSkin] = []

    init(
        _ root: GLTFRoot, _ accessors: GLTFAccessors, _ meshes: GLTFMeshes, _ nodes: GLTFNodes, _ context: GLTFContext
    ) throws(GLTFError) {
        (self.accessors, self.nodes, self.context) = (accessors, nodes, context)
        for json in root.skins { skins.append(try skin(json)) }
        try checkJointIndices(meshes)
    }

    var count: Int { skins.count }
    subscript(index: Int) -> GLTFSkin { skins[index] }

    private func skin(_ json: JSONValue) throws(GLTFError) -> GLTFSkin {
        guard let list = try json.array("joints") else { throw json.failure("joints", "is missing") }
        guard list.count > 0 else { throw list.failure("is empty") }
        var joints: [Int] = []
        for index in 0..<list.count { joints.append(try list[index].index(below: nodes.count)) }
        checkRoots(of: joints, skeleton: try json.index("skeleton", below: nodes.count), json)
        let matrices = try inverseBindMatrices(json, count: joints.count)
        return GLTFSkin(json: json, name: try json.string("name") ?? "", joints: joints, inverseBindMatrices: matrices)
    }

    private func checkRoots(of joints: [Int], skeleton: Int?, _ json: JSONValue) {
        // A joint may be listed any number of times.
        let joints = Set(joints)
        guard let first = joints.first.map({ nodes.root(of: $0) }) else { return }
        if joints.contains(where: { nodes.root(of: $0) != first }) { context.warn(json, "the joints have no common root") }
        guard let skeleton else { return }
        if joints.contains(where: { !nodes.isNode(skeleton, above: $0) }) {
            context.warn(json, "skeleton is not an ancestor of all joints and was ignored")
        }
    }

    private func inverseBindMatrices(_ json: JSONValue, count: Int) throws(GLTFError) -> [Matrix4] {
        guard let index = try json.index("inverseBindMatrices", below: accessors.count) else { return [] }
        let accessor = accessors[index]
        guard accessor.shape == .matrix4, accessor.type == .float32 else {
            throw json.failure("inverseBindMatrices", "the accessor must be MAT4 of floats")
        }
        guard accessor.count >= count else {
            throw json.failure("inverseBindMatrices", "\(accessor.count) matrices for \(count) joints")
        }
        let m = try accessors.floats(index)
        let isAffine = (0..<count).allSatisfy { joint in
            m[joint * 16 + 3] == 0 && m[joint * 16 + 7] == 0 && m[joint * 16 + 11] == 0 && m[joint * 16 + 15] == 1
        }
        if !isAffine { context.warn(accessor.json, "an inverse bind matrix is not affine (last row 0 0 0 1)") }
        return (0..<count).map { joint in
            func column(_ number: Int) -> Vector4 {
                let first = joint * 16 + number * 4
                return Vector4(m[first], m[first + 1], m[first + 2], m[first + 3])
            }
            return Matrix4(column(0), column(1), column(2), column(3))
        }
    }

    /// Rejects joint indices out of range, with which drawing would read other memory.
    private func checkJointIndices(_ meshes: GLTFMeshes) throws(GLTFError) {
        for index in nodes.indices {
            let node = nodes[index]
            guard let skin = node.skin, let mesh = node.mesh, let greatest = meshes.greatestJoint(of: mesh) else { continue }
            guard greatest < skins[skin].joints.count else {
                throw node.json.failure("skin", "the mesh refers to joint \(greatest), but the skin has \(skins[skin].joints.count)")
            }
        }
    }
}
