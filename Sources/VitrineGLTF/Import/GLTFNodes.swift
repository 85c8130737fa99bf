import VitrineMath
import VitrineScene

/// A node of the file. `GLTFSceneBuilder` creates a `Node` from it for each scene that contains it.
struct GLTFNode {
    let json: JSONValue
    let name: String
    let children: [Int]
    let placement: Placement
    let mesh, camera, skin, light: Int?
    let weights: [Float]
    /// The transforms from each instance to the node (EXT_mesh_gpu_instancing); nil if the mesh is drawn once, at the node.
    let instances: [Transform]?
    /// The parent; nil for a root.
    var parent: Int?

    enum Placement {
        case transform(Transform)
        case matrix(Matrix4)
    }
}

/// The node hierarchy of a file.
///
/// Invariant: the hierarchy is a forest of limited depth, and every index of a mesh, camera, skin or light is in range.
struct GLTFNodes {
    private let context: GLTFContext
    private let root: GLTFRoot
    private let accessors: GLTFAccessors
    private let meshes: GLTFMeshes
    private var nodes: [GLTFNode] = []

    init(_ root: GLTFRoot, _ accessors: GLTFAccessors, _ meshes: GLTFMeshes, _ context: GLTFContext) throws(GLTFError) {
        (self.root, self.accessors, self.meshes, self.context) = (root, accessors, meshes, context)
        for json in root.nodes { nodes.append(try node(json)) }
        for (index, node) in nodes.enumerated() {
            for child in node.children {
                if let other = nodes[child].parent {
                    throw node.json.failure("children", "node \(child) is already a child of node \(other)")
                }
                nodes[child].parent = index
            }
        }
        try checkCycles()
    }

    var count: Int { nodes.count }
    var isEmpty: Bool { nodes.isEmpty }
    var indices: Range<Int> { nodes.indices }
    subscript(index: Int) -> GLTFNode { nodes[index] }

    /// The nodes without a parent.
    var roots: [Int] { nodes.indices.filter { nodes[$0].parent == nil } }

    /// Returns the topmost ancestor of a node.
    func root(of index: Int) -> Int {
        var top = index
        while let parent = nodes[top].parent { top = parent }
        return top
    }

    /// Returns whether `ancestor` is `index` itself or an ancestor of it.
    func isNode(_ ancestor: Int, above index: Int) -> Bool {
        var step: Int? = index
        while let current = step {
            if current == ancestor { return true }
            step = nodes[current].parent
        }
        return false
    }

    // MARK: Reading

    private func node(_ json: JSONValue) throws(GLTFError) -> GLTFNode {
        var children: [Int] = []
        if let list = try json.array("children") {
            for index in 0..<list.count { children.append(try list[index].index(below: root.nodes.count)) }
        }
        let mesh = try json.index("mesh", below: meshes.count)
        let targetCount = mesh.map { meshes[$0].morphTargetCount } ?? 0
        if mesh == nil, let weights = json["weights"] { context.warn(weights, "has no effect without a mesh") }
        return GLTFNode(
            json: json, name: try json.string("name") ?? "", children: children, placement: try placement(json), mesh: mesh,
            camera: try json.index("camera", below: root.cameras.count), skin: try json.index("skin", below: root.skins.count),
            light: try json.extension("KHR_lights_punctual")?.requireIndex("light", below: root.lights.count),
            weights: mesh == nil ? [] : try meshes.morphWeights(json, targetCount: targetCount) ?? [], instances: try instances(json))
    }

    private func placement(_ json: JSONValue) throws(GLTFError) -> GLTFNode.Placement {
        let hasParts = json["translation"] != nil || json["rotation"] != nil || json["scale"] != nil
        if let m = try json.floats("matrix", count: 16) {
            if hasParts { context.warn(json, "has both a matrix and translation, rotation or scale; the matrix was used") }
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
            if abs(size - 1) > 0.001 { context.warn(json["rotation"] ?? json, "is not a unit quaternion and was normalized") }
            transform.rotation = size > 0 && size.isFinite ? Quaternion(vector: vector / size) : .identity
        }
        return .transform(transform)
    }

    /// Detects cycles: nodes have at most one parent, so that a node that cannot be reached from a root is part of a cycle or below one.
    private func checkCycles() throws(GLTFError) {
        var depths = [Int](repeating: 0, count: nodes.count)
        var queue = roots
        for index in queue { depths[index] = 1 }
        var next = 0
        while next < queue.count {
            let index = queue[next]
            guard depths[index] <= context.limits.nodeDepth else {
                throw context.limitFailure(nodes[index].json, "nodes nested deeper than \(context.limits.nodeDepth)")
            }
            for child in nodes[index].children { depths[child] = depths[index] + 1 }
            queue += nodes[index].children
            next += 1
        }
        if let unreached = depths.firstIndex(of: 0) { throw nodes[unreached].json.failure("the node is part of a cycle or below one") }
    }

    // MARK: Instances

    /// Returns the transforms of a node's instances (EXT_mesh_gpu_instancing); nil for a node without instances.
    private func instances(_ node: JSONValue) throws(GLTFError) -> [Transform]? {
        guard let json = try node.extension("EXT_mesh_gpu_instancing") else { return nil }
        guard let attributes = try json.object("attributes") else { throw json.failure("attributes", "is missing") }
        if node["mesh"] == nil { context.warn(json, "has no effect without a mesh") }
        var transforms: [Transform] = []
        for index in 0..<attributes.count {
            let (name, value) = attributes.member(index)
            let accessor = try value.index(below: accessors.count)
            let count = accessors[accessor].count
            if index == 0 { try allocate(count, &transforms, at: json) }
            guard count == transforms.count else {
                throw value.failure("has \(count) elements, but another attribute has \(transforms.count)")
            }
            switch name {
            case "TRANSLATION":
                for (instance, v) in try vectors(accessor, shape: .vector3, at: value).enumerated() {
                    transforms[instance].translation = v.xyz
                }
            case "SCALE":
                for (instance, v) in try vectors(accessor, shape: .vector3, at: value).enumerated() { transforms[instance].scale = v.xyz }
            case "ROTATION":
                for (instance, v) in try vectors(accessor, shape: .vector4, at: value).enumerated() {
                    let size = length(v)
                    transforms[instance].rotation = size > 0 ? Quaternion(vector: v / size) : .identity
                }
            default: context.warn(value, "the attribute \(name) of instances is not supported and was ignored")
            }
        }
        return transforms
    }

    private func allocate(_ count: Int, _ transforms: inout [Transform], at json: JSONValue) throws(GLTFError) {
        guard count <= context.limits.nodes else { throw context.limitFailure(json, "more than \(context.limits.nodes) instances") }
        transforms = Array(repeating: .identity, count: count)
    }

    private func vectors(_ index: Int, shape: GLTFElementShape, at location: JSONValue) throws(GLTFError) -> [Vector4] {
        guard accessors[index].shape == shape else { throw location.failure("the accessor's type is not valid for this attribute") }
        let (values, width) = (try accessors.floats(index), shape.componentCount)
        return stride(from: 0, to: values.count, by: width).map { first in
            Vector4(values[first], values[first + 1], values[first + 2], width == 4 ? values[first + 3] : 0)
        }
    }
}
