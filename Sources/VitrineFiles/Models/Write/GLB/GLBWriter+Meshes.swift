import CCodecs
import VitrineGLTF
import VitrineMath
import VitrineScene

extension GLBWriter {
    /// The members of a primitive that depend only on its geometry.
    struct Primitive {
        var attributes: [(String, JSONText)] = []
        var indices: Int?
        /// The morph targets, each with at least one member.
        var targets: [JSONText] = []
        var vertexCount = 0
        /// The extension KHR_draco_mesh_compression, if the streams are compressed by it.
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
        let shared = primitives[key] ?? streams(of: geometry, isSkinned: isSkinned, location: "mesh \"\(mesh.name)\"")
        primitives[key] = shared
        var attributes = shared.attributes
        // A material may refer to coordinates that the geometry does not have: they are 0, as in rendering.
        let worn = [part.ownMaterial] + part.alternatives.map { $0.material }
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
        // All primitives of a mesh have the same number.
        var targets = shared.targets
        while targets.count < targetCount {
            targets.append(.object([("POSITION", .integer(binary.zeros(count: shared.vertexCount, shape: "VEC3")))]))
        }
        if !targets.isEmpty { members.append(("targets", .array(targets))) }
        if let draco = shared.draco { own.append(("KHR_draco_mesh_compression", draco)) }
        if !own.isEmpty { members.append(("extensions", .object(own))) }
        return .object(members)
    }

    /// Returns the mode; strips and fans are converted to lists.
    private static func mode(_ geometry: Geometry) -> Int {
        switch geometry.topology {
        case .points: 0
        case .lines: 1
        case .lineLoop: 2
        case .lineStrip: 3
        case .triangles, .triangleStrip, .triangleFan: 4
        }
    }

    private mutating func streams(of geometry: Geometry, isSkinned: Bool, location: String) -> Primitive {
        if options.compression == .draco, let packed = dracoPrimitive(geometry, isSkinned: isSkinned, location: location) { return packed }
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
                } else if attribute.semantic == .occlusionHarmonics {
                    // Other programs do not read harmonics, and most uses of Vitrine compute them again.
                    if options.writesOcclusion { result.attributes += occlusion(attribute.values) }
                } else {
                    warnings.append(ModelWarning(location: location, message: "\(attribute.semantic): not written"))
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

    /// Adds a stream; returns nil for a semantic that glTF does not have.
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

    private mutating func occlusion(_ values: [Float]) -> [(String, JSONText)] {
        OcclusionAttributes.names.enumerated().map { index, name in
            let width = OcclusionAttributes.widths[index]
            let accessor = binary.fractions(OcclusionAttributes.encode(values, attribute: index), width: width)
            return (name, .integer(accessor))
        }
    }

    /// Adds pairs of joints and weights, numbered from 0. Compressed files have 16-bit weights, because rounded floats would not sum to 1.
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

extension GLBWriter {
    /// A stream to be compressed by Draco.
    private struct PackedStream {
        let name: String
        let stream: DracoCodec.Stream
        let shape: String
        /// Whether integers represent fractions of 1.
        var isNormalized = false
        var type: Int { stream.isInteger ? 5123 : 5126 }
    }

    /// Compresses a geometry's streams with Draco; returns nil if they are not triangles. Geometries that Draco rejects are written uncompressed, with a
    /// warning.
    mutating func dracoPrimitive(_ geometry: Geometry, isSkinned: Bool, location: String) -> Primitive? {
        guard geometry.triangleCount > 0 else { return nil }
        let streams = packedStreams(of: geometry, isSkinned: isSkinned, location: location)
        let keepsOrder = !geometry.morphTargets.isEmpty
        do throws(GLTFDecoderError) {
            let bytes = try DracoCodec.encode(
                indices: geometry.triangleIndices, vertexCount: geometry.vertexCount, streams: streams.map(\.stream), keepsOrder: keepsOrder
            )
            // The decoded result is used: vertices may be split or merged, and positions are rounded.
            let mesh = try DracoCodec.decode(bytes[...], limit: Int(UInt32.max))
            guard !keepsOrder || mesh.vertexCount == geometry.vertexCount else {
                throw GLTFDecoderError("the order of the vertices would change")
            }
            return primitive(geometry, streams, bytes: bytes, mesh: mesh)
        } catch {
            warnings.append(ModelWarning(location: location, message: "not compressed: \(error.text)"))
            return nil
        }
    }

    private mutating func primitive(_ geometry: Geometry, _ streams: [PackedStream], bytes: [UInt8], mesh: DracoMesh) -> Primitive {
        require("KHR_draco_mesh_compression")
        var result = Primitive(vertexCount: mesh.vertexCount)
        for (id, stream) in streams.enumerated() {
            let values = mesh.streams.first { $0.id == id }?.values ?? []
            let bounds = stream.name == "POSITION" ? GLBBuffer.bounds(values, width: 3) : nil
            let accessor = binary.accessor(
                view: nil, type: stream.type, count: mesh.vertexCount, shape: stream.shape, bounds: bounds,
                isNormalized: stream.isNormalized)
            result.attributes.append((stream.name, .integer(accessor)))
        }
        result.indices = binary.accessor(
            view: nil, type: mesh.vertexCount <= 0xFFFF ? 5123 : 5125, count: mesh.indices.count, shape: "SCALAR")
        result.targets = geometry.morphTargets.map { target($0, of: geometry) }
        let ids = streams.indices.map { (streams[$0].name, JSONText.integer($0)) }
        result.draco = .object([("bufferView", .integer(binary.view(bytes))), ("attributes", .object(ids))])
        return result
    }

    private mutating func packedStreams(of geometry: Geometry, isSkinned: Bool, location: String) -> [PackedStream] {
        var (streams, sets): ([PackedStream], Int) = ([], 0)
        func add(
            _ name: String, _ kind: vitrine_draco_kind, _ width: Int, bits: Int, _ values: [Float], isInteger: Bool = false,
            isNormalized: Bool = false
        ) {
            let stream = DracoCodec.Stream(kind: kind, componentCount: width, bits: bits, isInteger: isInteger, values: values)
            let shape = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1]
            streams.append(PackedStream(name: name, stream: stream, shape: shape, isNormalized: isNormalized))
        }
        for attribute in geometry.attributes {
            let (values, width) = (attribute.values, attribute.componentCount)
            switch attribute.semantic {
            case .position: add("POSITION", vitrine_draco_position, 3, bits: 14, values)
            case .normal: add("NORMAL", vitrine_draco_normal, 3, bits: 10, UnitVectors.normals(values))
            // Rounded, the sign in the fourth component would be neither 1 nor −1.
            case .tangent where geometry.attribute(.normal) != nil:
                add("TANGENT", vitrine_draco_generic, 4, bits: 0, UnitVectors.tangents(values))
            case .textureCoordinate(let set) where set == sets:
                add("TEXCOORD_\(set)", vitrine_draco_coordinate, 2, bits: 12, values)
                sets += 1
            case .color(set: 0): add("COLOR_0", vitrine_draco_color, width, bits: 10, values.map { clamp($0, 0, 1) })
            case .custom(let name) where name.hasPrefix("_") && width <= 4: add(name, vitrine_draco_generic, width, bits: 0, values)
            case .joints, .weights, .occlusionHarmonics: break
            default: warnings.append(ModelWarning(location: location, message: "\(attribute.semantic): not written"))
            }
        }
        guard isSkinned else { return streams }
        let (joints, weights) = geometry.skinSets()
        // Integers are lossless, so that the weights still sum to 1.
        for (number, values) in SkinWeights.quantized(weights).enumerated() {
            add("JOINTS_\(number)", vitrine_draco_generic, 4, bits: 0, joints[number], isInteger: true)
            add("WEIGHTS_\(number)", vitrine_draco_generic, 4, bits: 0, values.map { Float($0) }, isInteger: true, isNormalized: true)
        }
        return streams
    }
}

extension GLBWriter {
    mutating func animations() -> [JSONText] {
        var list: [JSONText] = []
        for (number, clip) in contents.clips.enumerated() {
            let location = "animation \"\(clip.name.isEmpty ? "\(number)" : clip.name)\""
            let tracks = clip.tracks.filter { track in
                if track.track.target == .morphWeights || Self.hasParts(contents.entries[track.entry]) { return true }
                let node = contents.entries[track.entry].node.name
                warnings.append(
                    ModelWarning(
                        location: location, message: "a track of node \"\(node)\", which has shear or a pivot: not supported by glTF")
                )
                return false
            }
            if !tracks.isEmpty { list.append(json(tracks, name: clip.name, location: location)) }
        }
        return list
    }

    private mutating func json(_ tracks: [SceneContents.TrackEntry], name: String, location: String) -> JSONText {
        let first = tracks.reduce(Float(0)) { min($0, $1.track.times[0]) }
        if first < 0 {
            warnings.append(ModelWarning(location: location, message: "begins at \(first) s: moved to 0, as glTF requires"))
        }
        // Tracks often share their times.
        var inputs: [[Float]: Int] = [:]
        var (samplers, channels): ([JSONText], [JSONText]) = ([], [])
        for entry in tracks {
            let times = first < 0 ? entry.track.times.map { $0 - first } : entry.track.times
            let input = inputs[times] ?? binary.floats(times, shape: "SCALAR", hasBounds: true, use: .data)
            inputs[times] = input
            let output = binary.floats(Self.values(entry.track), shape: Self.shape(entry.track.target), use: .data)
            let node = entry.track.target == .morphWeights ? meshNumber(ofEntry: entry.entry) : nodeNumbers[entry.entry]
            let channel: [(String, JSONText)] = [
                ("sampler", .integer(samplers.count)),
                (
                    "target",
                    .object([("node", .integer(node)), ("path", .string(Self.path(entry.track.target)))])
                ),
            ]
            samplers.append(
                .object([
                    ("input", .integer(input)), ("interpolation", .string(Self.interpolation(entry.track.interpolation))),
                    ("output", .integer(output)),
                ]))
            channels.append(.object(channel))
        }
        let label: [(String, JSONText)] = name.isEmpty ? [] : [("name", .string(name))]
        return .object(label + [("channels", .array(channels)), ("samplers", .array(samplers))])
    }

    /// Returns the values of a track. Rotations are unit quaternions in the file; the tangents of cubic ones do not change.
    private static func values(_ track: AnimationTrack) -> [Float] {
        guard track.target == .rotation, track.interpolation != .cubic else { return track.values }
        return stride(from: 0, to: track.values.count - 3, by: 4).flatMap { first -> [Float] in
            let vector = Vector4(track.values[first], track.values[first + 1], track.values[first + 2], track.values[first + 3])
            let size = length(vector)
            if abs(size - 1) < 1e-5 { return [vector.x, vector.y, vector.z, vector.w] }
            let unit = size > 0 ? vector / size : Vector4(0, 0, 0, 1)
            return [unit.x, unit.y, unit.z, unit.w]
        }
    }

    private static func shape(_ target: AnimationTarget) -> String {
        switch target {
        case .translation, .scale: "VEC3"
        case .rotation: "VEC4"
        case .morphWeights: "SCALAR"
        }
    }

    private static func path(_ target: AnimationTarget) -> String {
        switch target {
        case .translation: "translation"
        case .rotation: "rotation"
        case .scale: "scale"
        case .morphWeights: "weights"
        }
    }

    private static func interpolation(_ interpolation: Interpolation) -> String {
        switch interpolation {
        case .step: "STEP"
        case .linear: "LINEAR"
        case .cubic: "CUBICSPLINE"
        }
    }
}
