import VitrineMath

/// EXT_mesh_gpu_instancing: one mesh at many places. Each becomes a node below the file's node; the renderer draws them as one batch.
extension GLTFImporter {
    /// nil for a node without instances.
    func instances(_ node: JSONValue) throws(GLTFError) -> [Transform]? {
        guard let json = try node.extension("EXT_mesh_gpu_instancing") else { return nil }
        guard let attributes = try json.object("attributes") else { throw json.failure("attributes", "is missing") }
        if node["mesh"] == nil { warn(json, "has no meaning without a mesh") }
        var transforms: [Transform] = []
        for index in 0..<attributes.count {
            let (name, value) = attributes.member(index)
            let accessor = try value.index(below: accessors.count)
            let count = accessors[accessor].count
            if index == 0 { try makeRoom(count, &transforms, at: json) }
            guard count == transforms.count else { throw value.failure("has \(count) elements, another attribute \(transforms.count)") }
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
            default: warn(value, "the instances' attribute \(name) is not supported and was ignored")
            }
        }
        return transforms
    }

    private func makeRoom(_ count: Int, _ transforms: inout [Transform], at json: JSONValue) throws(GLTFError) {
        guard count <= limits.nodes else { throw limitFailure(json, "more than \(limits.nodes) instances") }
        transforms = Array(repeating: .identity, count: count)
    }

    private func vectors(_ index: Int, shape: GLTFElementShape, at place: JSONValue) throws(GLTFError) -> [Vector4] {
        guard accessors[index].shape == shape else { throw place.failure("the accessor has another shape than the attribute asks for") }
        let (values, width) = (try floats(index), shape.componentCount)
        return stride(from: 0, to: values.count, by: width).map { first in
            Vector4(values[first], values[first + 1], values[first + 2], width == 4 ? values[first + 3] : 0)
        }
    }
}
