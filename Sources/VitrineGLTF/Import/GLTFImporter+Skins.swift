import VitrineMath
import VitrineScene

/// A skin of the file, its joints by node index.
struct GLTFSkin {
    let json: JSONValue
    let name: String
    let joints: [Int]
    let inverseBindMatrices: [Matrix4]
}

extension GLTFImporter {
    func readSkins() throws(GLTFError) {
        for json in skinList {
            guard let list = try json.array("joints") else { throw json.failure("joints", "is missing") }
            guard list.count > 0 else { throw list.failure("is empty") }
            var joints: [Int] = []
            for index in 0..<list.count { joints.append(try list[index].index(below: nodes.count)) }
            checkRoots(of: joints, skeleton: try json.index("skeleton", below: nodes.count), json)
            let matrices = try inverseBindMatrices(json, count: joints.count)
            skins.append(
                GLTFSkin(json: json, name: try json.string("name") ?? "", joints: joints, inverseBindMatrices: matrices))
        }
        try checkJointIndices()
    }

    private func checkRoots(of joints: [Int], skeleton: Int?, _ json: JSONValue) {
        let first = root(of: joints[0])
        if joints.contains(where: { root(of: $0) != first }) { warn(json, "the joints have no common root") }
        guard let skeleton else { return }
        if joints.contains(where: { !isNode(skeleton, above: $0) }) { warn(json, "skeleton is not above all joints; it was ignored") }
    }

    private func root(of node: Int) -> Int {
        var top = node
        while let parent = nodes[top].parent { top = parent }
        return top
    }

    /// Whether `ancestor` is the node itself or above it.
    private func isNode(_ ancestor: Int, above node: Int) -> Bool {
        var step: Int? = node
        while let current = step {
            if current == ancestor { return true }
            step = nodes[current].parent
        }
        return false
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
        let m = try floats(index)
        let isAffine = (0..<count).allSatisfy { joint in
            m[joint * 16 + 3] == 0 && m[joint * 16 + 7] == 0 && m[joint * 16 + 11] == 0 && m[joint * 16 + 15] == 1
        }
        if !isAffine { warn(accessor.json, "an inverse bind matrix is not affine (last row 0 0 0 1)") }
        return (0..<count).map { joint in
            func column(_ number: Int) -> Vector4 {
                let first = joint * 16 + number * 4
                return Vector4(m[first], m[first + 1], m[first + 2], m[first + 3])
            }
            return Matrix4(column(0), column(1), column(2), column(3))
        }
    }

    /// A joint index beyond the skin would read memory that isn't the skin's.
    private func checkJointIndices() throws(GLTFError) {
        for node in nodes {
            guard let skin = node.skin, let mesh = node.mesh, let greatest = greatestJoints[mesh] else { continue }
            guard greatest < skins[skin].joints.count else {
                throw node.json.failure("skin", "the mesh refers to joint \(greatest), but the skin has \(skins[skin].joints.count)")
            }
        }
    }
}
