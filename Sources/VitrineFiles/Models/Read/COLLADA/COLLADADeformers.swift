import VitrineMath
import VitrineScene

/// A parsed `<skin>`.
struct SkinData {
    let element: XMLElement
    let jointNames: [String]
    /// Whether joints are referred to by id, not by sid.
    let namesAreIDs: Bool
    let inverseBindMatrices: [Matrix4]
    let bindShape: Matrix4
    /// The joints of each position, at most four, and their weights, which sum to 1.
    let joints, weights: [Vector4]

    /// Returns the streams for vertices with these positions.
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

    /// The index of the joint that represents the mesh's node, for positions without joints.
    private var unbound: Float { Float(jointNames.count) }
}

/// A parsed `<morph>`: its targets and weights.
struct MorphData {
    struct Target {
        let name: String
        let positions: Stream
        /// The primitives of the target by the names of their elements, in their order.
        let primitives: [String: [PrimitiveElements]]
    }

    let targets: [Target]
    let weights: [Float]
    /// Whether targets are differences, not positions.
    let isRelative: Bool
}

/// The skins and morphs of a document. Parses each once.
final class COLLADADeformers {
    private let files: COLLADAFiles
    private let streams: COLLADAStreams
    private let geometries: COLLADAGeometries
    private var skins: [XMLElement: SkinData] = [:]
    private var morphs: [XMLElement: MorphData] = [:]
    /// Geometries that were read as targets.
    private var knownTargets: [XMLElement: MorphData.Target] = [:]
    /// The number of each primitive element among those of its name and mesh.
    private var numbers: [XMLElement: Int] = [:]
    /// The number of floats of all morph targets.
    private var targetFloats = 0
    private static let (maximumTargets, maximumTargetFloats) = (512, 1 << 28)

    init(_ streams: COLLADAStreams, _ geometries: COLLADAGeometries) {
        (files, self.streams, self.geometries) = (streams.files, streams, geometries)
    }

    private func warn(_ element: XMLElement?, _ message: String, kind: String? = nil) { files.warn(element, message, kind: kind) }

    // MARK: Skins

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
        let inputs = try streams.inputs(joints)
        guard let source = inputs.first(where: { $0.semantic == "JOINT" })?.source else { throw joints.failure("the skin has no joints") }
        let names = try streams.names(source)
        guard names.count < 65_535 else { throw joints.failure("\(names.count) joints are too many") }
        var matrices: [Matrix4] = []
        if let binding = inputs.first(where: { $0.semantic == "INV_BIND_MATRIX" })?.source {
            let values = try streams.stream(binding).values
            for index in names.indices where (index + 1) * 16 <= values.count {
                matrices.append(TransformStep.matrix(.matrix, Array(values[index * 16..<index * 16 + 16])))
            }
        }
        if matrices.count < names.count { warn(joints, "\(names.count - matrices.count) joints have no bind matrix") }
        matrices += Array(repeating: .identity, count: names.count - matrices.count)
        var bindShape = Matrix4.identity
        if let shape = element.child("bind_shape_matrix") {
            let values = try shape.floats(limit: 64)
            guard values.count >= 16, values.allSatisfy({ $0.isFinite }) else {
                throw shape.failure("is not a matrix of 16 finite numbers")
            }
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
        let inputs = try streams.inputs(element)
        guard let joint = inputs.first(where: { $0.semantic == "JOINT" }), let weight = inputs.first(where: { $0.semantic == "WEIGHT" })
        else {
            throw element.failure("the skin's weights have no joints or no weights")
        }
        let step = (inputs.map { $0.offset }.max() ?? 0) + 1
        let numbers = try streams.stream(weight.source).values
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
                    throw element.failure("joint \(number) of \(jointCount) or weight \(index) of \(numbers.count) does not exist")
                }
                let share = numbers[index]
                // −1 represents the bind shape.
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

    // MARK: Morphs

    func morph(_ element: XMLElement) throws(ModelFileError) -> MorphData {
        if let known = morphs[element] { return known }
        let data = try readMorph(element)
        morphs[element] = data
        return data
    }

    private func readMorph(_ element: XMLElement) throws(ModelFileError) -> MorphData {
        guard let list = element.child("targets") else { throw element.failure("the morph has no targets") }
        let inputs = try streams.inputs(list)
        guard let source = inputs.first(where: { $0.semantic == "MORPH_TARGET" })?.source else {
            throw list.failure("the morph has no targets")
        }
        var weights: [Float] = []
        if let numbers = inputs.first(where: { $0.semantic == "MORPH_WEIGHT" })?.source { weights = try streams.stream(numbers).values }
        let names = try streams.names(source)
        guard names.count <= Self.maximumTargets else { throw list.failure("\(names.count) targets; the limit is \(Self.maximumTargets)") }
        var targets: [MorphData.Target] = []
        for name in names {
            guard let geometry = try files.resolve("#" + name, from: source), geometry.name == "geometry",
                let mesh = geometry.child("mesh"),
                let vertices = mesh.child("vertices"),
                let position = vertices.children("input").first(where: { $0["semantic"] == "POSITION" }),
                let points = try files.resolve(position["source"], from: position)
            else {
                warn(list, "there is no target \"\(name.prefix(80))\" with vertices: it has no effect")
                targets.append(MorphData.Target(name: name, positions: Stream(values: [], width: 3), primitives: [:]))
                continue
            }
            if let known = knownTargets[geometry] {
                targets.append(known)
                continue
            }
            var primitives: [PrimitiveElements] = []
            for child in mesh.children where PrimitiveElements.names.contains(child.name) {
                if let primitive = try geometries.readPrimitive(child) { primitives.append(primitive) }
            }
            let target = MorphData.Target(
                name: geometry.title, positions: try streams.stream(points),
                primitives: Dictionary(grouping: primitives, by: \.element.name))
            knownTargets[geometry] = target
            targets.append(target)
        }
        weights = Array(weights.prefix(targets.count)) + Array(repeating: 0, count: max(0, targets.count - weights.count))
        return MorphData(targets: targets, weights: weights, isRelative: element["method"] == "RELATIVE")
    }

    /// Returns the targets for the vertices of a part.
    func targets(_ morph: MorphData, of part: BuiltPart) throws(ModelFileError) -> [MorphTarget] {
        let base = part.geometry.attribute(.position)?.values ?? []
        targetFloats += base.count * morph.targets.count * 2
        guard targetFloats <= Self.maximumTargetFloats else {
            throw part.primitive.element.failure("the morph targets take too much memory")
        }
        let normals = part.geometry.attribute(.normal)?.values
        var result: [MorphTarget] = []
        for target in morph.targets {
            guard target.positions.count > 0 else {
                result.append(MorphTarget(name: target.name))
                continue
            }
            let positions = geometries.gather(target.positions, part.positionIndices, width: 3, fill: 0)
            let offsets = morph.isRelative ? positions : zip(positions, base).map { $0 - $1 }
            var turned: [Float] = []
            if let normals,
                let found = try self.normals(
                    of: target, part: part, positions: morph.isRelative ? zip(positions, base).map { $0 + $1 } : positions)
            {
                turned = morph.isRelative && !part.hasOwnNormals ? found : zip(found, normals).map { $0 - $1 }
            }
            result.append(MorphTarget(name: target.name, positionOffsets: offsets, normalOffsets: turned))
        }
        return result
    }

    /// Returns the number of an element among those of its name and parent.
    private func number(of element: XMLElement) -> Int {
        if let known = numbers[element] { return known }
        guard let parent = element.parent else { return 0 }
        var counts: [String: Int] = [:]
        for sibling in parent.children {
            numbers[sibling] = counts[sibling.name, default: 0]
            counts[sibling.name, default: 0] += 1
        }
        return numbers[element] ?? 0
    }

    /// Returns the normals of the target's primitive at the same position with the same number of corners; nil if there is none.
    private func normals(of target: MorphData.Target, part: BuiltPart, positions: [Float]) throws(ModelFileError) -> [Float]? {
        if part.hasOwnNormals { return CreaseNormals.make(positions, part.positionIndices) }
        let number = number(of: part.primitive.element)
        let same = target.primitives[part.primitive.element.name] ?? []
        guard number < same.count, same[number].cornerCount == part.primitive.cornerCount,
            let input = same[number].inputs.first(where: { $0.semantic == "NORMAL" })
        else { return nil }
        return try geometries.gathered(input, same[number], part.corners, width: 3, fill: 0)
    }
}
