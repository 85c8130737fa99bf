import VitrineMath
import VitrineScene

/// A node of the file. Scenes make `Node`s of it, one for each scene that shows it.
struct GLTFNode {
    let json: JSONValue
    let name: String
    let children: [Int]
    let placement: Placement
    let mesh, camera, skin, light: Int?
    let weights: [Float]
    /// EXT_mesh_gpu_instancing: where the mesh is shown, in the node's frame; nil: once, at the node.
    let instances: [Transform]?
    /// nil: a root.
    var parent: Int?

    enum Placement {
        case transform(Transform)
        case matrix(Matrix4)
    }
}

extension GLTFImporter {
    func readNodes() throws(GLTFError) {
        for json in nodeList { nodes.append(try node(json)) }
        for (index, node) in nodes.enumerated() {
            for child in node.children {
                if let other = nodes[child].parent {
                    throw node.json.failure("children", "node \(child) is a child of node \(other) already")
                }
                nodes[child].parent = index
            }
        }
        try checkLoops()
    }

    private func node(_ json: JSONValue) throws(GLTFError) -> GLTFNode {
        var children: [Int] = []
        if let list = try json.array("children") {
            for index in 0..<list.count { children.append(try list[index].index(below: nodeList.count)) }
        }
        let mesh = try json.index("mesh", below: meshes.count)
        let targetCount = mesh.map { meshes[$0].morphTargetCount } ?? 0
        if mesh == nil, let weights = json["weights"] { warn(weights, "has no meaning without a mesh") }
        return GLTFNode(
            json: json, name: try json.string("name") ?? "", children: children, placement: try placement(json), mesh: mesh,
            camera: try json.index("camera", below: cameras.count), skin: try json.index("skin", below: skinList.count),
            light: try json.extension("KHR_lights_punctual")?.requireIndex("light", below: lights.count),
            weights: mesh == nil ? [] : try morphWeights(json, targetCount: targetCount) ?? [], instances: try instances(json))
    }

    private func placement(_ json: JSONValue) throws(GLTFError) -> GLTFNode.Placement {
        let hasParts = json["translation"] != nil || json["rotation"] != nil || json["scale"] != nil
        if let m = try json.floats("matrix", count: 16) {
            if hasParts { warn(json, "has a matrix and also translation, rotation or scale; the matrix was used") }
            let matrix = Matrix4(
                Vector4(m[0], m[1], m[2], m[3]), Vector4(m[4], m[5], m[6], m[7]), Vector4(m[8], m[9], m[10], m[11]),
                Vector4(m[12], m[13], m[14], m[15]))
            guard m[3] == 0, m[7] == 0, m[11] == 0, m[15] == 1 else { throw json.failure("matrix", "must be affine: last row 0 0 0 1") }
            return .matrix(matrix)
        }
        var transform = Transform.identity
        if let t = try json.floats("translation", count: 3) { transform.translation = Vector3(t[0], t[1], t[2]) }
        if let s = try json.floats("scale", count: 3) { transform.scale = Vector3(s[0], s[1], s[2]) }
        if let r = try json.floats("rotation", count: 4) {
            let vector = Vector4(r[0], r[1], r[2], r[3])
            let size = length(vector)
            if abs(size - 1) > 0.001 { warn(json["rotation"] ?? json, "is no unit quaternion and was normalized") }
            transform.rotation = size > 0 && size.isFinite ? Quaternion(vector: vector / size) : .identity
        }
        return .transform(transform)
    }

    /// With one parent at most, a node that no root leads to hangs below a loop.
    private func checkLoops() throws(GLTFError) {
        var depths = [Int](repeating: 0, count: nodes.count)
        var queue = nodes.indices.filter { nodes[$0].parent == nil }
        for index in queue { depths[index] = 1 }
        var next = 0
        while next < queue.count {
            let index = queue[next]
            guard depths[index] <= limits.nodeDepth else {
                throw GLTFError(
                    file: document.name, place: .property(nodes[index].json.pointer),
                    reason: .limit("nodes nested deeper than \(limits.nodeDepth)"))
            }
            for child in nodes[index].children { depths[child] = depths[index] + 1 }
            queue += nodes[index].children
            next += 1
        }
        if let lost = depths.firstIndex(of: 0) { throw nodes[lost].json.failure("the node is part of a loop, or below one") }
    }
}
