import VitrineMath
import VitrineScene

/// A scene as a binary glTF 2.0 file: one buffer, a view a stream, pictures embedded.
///
/// After the glTF 2.0 specification (Khronos, 2021), and the rules of its validator: aligned chunks and views, exact minima and maxima,
/// unit normals, `u16` indices where they suffice.
struct GLBWriter {
    var contents: SceneContents
    var pool: TexturePool
    let options: ModelWriteOptions
    private var binary = GLBBuffer()
    var warnings: [ModelWarning] = []
    var extensions: Set<String> = []
    var samplers: [Sampler] = []
    var textures: [GLBTexture] = []
    /// By geometry: parts that share one share its accessors.
    private var primitives: [ObjectIdentifier: (attributes: [(String, JSONText)], indices: Int?)] = [:]

    init(_ contents: SceneContents, pool: TexturePool, options: ModelWriteOptions) {
        (self.contents, self.pool, self.options) = (contents, pool, options)
    }

    mutating func write(name: String) throws(ModelFileError) -> EncodedModel {
        var materials: [JSONText] = []
        for material in contents.materials { materials.append(try json(material)) }
        var meshes: [JSONText] = []
        for index in contents.meshes.indices { meshes.append(try json(mesh: index)) }
        let images = images()
        var members: [(String, JSONText)] = [
            ("asset", .object([("version", .string("2.0")), ("generator", .string(options.generator))])),
            ("scene", .integer(0)), ("scenes", .array([scene])),
        ]
        func add(_ key: String, _ elements: [JSONText]) {
            if !elements.isEmpty { members.append((key, .array(elements))) }
        }
        add("nodes", contents.entries.map { json($0) })
        add("meshes", meshes)
        add("materials", materials)
        add("textures", textures.map(\.json))
        add("images", images)
        add("samplers", samplers.map { Self.json($0) })
        add("accessors", binary.accessors)
        add("bufferViews", binary.views)
        if !binary.bytes.isEmpty { add("buffers", [.object([("byteLength", .integer(binary.bytes.count))])]) }
        add("extensionsUsed", extensions.sorted().map { .string($0) })
        let bytes = try container(json: JSONText.object(members).utf8)
        return EncodedModel(files: [.init(name: name, bytes: bytes)], warnings: contents.warnings + warnings)
    }

    private func container(json: [UInt8]) throws(ModelFileError) -> [UInt8] {
        let text = json + Array(repeating: 0x20, count: -json.count & 3)
        let padding = -binary.bytes.count & 3
        let hasBinary = !binary.bytes.isEmpty
        let total = 12 + 8 + text.count + (hasBinary ? 8 + binary.bytes.count + padding : 0)
        guard let length = UInt32(exactly: total) else { throw contents.failure("\(total) bytes are more than a GLB can hold") }
        var file = ByteWriter(capacity: total)
        file.append("glTF".utf8)
        file.append(UInt32(2))
        file.append(length)
        file.append(UInt32(text.count))
        file.append("JSON".utf8)
        file.append(text)
        if hasBinary {
            file.append(UInt32(binary.bytes.count + padding))
            file.append("BIN\0".utf8)
            file.append(binary.bytes)
            file.append(repeatElement(0, count: padding))
        }
        return file.bytes
    }

    // MARK: Nodes

    private var scene: JSONText {
        var members: [(String, JSONText)] = contents.name.isEmpty ? [] : [("name", .string(contents.name))]
        let roots = contents.roots
        if !roots.isEmpty { members.append(("nodes", .integers(roots))) }
        return .object(members)
    }

    private func json(_ entry: SceneContents.Entry) -> JSONText {
        var members: [(String, JSONText)] = entry.node.name.isEmpty ? [] : [("name", .string(entry.node.name))]
        if let mesh = entry.mesh { members.append(("mesh", .integer(mesh))) }
        members += Self.placement(entry)
        if !entry.children.isEmpty { members.append(("children", .integers(entry.children))) }
        return .object(members)
    }

    private static func placement(_ entry: SceneContents.Entry) -> [(String, JSONText)] {
        let (local, matrix) = (entry.node.localTransform, entry.parentFromLocal)
        if matrix == .identity { return [] }
        guard local.matrix == matrix else {
            let values = [matrix.x, matrix.y, matrix.z, matrix.w].flatMap { [$0.x, $0.y, $0.z, $0.w] }
            return [("matrix", .floats(values))]
        }
        var members: [(String, JSONText)] = []
        if local.translation != Vector3(repeating: 0) { members.append(("translation", .floats(local.translation.array))) }
        let rotation = local.rotation.normalized
        if rotation != .identity {
            members.append(("rotation", .floats([rotation.vector.x, rotation.vector.y, rotation.vector.z, rotation.vector.w])))
        }
        if local.scale != Vector3(repeating: 1) { members.append(("scale", .floats(local.scale.array))) }
        return members
    }

    // MARK: Meshes

    private mutating func json(mesh index: Int) throws(ModelFileError) -> JSONText {
        let mesh = contents.meshes[index]
        var primitives: [JSONText] = []
        for part in contents.parts[index] { primitives.append(primitive(part, mesh: mesh)) }
        let name: [(String, JSONText)] = mesh.name.isEmpty ? [] : [("name", .string(mesh.name))]
        return .object(name + [("primitives", .array(primitives))])
    }

    private mutating func primitive(_ part: MeshPart, mesh: Mesh) -> JSONText {
        let geometry = part.geometry
        let id = ObjectIdentifier(geometry)
        let shared = primitives[id] ?? streams(of: geometry, place: "mesh \"\(mesh.name)\"")
        primitives[id] = shared
        var attributes = shared.attributes
        // A material may ask for coordinates that the geometry lacks: they read as 0, as they do on the screen.
        let sets = 1 + (part.material.textureMaps.map(\.set).max() ?? -1)
        let had = attributes.count { $0.0.hasPrefix("TEXCOORD_") }
        for set in had..<max(had, sets) {
            let zeros = binary.floats([Float](repeating: 0, count: geometry.vertexCount * 2), shape: "VEC2")
            attributes.append(("TEXCOORD_\(set)", .integer(zeros)))
        }
        var members: [(String, JSONText)] = [("attributes", .object(attributes))]
        if let indices = shared.indices { members.append(("indices", .integer(indices))) }
        members.append(("material", .integer(contents.index(of: part.material))))
        members.append(("mode", .integer(Self.mode(geometry))))
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

    private mutating func streams(of geometry: Geometry, place: String) -> (attributes: [(String, JSONText)], indices: Int?) {
        var attributes: [(String, JSONText)] = []
        var sets = 0
        for attribute in geometry.attributes {
            switch attribute.semantic {
            case .position:
                attributes.append(("POSITION", .integer(binary.floats(attribute.values, shape: "VEC3", hasBounds: true))))
            case .normal:
                attributes.append(("NORMAL", .integer(binary.floats(UnitVectors.normals(attribute.values), shape: "VEC3"))))
            case .tangent where geometry.attribute(.normal) != nil:
                attributes.append(("TANGENT", .integer(binary.floats(UnitVectors.tangents(attribute.values), shape: "VEC4"))))
            case .textureCoordinate(let set) where set == sets:
                attributes.append(("TEXCOORD_\(set)", .integer(binary.floats(attribute.values, shape: "VEC2"))))
                sets += 1
            case .color(set: 0):
                let shape = attribute.componentCount == 3 ? "VEC3" : "VEC4"
                attributes.append(("COLOR_0", .integer(binary.floats(attribute.values.map { clamp($0, 0, 1) }, shape: shape))))
            case .custom(let name) where name.hasPrefix("_") && attribute.componentCount <= 4:
                let shape = ["SCALAR", "VEC2", "VEC3", "VEC4"][attribute.componentCount - 1]
                attributes.append((name, .integer(binary.floats(attribute.values, shape: shape))))
            // The viewer's own: worked out again at load.
            case .occlusionHarmonics: break
            default: warnings.append(ModelWarning(place: place, message: "\(attribute.semantic): not written"))
            }
        }
        let isTriangles = Self.mode(geometry) == 4
        let isPlain = geometry.indices == nil && (!isTriangles || geometry.topology == .triangles && geometry.vertexCount % 3 == 0)
        if isPlain { return (attributes, nil) }
        let indices = isTriangles ? geometry.triangleIndices : geometry.indices ?? []
        return (attributes, binary.indices(indices, vertexCount: geometry.vertexCount))
    }

    // MARK: Pictures

    private mutating func images() -> [JSONText] {
        pool.pictures.map { picture in
            let view = binary.view(picture.bytes)
            let name: [(String, JSONText)] = picture.name.isEmpty ? [] : [("name", .string(picture.name))]
            return .object(name + [("mimeType", .string("image/\(picture.kind.rawValue)")), ("bufferView", .integer(view))])
        }
    }
}
