import VitrineScene

extension GLTFImporter {
    func readMeshes() throws(GLTFError) {
        for json in meshList {
            guard let primitives = try json.array("primitives") else { throw json.failure("primitives", "is missing") }
            if primitives.count == 0 { warn(primitives, "is empty") }
            let names = targetNames(json)
            var parts: [MeshPart] = []
            for index in 0..<primitives.count {
                if let part = try part(primitives[index], targetNames: names) { parts.append(part) }
            }
            let targetCount = parts.reduce(0) { max($0, $1.geometry.morphTargets.count) }
            if parts.contains(where: { $0.geometry.morphTargets.count != targetCount }) {
                warn(primitives, "the primitives have unequal numbers of morph targets")
            }
            let weights = try morphWeights(json, targetCount: targetCount)
            meshes.append(Mesh(name: try json.string("name") ?? "", parts: parts, morphWeights: weights ?? []))
            greatestJoints.append(GLTFImporter.greatestJoint(of: parts))
        }
    }

    /// A mesh's or a node's `weights`, as many as there are morph targets.
    func morphWeights(_ json: JSONValue, targetCount: Int) throws(GLTFError) -> [Float]? {
        guard let list = try json.array("weights") else { return nil }
        let weights = try list.floats()
        guard weights.count != targetCount else { return weights }
        warn(list, "\(weights.count) weights for \(targetCount) morph targets")
        return Array(weights.prefix(targetCount)) + Array(repeating: 0, count: max(0, targetCount - weights.count))
    }

    /// The names that most programs write: `extras.targetNames`. Extras may hold anything: what isn't a name is passed over.
    private func targetNames(_ mesh: JSONValue) -> [String] {
        guard let list = mesh["extras"]?["targetNames"], list.kind == .array else { return [] }
        return (0..<list.count).map { (try? list[$0].string()) ?? "" }
    }

    private static func greatestJoint(of parts: [MeshPart]) -> Int? {
        var greatest: Float?
        for part in parts {
            for attribute in part.geometry.attributes {
                guard case .joints = attribute.semantic else { continue }
                greatest = max(greatest ?? 0, attribute.values.max() ?? 0)
            }
        }
        return greatest.map { Int($0) }
    }

    // MARK: Primitives

    /// nil for a primitive that has nothing to draw.
    private func part(_ json: JSONValue, targetNames: [String]) throws(GLTFError) -> MeshPart? {
        try json.requireObject()
        let topology = try topology(json)
        let materialIndex = try json.index("material", below: materials.count)
        guard let attributesJSON = try json.object("attributes") else { throw json.failure("attributes", "is missing") }
        let draco = try dracoMesh(json)
        if draco != nil, topology != .triangles { throw json.failure("mode", "Draco data are triangles") }
        let attributes = try vertexAttributes(attributesJSON, draco: draco)
        guard let vertexCount = attributes.first(where: { $0.semantic == .position })?.vertexCount else {
            warn(json, "has no POSITION and was left out")
            return nil
        }
        let indices =
            if let draco {
                try dracoIndices(draco, vertexCount: vertexCount)
            } else {
                try indices(json, vertexCount: vertexCount)
            }
        let targets = try morphTargets(json, names: targetNames)
        warnAboutCount(indices?.count ?? vertexCount, topology, json)
        try spend(vertexCount, times: attributes.count + targets.count, at: json)
        try spend(indices?.count ?? 0, at: json)
        for (index, target) in targets.enumerated() where !target.hasLength(vertexCount * 3) {
            throw json.failure("targets", "target \(index) has another number of vertices than POSITION's \(vertexCount)")
        }
        warnAboutTargets(targets, attributes, json)
        warnAboutTextureSets(materialIndex, attributes, json)
        var primitive = GLTFPrimitive(topology: topology, attributes: attributes, indices: indices, targets: targets)
        try checkVertices(&primitive, at: json)
        if primitive.needsNormals {
            try reserve(count: primitive.cornerCount, componentCount: primitive.componentsPerFlatVertex, for: json)
            primitive.makeFlatNormals()
        }
        let alternatives = try alternatives(of: json)
        do throws(GeometryError) {
            return MeshPart(
                geometry: try primitive.geometry(), material: materialIndex.map { materials[$0] } ?? defaultMaterial,
                alternatives: alternatives)
        } catch {
            throw json.failure(GLTFPrimitive.text(error))
        }
    }

    private func dracoIndices(_ draco: GLTFDracoPrimitive, vertexCount: Int) throws(GLTFError) -> [UInt32] {
        guard draco.mesh.vertexCount == vertexCount else {
            throw draco.json.failure("\(draco.mesh.vertexCount) vertices, but POSITION has \(vertexCount)")
        }
        return draco.mesh.indices
    }

    private func warnAboutTargets(_ targets: [MorphTarget], _ attributes: [VertexAttribute], _ json: JSONValue) {
        func has(_ semantic: VertexSemantic) -> Bool { attributes.contains { $0.semantic == semantic } }
        if !has(.normal), targets.contains(where: { !$0.normalOffsets.isEmpty }) {
            warn(json, "morph targets move NORMAL, which is missing")
        }
        if !has(.tangent), targets.contains(where: { !$0.tangentOffsets.isEmpty }) {
            warn(json, "morph targets move TANGENT, which is missing")
        }
    }

    private func warnAboutTextureSets(_ material: Int?, _ attributes: [VertexAttribute], _ json: JSONValue) {
        guard let material else { return }
        var missing: [Int] = []
        for set in materialSets[material] where !missing.contains(set) {
            if !attributes.contains(where: { $0.semantic == .textureCoordinate(set: set) }) { missing.append(set) }
        }
        for set in missing { warn(json, "the material reads TEXCOORD_\(set), which is missing") }
    }

    private func topology(_ json: JSONValue) throws(GLTFError) -> PrimitiveTopology {
        switch try json.integer("mode") {
        case 0: return .points
        case 1: return .lines
        case 2: return .lineLoop
        case 3: return .lineStrip
        case nil, 4: return .triangles
        case 5: return .triangleStrip
        case 6: return .triangleFan
        default: throw json.failure("mode", "must be 0…6")
        }
    }

    private func warnAboutCount(_ count: Int, _ topology: PrimitiveTopology, _ json: JSONValue) {
        let fits =
            switch topology {
            case .points: true
            case .lines: count % 2 == 0
            case .lineLoop, .lineStrip: count >= 2
            case .triangles: count % 3 == 0
            case .triangleStrip, .triangleFan: count >= 3
            }
        if !fits { warn(json, "\(count) vertices don't make whole primitives of this mode") }
    }

    private func indices(_ json: JSONValue, vertexCount: Int) throws(GLTFError) -> [UInt32]? {
        guard let index = try json.index("indices", below: accessors.count) else { return nil }
        let accessor = accessors[index]
        let isUnsigned = accessor.type == .uint8 || accessor.type == .uint16 || accessor.type == .uint32
        guard accessor.shape == .scalar, isUnsigned else {
            throw json.failure("indices", "the accessor must be SCALAR of 5121, 5123 or 5125")
        }
        if accessor.source?.hasExplicitStride == true { warn(accessor.json, "indices may not have a byteStride") }
        let indices = try unsignedIntegers(index)
        let restart = UInt32.max >> UInt32(32 - 8 * accessor.type.size)
        if indices.contains(restart) { warn(accessor.json, "has the index \(restart), which glTF forbids") }
        if let greatest = indices.max(), Int(greatest) >= vertexCount {
            throw accessor.json.failure("index \(greatest), but there are \(vertexCount) vertices")
        }
        return indices
    }
}
