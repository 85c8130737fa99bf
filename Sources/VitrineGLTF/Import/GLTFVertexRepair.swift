import VitrineMath
import VitrineScene

/// Checks the vertices of one primitive against the requirements of rendering, and repairs violations with a warning.
struct GLTFVertexRepair {
    private let context: GLTFContext
    private let json: JSONValue

    init(_ context: GLTFContext, _ json: JSONValue) { (self.context, self.json) = (context, json) }

    func repair(_ primitive: inout GLTFPrimitive) throws(GLTFError) {
        dropUnpairedJoints(&primitive.attributes)
        for index in primitive.attributes.indices {
            let attribute = primitive.attributes[index]
            switch attribute.semantic {
            case .normal: checkUnitLength(attribute, "NORMAL")
            case .tangent:
                checkUnitLength(attribute, "TANGENT")
                try checkHandedness(&primitive.attributes[index].values)
            case .color: checkColors(attribute)
            default: break
            }
        }
        try normalizeWeights(&primitive.attributes)
    }

    private func dropUnpairedJoints(_ attributes: inout [VertexAttribute]) {
        var (joints, weights): ([Int], [Int]) = ([], [])
        for attribute in attributes {
            if case .joints(let set) = attribute.semantic { joints.append(set) }
            if case .weights(let set) = attribute.semantic { weights.append(set) }
        }
        guard joints.sorted() != weights.sorted() else { return }
        context.warn(json, "JOINTS and WEIGHTS do not come in pairs; those without a partner were ignored")
        attributes.removeAll { attribute in
            switch attribute.semantic {
            case .joints(let set): !weights.contains(set)
            case .weights(let set): !joints.contains(set)
            default: false
            }
        }
    }

    /// Quantized directions differ from unit length by about 1 %.
    private func checkUnitLength(_ attribute: VertexAttribute, _ name: String) {
        var odd = 0
        attribute.values.withUnsafeBufferPointer { values in
            for first in stride(from: 0, to: values.count, by: attribute.componentCount) {
                let squared = values[first] * values[first] + values[first + 1] * values[first + 1] + values[first + 2] * values[first + 2]
                if !(squared > 0.9 && squared < 1.1) { odd += 1 }
            }
        }
        if odd > 0 { context.warn(json, "\(odd) of \(attribute.vertexCount) \(name) vectors are not of unit length") }
    }

    private func checkHandedness(_ values: inout [Float]) throws(GLTFError) {
        let signs = stride(from: 3, to: values.count, by: 4)
        let odd = signs.reduce(into: 0) { $0 += abs(values[$1]) == 1 ? 0 : 1 }
        guard odd > 0 else { return }
        context.warn(json, "the sign of \(odd) TANGENT vectors was neither 1 nor −1 and was set to the nearest")
        try context.reserve(bytes: values.count * 4, for: json)
        for index in signs where abs(values[index]) != 1 { values[index] = values[index] < 0 ? -1 : 1 }
    }

    private func checkColors(_ attribute: VertexAttribute) {
        let odd = attribute.values.withUnsafeBufferPointer { $0.reduce(into: 0) { $0 += $1 < 0 || $1 > 1 ? 1 : 0 } }
        if odd > 0 { context.warn(json, "\(odd) COLOR values are out of the range 0…1") }
    }

    /// Scales the weights of each vertex to a sum of 1 over all sets, because other sums would move the vertex towards the origin.
    private func normalizeWeights(_ attributes: inout [VertexAttribute]) throws(GLTFError) {
        let indices = attributes.indices.filter { if case .weights = attributes[$0].semantic { true } else { false } }
        guard !indices.isEmpty else { return }
        try context.reserve(bytes: indices.reduce(0) { $0 + attributes[$1].values.count * 4 }, for: json)
        var sets = indices.map { attributes[$0].values }
        let repair = SkinWeights.normalize(&sets)
        if repair.invalid > 0 { context.warn(json, "\(repair.invalid) WEIGHTS are negative and were set to 0") }
        if repair.scaled > 0 { context.warn(json, "the WEIGHTS of \(repair.scaled) vertices did not sum to 1 and were scaled") }
        for (index, values) in zip(indices, sets) where attributes[index].values != values { attributes[index].values = values }
    }
}
