import VitrineScene

/// The meshes of a file: primitives, vertex attributes, indices and morph targets.
final class GLTFMeshes {
    private let context: GLTFContext
    private let accessors: GLTFAccessors
    private let materials: GLTFMaterials
    private let draco: GLTFDraco
    private var meshes: [Mesh] = []
    private var greatestJoints: [Int?] = []

    init(
        _ root: GLTFRoot, _ buffers: GLTFBuffers, _ accessors: GLTFAccessors, _ materials: GLTFMaterials, _ context: GLTFContext
    ) throws(GLTFError) {
        (self.accessors, self.materials, self.context) = (accessors, materials, context)
        draco = GLTFDraco(buffers, accessors, context)
        for json in root.meshes {
            let mesh = try mesh(json)
            meshes.append(mesh)
            greatestJoints.append(Self.greatestJoint(of: mesh.parts))
        }
    }

    var count: Int { meshes.count }
    subscript(index: Int) -> Mesh { meshes[index] }

    /// Returns the greatest joint index of a mesh's vertices; nil if it has no joints.
    func greatestJoint(of mesh: Int) -> Int? { greatestJoints[mesh] }

    private func mesh(_ json: JSONValue) throws(GLTFError) -> Mesh {
        guard let primitives = try json.array("primitives") else { throw json.failure("primitives", "is missing") }
        if primitives.count == 0 { context.warn(primitives, "is empty") }
        let names = targetNames(json)
        var parts: [MeshPart] = []
        for index in 0..<primitives.count {
            if let part = try part(primitives[index], targetNames: names) { parts.append(part) }
        }
        let targetCount = parts.reduce(0) { max($0, $1.geometry.morphTargets.count) }
        if parts.contains(where: { $0.geometry.morphTargets.count != targetCount }) {
            context.warn(primitives, "the primitives have different numbers of morph targets")
        }
        let weights = try morphWeights(json, targetCount: targetCount)
        return Mesh(name: try json.string("name") ?? "", parts: parts, morphWeights: weights ?? [])
    }

    /// Returns the `weights` of a mesh or a node, one per morph target; nil if it has none.
    func morphWeights(_ json: JSONValue, targetCount: Int) throws(GLTFError) -> [Float]? {
        guard let list = try json.array("weights") else { return nil }
        let weights = try list.floats()
        guard weights.count != targetCount else { return weights }
        context.warn(list, "\(weights.count) weights for \(targetCount) morph targets")
        return Array(weights.prefix(targetCount)) + Array(repeating: 0, count: max(0, targetCount - weights.count))
    }

    /// Returns the names that most programs write in `extras.targetNames`. Extras have no schema: other values are ignored.
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

    /// Reads a primitive; returns nil, with a warning, if it has no positions.
    private func part(_ json: JSONValue, targetNames: [String]) throws(GLTFError) -> MeshPart? {
        try json.requireObject()
        let topology = try topology(json)
        let materialIndex = try json.index("material", below: materials.count)
        guard let attributesJSON = try json.object("attributes") else { throw json.failure("attributes", "is missing") }
        let packed = try draco.primitive(json)
        if packed != nil, topology != .triangles { throw json.failure("mode", "Draco data contain only triangles") }
        let attributes = try vertexAttributes(attributesJSON, packed)
        guard let vertexCount = attributes.first(where: { $0.semantic == .position })?.vertexCount else {
            context.warn(json, "has no POSITION and was ignored")
            return nil
        }
        let indices =
            if let packed {
                try indices(packed, vertexCount: vertexCount)
            } else {
                try indices(json, vertexCount: vertexCount)
            }
        let targets = try morphTargets(json, names: targetNames)
        warnAboutCount(indices?.count ?? vertexCount, topology, json)
        try context.spend(vertexCount, times: attributes.count + targets.count, at: json)
        try context.spend(indices?.count ?? 0, at: json)
        for (index, target) in targets.enumerated() where !target.hasLength(vertexCount * 3) {
            throw json.failure("targets", "target \(index) does not have POSITION's \(vertexCount) vertices")
        }
        warnAboutTargets(targets, attributes, json)
        warnAboutTextureSets(materialIndex, attributes, json)
        var primitive = GLTFPrimitive(topology: topology, attributes: attributes, indices: indices, targets: targets)
        try GLTFVertexRepair(context, json).repair(&primitive)
        if primitive.needsNormals {
            try context.reserve(count: primitive.cornerCount, componentCount: primitive.componentsPerFlatVertex, for: json)
            primitive.makeFlatNormals()
        }
        let alternatives = try materials.alternatives(of: json)
        do throws(GeometryError) {
            return MeshPart(
                geometry: try primitive.geometry(), material: materialIndex.map { materials[$0] } ?? materials.defaultMaterial,
                alternatives: alternatives)
        } catch {
            throw json.failure(GLTFPrimitive.text(error))
        }
    }

    private func indices(_ packed: GLTFDraco.Primitive, vertexCount: Int) throws(GLTFError) -> [UInt32] {
        guard packed.mesh.vertexCount == vertexCount else {
            throw packed.json.failure("\(packed.mesh.vertexCount) vertices, but POSITION has \(vertexCount)")
        }
        return packed.mesh.indices
    }

    private func warnAboutTargets(_ targets: [MorphTarget], _ attributes: [VertexAttribute], _ json: JSONValue) {
        func has(_ semantic: VertexSemantic) -> Bool { attributes.contains { $0.semantic == semantic } }
        if !has(.normal), targets.contains(where: { !$0.normalOffsets.isEmpty }) {
            context.warn(json, "morph targets change NORMAL, which is missing")
        }
        if !has(.tangent), targets.contains(where: { !$0.tangentOffsets.isEmpty }) {
            context.warn(json, "morph targets change TANGENT, which is missing")
        }
    }

    private func warnAboutTextureSets(_ material: Int?, _ attributes: [VertexAttribute], _ json: JSONValue) {
        guard let material else { return }
        var missing: [Int] = []
        for set in materials.textureSets(of: material) where !missing.contains(set) {
            if !attributes.contains(where: { $0.semantic == .textureCoordinate(set: set) }) { missing.append(set) }
        }
        for set in missing { context.warn(json, "the material uses TEXCOORD_\(set), which is missing") }
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
        if !fits { context.warn(json, "\(count) vertices do not form complete primitives of this mode") }
    }

    private func indices(_ json: JSONValue, vertexCount: Int) throws(GLTFError) -> [UInt32]? {
        guard let index = try json.index("indices", below: accessors.count) else { return nil }
        let accessor = accessors[index]
        let isUnsigned = accessor.type == .uint8 || accessor.type == .uint16 || accessor.type == .uint32
        guard accessor.shape == .scalar, isUnsigned else {
            throw json.failure("indices", "the accessor must be SCALAR of 5121, 5123 or 5125")
        }
        if accessor.source?.hasExplicitStride == true { context.warn(accessor.json, "indices may not have a byteStride") }
        let indices = try accessors.unsignedIntegers(index)
        let restart = UInt32.max >> UInt32(32 - 8 * accessor.type.size)
        if indices.contains(restart) { context.warn(accessor.json, "has the index \(restart), which glTF forbids") }
        if let greatest = indices.max(), Int(greatest) >= vertexCount {
            throw accessor.json.failure("index \(greatest), but there are \(vertexCount) vertices")
        }
        return indices
    }

    // MARK: Attributes

    /// Reads the vertex attributes in the file's order.
    private func vertexAttributes(_ json: JSONValue, _ packed: GLTFDraco.Primitive?) throws(GLTFError) -> [VertexAttribute] {
        guard json.count <= context.limits.attributes else {
            throw context.limitFailure(json, "more than \(context.limits.attributes) attributes")
        }
        var attributes: [VertexAttribute] = []
        for index in 0..<json.count {
            let (name, value) = json.member(index)
            let accessorIndex = try value.index(below: accessors.count)
            guard let semantic = Self.semantic(name) else {
                context.warn(value, "is not an attribute of glTF (custom names start with _) and was ignored")
                continue
            }
            let accessor = accessors[accessorIndex]
            try check(accessor, semantic, at: value)
            let values =
                if let values = try draco.values(packed, attribute: name, accessor: accessor, at: value) {
                    values
                } else {
                    try accessors.floats(accessorIndex)
                }
            attributes.append(VertexAttribute(semantic, componentCount: accessor.componentCount, values: values))
            let count = values.count / accessor.componentCount
            if let first = attributes.first, count != first.vertexCount {
                throw value.failure("has \(count) elements, but another attribute of the primitive has \(first.vertexCount)")
            }
        }
        OcclusionAttributes.combine(&attributes)
        return attributes
    }

    private static func semantic(_ name: String) -> VertexSemantic? {
        switch name {
        case "POSITION": return .position
        case "NORMAL": return .normal
        case "TANGENT": return .tangent
        default: break
        }
        let utf8 = Array(name.utf8)
        if utf8.first == UInt8(ascii: "_") { return .custom(name) }
        guard let underscore = utf8.lastIndex(of: UInt8(ascii: "_")), let set = setNumber(utf8[(underscore + 1)...]) else { return nil }
        switch String(decoding: utf8[..<underscore], as: UTF8.self) {
        case "TEXCOORD": return .textureCoordinate(set: set)
        case "COLOR": return .color(set: set)
        case "JOINTS": return .joints(set: set)
        case "WEIGHTS": return .weights(set: set)
        default: return nil
        }
    }

    /// Parses a number below 1,000 without leading zeros.
    private static func setNumber(_ digits: ArraySlice<UInt8>) -> Int? {
        guard let first = digits.first, digits.count <= 3, digits.count == 1 || first != UInt8(ascii: "0") else { return nil }
        var value = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }

    /// Throws for invalid shapes. Component types that only KHR_mesh_quantization allows are also read without it, with a warning.
    private func check(_ accessor: GLTFAccessor, _ semantic: VertexSemantic, at location: JSONValue) throws(GLTFError) {
        let (shapes, isInteger): ([GLTFElementShape], Bool) =
            switch semantic {
            case .position, .normal: ([.vector3], false)
            case .tangent, .weights: ([.vector4], false)
            case .joints: ([.vector4], true)
            case .textureCoordinate: ([.vector2], false)
            case .color: ([.vector3, .vector4], false)
            case .occlusionHarmonics, .custom: ([accessor.shape], false)
            }
        guard shapes.contains(accessor.shape) else { throw location.failure("the accessor's type is not valid for this attribute") }
        if isInteger {
            guard accessor.type == .uint8 || accessor.type == .uint16, !accessor.isNormalized else {
                throw location.failure("joints must be unsigned bytes or shorts, not normalized")
            }
        }
        if accessor.type == .uint32 {
            guard case .custom = semantic else { throw location.failure("unsigned ints are only valid for indices") }
            context.warn(location, "unsigned ints are only valid for indices")
        }
        if semantic == .position, accessor.json["min"] == nil || accessor.json["max"] == nil {
            context.warn(accessor.json, "POSITION must have min and max")
        }
        if !isUsual(accessor, semantic) { context.warn(location, "this component type is only allowed by KHR_mesh_quantization") }
    }

    /// Returns whether the core specification (or the extension, if the file uses it) allows the component type.
    private func isUsual(_ accessor: GLTFAccessor, _ semantic: VertexSemantic) -> Bool {
        if accessor.type == .float32 || context.usesQuantization { return true }
        switch semantic {
        case .textureCoordinate, .color, .weights: return accessor.isNormalized && (accessor.type == .uint8 || accessor.type == .uint16)
        case .joints, .occlusionHarmonics, .custom: return true
        case .position, .normal, .tangent: return false
        }
    }

    // MARK: Morph targets

    private func morphTargets(_ json: JSONValue, names: [String]) throws(GLTFError) -> [MorphTarget] {
        guard let list = try json.array("targets") else { return [] }
        var targets: [MorphTarget] = []
        for index in 0..<list.count {
            try list[index].requireObject()
            targets.append(try morphTarget(list[index], name: index < names.count ? names[index] : ""))
        }
        return targets
    }

    private func morphTarget(_ json: JSONValue, name: String) throws(GLTFError) -> MorphTarget {
        var target = MorphTarget(name: name)
        for index in 0..<json.count {
            let (attribute, value) = json.member(index)
            let accessorIndex = try value.index(below: accessors.count)
            switch attribute {
            case "POSITION": target.positionOffsets = try offsets(accessorIndex, at: value)
            case "NORMAL": target.normalOffsets = try offsets(accessorIndex, at: value)
            case "TANGENT": target.tangentOffsets = try offsets(accessorIndex, at: value)
            default: context.warn(value, "morph targets of \(attribute) are not supported and were ignored")
            }
        }
        return target
    }

    private func offsets(_ index: Int, at location: JSONValue) throws(GLTFError) -> [Float] {
        guard accessors[index].shape == .vector3 else { throw location.failure("the accessor must be VEC3") }
        return try accessors.floats(index)
    }
}
