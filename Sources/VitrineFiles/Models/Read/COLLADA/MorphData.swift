import VitrineScene

/// A `<morph>` as its targets and weights.
struct MorphData {
    struct Target {
        let name: String
        let positions: Stream
        /// The target's own primitives, in their order.
        let primitives: [PrimitiveElements]
    }

    let targets: [Target]
    let weights: [Float]
    /// Targets hold differences, not places.
    let isRelative: Bool
}

extension COLLADAReader {
    private static var maximumTargets: Int { 512 }
    /// Floats that all targets of a file may take.
    private static var maximumTargetFloats: Int { 1 << 28 }

    func morph(_ element: XMLElement) throws(ModelFileError) -> MorphData {
        if let known = morphs[element] { return known }
        let data = try readMorph(element)
        morphs[element] = data
        return data
    }

    private func readMorph(_ element: XMLElement) throws(ModelFileError) -> MorphData {
        guard let list = element.child("targets") else { throw element.failure("the morph has no targets") }
        let inputs = try self.inputs(list)
        guard let source = inputs.first(where: { $0.semantic == "MORPH_TARGET" })?.source else {
            throw list.failure("the morph has no targets")
        }
        var weights: [Float] = []
        if let numbers = inputs.first(where: { $0.semantic == "MORPH_WEIGHT" })?.source { weights = try stream(numbers).values }
        let names = try self.names(source)
        guard names.count <= Self.maximumTargets else { throw list.failure("\(names.count) targets, \(Self.maximumTargets) are read") }
        var targets: [MorphData.Target] = []
        for name in names {
            guard let geometry = try files.resolve("#" + name, from: source), geometry.name == "geometry",
                let mesh = geometry.child("mesh"),
                let vertices = mesh.child("vertices"),
                let position = vertices.children("input").first(where: { $0["semantic"] == "POSITION" }),
                let points = try files.resolve(position["source"], from: position)
            else {
                warn(list, "there is no target \"\(name.prefix(80))\" with vertices: it moves nothing")
                targets.append(MorphData.Target(name: name, positions: Stream(values: [], width: 3), primitives: []))
                continue
            }
            var primitives: [PrimitiveElements] = []
            for child in mesh.children where PrimitiveElements.names.contains(child.name) {
                if let primitive = try readPrimitive(child) { primitives.append(primitive) }
            }
            targets.append(
                MorphData.Target(name: geometry.title, positions: try stream(points), primitives: primitives))
        }
        weights = Array(weights.prefix(targets.count)) + Array(repeating: 0, count: max(0, targets.count - weights.count))
        return MorphData(targets: targets, weights: weights, isRelative: element["method"] == "RELATIVE")
    }

    /// The targets for the vertices of a part.
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
            let places = gather(target.positions, part.positionIndices, width: 3, fill: 0)
            let offsets = morph.isRelative ? places : zip(places, base).map { $0 - $1 }
            var turned: [Float] = []
            if let normals,
                let found = try self.normals(of: target, part: part, places: morph.isRelative ? zip(places, base).map { $0 + $1 } : places)
            {
                turned = morph.isRelative && !part.hasOwnNormals ? found : zip(found, normals).map { $0 - $1 }
            }
            result.append(MorphTarget(name: target.name, positionOffsets: offsets, normalOffsets: turned))
        }
        return result
    }

    /// Those of the target's primitive that has the same place and as many corners as the part; nil where there is none.
    private func normals(of target: MorphData.Target, part: BuiltPart, places: [Float]) throws(ModelFileError) -> [Float]? {
        if part.hasOwnNormals { return CreaseNormals.make(places, part.positionIndices) }
        let siblings = part.primitive.element.parent?.children.filter { $0.name == part.primitive.element.name } ?? []
        let number = siblings.firstIndex(of: part.primitive.element) ?? 0
        let same = target.primitives.filter { $0.element.name == part.primitive.element.name }
        guard number < same.count, same[number].cornerCount == part.primitive.cornerCount,
            let input = same[number].inputs.first(where: { $0.semantic == "NORMAL" })
        else { return nil }
        return try gathered(input, same[number], part.corners, width: 3, fill: 0)
    }
}
