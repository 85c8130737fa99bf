import VitrineScene

extension GLTFImporter {
    /// The streams of `attributes`, in the file's order.
    func vertexAttributes(_ json: JSONValue, draco: GLTFDracoPrimitive? = nil) throws(GLTFError) -> [VertexAttribute] {
        guard json.count <= limits.attributes else { throw limitFailure(json, "more than \(limits.attributes) attributes") }
        var attributes: [VertexAttribute] = []
        for index in 0..<json.count {
            let (name, value) = json.member(index)
            let accessorIndex = try value.index(below: accessors.count)
            guard let semantic = GLTFImporter.semantic(name) else {
                warn(value, "the attribute's name is not known (names of one's own start with _); it was ignored")
                continue
            }
            let accessor = accessors[accessorIndex]
            try check(accessor, semantic, at: value)
            let values =
                if let unpacked = try dracoValues(draco, attribute: name, accessor: accessor, at: value) {
                    unpacked
                } else {
                    try floats(accessorIndex)
                }
            attributes.append(VertexAttribute(semantic, componentCount: accessor.componentCount, values: values))
            let count = values.count / accessor.componentCount
            if let first = attributes.first, count != first.vertexCount {
                throw value.failure("has \(count) elements, another attribute of the primitive has \(first.vertexCount)")
            }
        }
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

    /// A number without leading zeros, below 1,000.
    private static func setNumber(_ digits: ArraySlice<UInt8>) -> Int? {
        guard let first = digits.first, digits.count <= 3, digits.count == 1 || first != UInt8(ascii: "0") else { return nil }
        var value = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }

    /// Shapes that can't be read are errors. Component types that only KHR_mesh_quantization allows are read with or without it.
    private func check(_ accessor: GLTFAccessor, _ semantic: VertexSemantic, at place: JSONValue) throws(GLTFError) {
        let (shapes, isInteger): ([GLTFElementShape], Bool) =
            switch semantic {
            case .position, .normal: ([.vector3], false)
            case .tangent, .weights: ([.vector4], false)
            case .joints: ([.vector4], true)
            case .textureCoordinate: ([.vector2], false)
            case .color: ([.vector3, .vector4], false)
            case .occlusionHarmonics, .custom: ([accessor.shape], false)
            }
        guard shapes.contains(accessor.shape) else { throw place.failure("the accessor's type doesn't fit the attribute") }
        if isInteger {
            guard accessor.type == .uint8 || accessor.type == .uint16, !accessor.isNormalized else {
                throw place.failure("joints must be unsigned bytes or shorts, not normalized")
            }
        }
        if accessor.type == .uint32 {
            guard case .custom = semantic else { throw place.failure("unsigned ints are for indices only") }
            warn(place, "unsigned ints are for indices only")
        }
        if semantic == .position, accessor.json["min"] == nil || accessor.json["max"] == nil {
            warn(accessor.json, "POSITION must have min and max")
        }
        if !isUsual(accessor, semantic) { warn(place, "this component type is only allowed by KHR_mesh_quantization") }
    }

    /// Whether the core specification (or the extension, where the file uses it) allows the component type.
    private func isUsual(_ accessor: GLTFAccessor, _ semantic: VertexSemantic) -> Bool {
        if accessor.type == .float32 || usesQuantization { return true }
        switch semantic {
        case .textureCoordinate, .color, .weights: return accessor.isNormalized && (accessor.type == .uint8 || accessor.type == .uint16)
        case .joints, .occlusionHarmonics, .custom: return true
        case .position, .normal, .tangent: return false
        }
    }

    // MARK: Morph targets

    func morphTargets(_ json: JSONValue, names: [String]) throws(GLTFError) -> [MorphTarget] {
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
            default: warn(value, "morph targets of \(attribute) are not supported and were ignored")
            }
        }
        return target
    }

    private func offsets(_ index: Int, at place: JSONValue) throws(GLTFError) -> [Float] {
        guard accessors[index].shape == .vector3 else { throw place.failure("the accessor must be VEC3") }
        return try floats(index)
    }
}
