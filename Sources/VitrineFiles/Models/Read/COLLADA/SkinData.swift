import VitrineMath
import VitrineScene

/// A `<skin>` as numbers.
struct SkinData {
    let element: XMLElement
    let jointNames: [String]
    /// Whether joints are named by id, not by sid.
    let namesAreIDs: Bool
    let inverseBindMatrices: [Matrix4]
    let bindShape: Matrix4
    /// By position: at most four joints and their weights, which sum to 1.
    let joints, weights: [Vector4]

    /// The streams for vertices with these positions.
    func attributes(_ positions: [Int32]) -> [VertexAttribute] {
        var (numbers, shares): ([Float], [Float]) = ([], [])
        numbers.reserveCapacity(positions.count * 4)
        shares.reserveCapacity(positions.count * 4)
        for position in positions {
            let isThere = Int(position) < joints.count
            let (joint, weight) =
                isThere ? (joints[Int(position)], weights[Int(position)]) : (Vector4(unbound, 0, 0, 0), Vector4(1, 0, 0, 0))
            for index in 0..<4 {
                numbers.append(joint[index])
                shares.append(weight[index])
            }
        }
        return [
            VertexAttribute(.joints(set: 0), componentCount: 4, values: numbers),
            VertexAttribute(.weights(set: 0), componentCount: 4, values: shares),
        ]
    }

    /// The joint that stands for the mesh's own node: of positions without joints.
    private var unbound: Float { Float(jointNames.count) }
}

extension COLLADAReader {
    func skin(_ element: XMLElement) throws(ModelFileError) -> SkinData {
        if let known = skins[element] { return known }
        let data = try readSkin(element)
        skins[element] = data
        return data
    }

    private func readSkin(_ element: XMLElement) throws(ModelFileError) -> SkinData {
        guard let joints = element.child("joints"), let vertexWeights = element.child("vertex_weights") else {
            throw element.failure("the skin has no joints or no weights")
        }
        let inputs = try self.inputs(joints)
        guard let source = inputs.first(where: { $0.semantic == "JOINT" })?.source else { throw joints.failure("the skin has no joints") }
        let names = try self.names(source)
        guard names.count < 65_535 else { throw joints.failure("\(names.count) joints") }
        var matrices: [Matrix4] = []
        if let binding = inputs.first(where: { $0.semantic == "INV_BIND_MATRIX" })?.source {
            let values = try stream(binding).values
            for index in names.indices where (index + 1) * 16 <= values.count {
                matrices.append(TransformStep.matrix(.matrix, Array(values[index * 16..<index * 16 + 16])))
            }
        }
        if matrices.count < names.count { warn(joints, "\(names.count - matrices.count) joints have no bind matrix") }
        matrices += Array(repeating: .identity, count: names.count - matrices.count)
        var bindShape = Matrix4.identity
        if let shape = element.child("bind_shape_matrix") {
            let values = try shape.floats(limit: 64)
            guard values.count >= 16, values.allSatisfy({ $0.isFinite }) else { throw shape.failure("no matrix of 16 numbers") }
            bindShape = TransformStep.matrix(.matrix, values)
        }
        let bound = try influences(vertexWeights, jointCount: names.count)
        return SkinData(
            element: element, jointNames: names, namesAreIDs: source.children.contains { $0.name == "IDREF_array" },
            inverseBindMatrices: matrices, bindShape: bindShape, joints: bound.joints, weights: bound.weights)
    }

    private func influences(
        _ element: XMLElement, jointCount: Int
    ) throws(ModelFileError) -> (joints: [Vector4], weights: [Vector4]) {
        let inputs = try self.inputs(element)
        guard let joint = inputs.first(where: { $0.semantic == "JOINT" }), let weight = inputs.first(where: { $0.semantic == "WEIGHT" })
        else {
            throw element.failure("the skin's weights have no joints or no weights")
        }
        let step = (inputs.map { $0.offset }.max() ?? 0) + 1
        let numbers = try stream(weight.source).values
        let counts = try element.child("vcount")?.integers() ?? []
        let list = try element.child("v")?.integers() ?? []
        var (joints, weights): ([Vector4], [Vector4]) = ([], [])
        var (first, cut) = (0, 0)
        for count in counts {
            guard count >= 0, (first + Int(count)) * step <= list.count else { throw element.failure("<v> ends before <vcount> does") }
            var found: [(joint: Float, weight: Float)] = []
            for pair in first..<first + Int(count) {
                let (number, index) = (list[pair * step + joint.offset], Int(list[pair * step + weight.offset]))
                guard number >= -1, Int(number) < jointCount, index >= 0, index < numbers.count else {
                    throw element.failure("joint \(number) of \(jointCount) with weight \(index) of \(numbers.count)")
                }
                let share = numbers[index]
                // −1: the bind shape itself.
                if share > 0 { found.append((number < 0 ? Float(jointCount) : Float(number), share)) }
            }
            first += Int(count)
            if found.count > 4 {
                cut += 1
                // Stable, so that equal weights keep their order.
                found = Array(
                    found.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map { $0.element }.prefix(
                        4))
            }
            if found.isEmpty { found = [(Float(jointCount), 1)] }
            let sum = found.reduce(0) { $0 + $1.weight }
            var (numbers4, shares) = (Vector4(repeating: 0), Vector4(repeating: 0))
            for (index, item) in found.enumerated() { (numbers4[index], shares[index]) = (item.joint, item.weight / sum) }
            joints.append(numbers4)
            weights.append(shares)
        }
        if cut > 0 { warn(element, "\(cut) vertices have more than 4 joints: the greatest weights are kept") }
        return (joints, weights)
    }
}
