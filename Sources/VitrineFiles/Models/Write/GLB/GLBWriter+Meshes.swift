import VitrineMath
import VitrineScene

extension GLBWriter {
    /// What a primitive takes from its geometry.
    struct Primitive {
        var attributes: [(String, JSONText)] = []
        var indices: Int?
        /// Each with at least one member.
        var targets: [JSONText] = []
        var vertexCount = 0
        /// KHR_draco_mesh_compression, where the streams lie there.
        var draco: JSONText?
    }

    struct PrimitiveKey: Hashable {
        let geometry: ObjectIdentifier
        /// Whether joints and weights are written.
        let isSkinned: Bool
    }

    mutating func json(mesh index: Int) throws(ModelFileError) -> JSONText {
        let mesh = contents.meshes[index]
        let isSkinned = skinnedMeshes.contains(index)
        let targetCount = contents.morphTargetCount(ofMesh: index)
        var primitives: [JSONText] = []
        for part in contents.parts[index] {
            primitives.append(primitive(part, mesh: mesh, isSkinned: isSkinned, targetCount: targetCount))
        }
        var members: [(String, JSONText)] = mesh.name.isEmpty ? [] : [("name", .string(mesh.name))]
        members.append(("primitives", .array(primitives)))
        guard targetCount > 0 else { return .object(members) }
        if !mesh.morphWeights.isEmpty { members.append(("weights", Self.weights(mesh.morphWeights, count: targetCount))) }
        let names = contents.parts[index].first { $0.geometry.morphTargets.count == targetCount }?.geometry.morphTargets.map(\.name) ?? []
        if names.contains(where: { !$0.isEmpty }) {
            members.append(("extras", .object([("targetNames", .array(names.map { .string($0) }))])))
        }
        return .object(members)
    }

    private mutating func primitive(_ part: MeshPart, mesh: Mesh, isSkinned: Bool, targetCount: Int) -> JSONText {
        let geometry = part.geometry
        let key = PrimitiveKey(geometry: ObjectIdentifier(geometry), isSkinned: isSkinned)
        let shared = primitives[key] ?? streams(of: geometry, isSkinned: isSkinned, place: "mesh \"\(mesh.name)\"")
        primitives[key] = shared
        var attributes = shared.attributes
        // A material may ask for coordinates that the geometry lacks: they read as 0, as they do on the screen.
        let worn = [part.ownMaterial] + part.alternatives.map(\.material)
        let sets = 1 + (worn.flatMap { $0.textureMaps.map(\.set) }.max() ?? -1)
        let had = attributes.count { $0.0.hasPrefix("TEXCOORD_") }
        for set in had..<max(had, sets) {
            let zeros = binary.floats([Float](repeating: 0, count: shared.vertexCount * 2), shape: "VEC2")
            attributes.append(("TEXCOORD_\(set)", .integer(zeros)))
        }
        var members: [(String, JSONText)] = [("attributes", .object(attributes))]
        if let indices = shared.indices { members.append(("indices", .integer(indices))) }
        members.append(("material", .integer(contents.index(of: part.ownMaterial))))
        var own = variantMappings(part).map { [$0] } ?? []
        members.append(("mode", .integer(Self.mode(geometry))))
        // All primitives of a mesh have as many.
        var targets = shared.targets
        while targets.count < targetCount {
            targets.append(.object([("POSITION", .integer(binary.zeros(count: shared.vertexCount, shape: "VEC3")))]))
        }
        if !targets.isEmpty { members.append(("targets", .array(targets))) }
        if let draco = shared.draco { own.append(("KHR_draco_mesh_compression", draco)) }
        if !own.isEmpty { members.append(("extensions", .object(own))) }
        return .object(members)
    }

    /// Strips and fans are unrolled.
    private static func mode(_ geometry: Geometry) -> Int {
        switch geometry.topology {
        case .points: 0
        case .lines: 1
        case .lineLoop: 2
        case .lineStrip: 3
        case .triangles, .triangleStrip, .triangleFan: 4
        }
    }

    private mutating func streams(of geometry: Geometry, isSkinned: Bool, place: String) -> Primitive {
        if options.compression == .draco, let packed = dracoPrimitive(geometry, isSkinned: isSkinned, place: place) { return packed }
        var result = Primitive(vertexCount: geometry.vertexCount)
        var sets = 0
        for attribute in geometry.attributes {
            switch attribute.semantic {
            case .joints, .weights: break
            case .textureCoordinate(let set) where set == sets:
                result.attributes.append(("TEXCOORD_\(set)", .integer(binary.floats(attribute.values, shape: "VEC2"))))
                sets += 1
            default:
                if let (name, accessor) = stream(attribute, of: geometry) {
                    result.attributes.append((name, .integer(accessor)))
                } else if attribute.semantic != .occlusionHarmonics {
                    // Harmonics are internal: computed again while loading.
                    warnings.append(ModelWarning(place: place, message: "\(attribute.semantic): not written"))
                }
            }
        }
        if isSkinned { addJoints(of: geometry, to: &result) }
        result.targets = geometry.morphTargets.map { target($0, of: geometry) }
        let isTriangles = Self.mode(geometry) == 4
        let isPlain = geometry.indices == nil && (!isTriangles || geometry.topology == .triangles && geometry.vertexCount % 3 == 0)
        if isPlain { return result }
        let indices = isTriangles ? geometry.triangleIndices : geometry.indices ?? []
        result.indices = binary.indices(indices, vertexCount: geometry.vertexCount, areTriangles: isTriangles)
        return result
    }

    /// nil for what glTF has no name for.
    private mutating func stream(_ attribute: VertexAttribute, of geometry: Geometry) -> (String, Int)? {
        switch attribute.semantic {
        case .position: return ("POSITION", binary.floats(attribute.values, shape: "VEC3", hasBounds: true))
        case .normal: return ("NORMAL", binary.floats(UnitVectors.normals(attribute.values), shape: "VEC3", bits: 12))
        case .tangent where geometry.attribute(.normal) != nil:
            return ("TANGENT", binary.floats(UnitVectors.tangents(attribute.values), shape: "VEC4", bits: 12))
        case .color(set: 0):
            let shape = attribute.componentCount == 3 ? "VEC3" : "VEC4"
            return ("COLOR_0", binary.floats(attribute.values.map { clamp($0, 0, 1) }, shape: shape, bits: 12))
        case .custom(let name) where name.hasPrefix("_") && attribute.componentCount <= 4:
            return (name, binary.floats(attribute.values, shape: ["SCALAR", "VEC2", "VEC3", "VEC4"][attribute.componentCount - 1]))
        default: return nil
        }
    }

    /// Pairs of joints and weights, numbered from 0. Packed files have 16-bit weights: rounded floats would no longer sum to 1.
    private mutating func addJoints(of geometry: Geometry, to primitive: inout Primitive) {
        let (joints, weights) = geometry.skinSets()
        let packed = options.compression == .none ? [] : SkinWeights.quantized(weights)
        for number in joints.indices {
            primitive.attributes.append(("JOINTS_\(number)", .integer(binary.joints(joints[number]))))
            let accessor = packed.isEmpty ? binary.floats(weights[number], shape: "VEC4") : binary.weights(packed[number])
            primitive.attributes.append(("WEIGHTS_\(number)", .integer(accessor)))
        }
    }

    mutating func target(_ target: MorphTarget, of geometry: Geometry) -> JSONText {
        var members: [(String, JSONText)] = []
        if !target.positionOffsets.isEmpty {
            members.append(("POSITION", .integer(binary.floats(target.positionOffsets, shape: "VEC3", hasBounds: true))))
        }
        if !target.normalOffsets.isEmpty, geometry.attribute(.normal) != nil {
            members.append(("NORMAL", .integer(binary.floats(target.normalOffsets, shape: "VEC3"))))
        }
        if !target.tangentOffsets.isEmpty, geometry.attribute(.normal) != nil, geometry.attribute(.tangent) != nil {
            members.append(("TANGENT", .integer(binary.floats(target.tangentOffsets, shape: "VEC3"))))
        }
        if members.isEmpty { members.append(("POSITION", .integer(binary.zeros(count: geometry.vertexCount, shape: "VEC3")))) }
        return .object(members)
    }
}
