import VitrineMath
import VitrineScene

/// A scene as glTF 2.0, binary or text: one buffer, a view a stream, images embedded in the binary and beside the text.
///
/// After the glTF 2.0 specification (Khronos, 2021), and the rules of its validator: aligned chunks and views, exact minima and maxima,
/// unit normals, `u16` indices where they suffice.
struct GLBWriter {
    var contents: SceneContents
    var pool: TexturePool
    let options: ModelWriteOptions
    var binary: GLBBuffer
    var warnings: [ModelWarning] = []
    var extensions: Set<String> = []
    /// Those of `extensions` that a reader must know.
    var required: Set<String> = []
    /// By entry: its number in the file. Differs where nodes became instances.
    var nodeNumbers: [Int] = []
    /// By entry: the entries that it stands for, itself first.
    var instances: [Int: [Int]] = [:]
    /// Indices of the meshes that some node shows with a skin.
    var skinnedMeshes: Set<Int> = []
    /// Entries whose skinned mesh is written at the root of the scene. See `GLBWriter+SkinnedMeshes.swift`.
    var skinnedRoots: [SkinnedRoot] = []
    /// By entry: `SkinnedRoot.number`.
    var skinnedNumbers: [Int: Int] = [:]
    var samplers: [Sampler] = []
    var textures: [GLBTexture] = []
    var cameras: [Camera] = []
    var lights: [(name: String, light: Light)] = []
    /// By geometry: parts that share one share its accessors.
    var primitives: [PrimitiveKey: Primitive] = [:]

    init(_ contents: SceneContents, pool: TexturePool, options: ModelWriteOptions) {
        (self.contents, self.pool, self.options) = (contents, pool, options)
        binary = GLBBuffer(compression: options.compression, sharesAccessors: options.sharesAccessors)
    }

    /// A `.glb`.
    mutating func write(name: String) throws(ModelFileError) -> EncodedModel {
        let members = try members()
        let images = pool.images.map { image in
            Self.image(
                image, [("mimeType", .string("image/\(image.kind.rawValue)")), ("bufferView", .integer(binary.view(image.bytes)))])
        }
        let layout = binary.laidOut()
        let document = document(members, images: images, layout: layout, uri: nil)
        let file = try container(json: Self.bytes(document, name: name), binary: layout.bytes)
        return EncodedModel(files: [.init(name: name, bytes: file)], warnings: contents.warnings + warnings, textureBytes: pool.byteCount)
    }

    /// A `.gltf` with a `.bin` and its images beside it.
    mutating func writeText(name: String) throws(ModelFileError) -> EncodedModel {
        let members = try members()
        let stem = ModelFile.stem(name)
        var files: [EncodedModel.File] = []
        var images: [JSONText] = []
        for (index, image) in pool.images.enumerated() {
            let file = "\(stem)_\(index).\(image.pathExtension)"
            files.append(.init(name: file, bytes: image.bytes))
            images.append(Self.image(image, [("uri", .string(Self.uri(file)))]))
        }
        let layout = binary.laidOut()
        if !layout.bytes.isEmpty { files.insert(.init(name: "\(stem).bin", bytes: layout.bytes), at: 0) }
        let document = document(members, images: images, layout: layout, uri: Self.uri("\(stem).bin"))
        let bytes = try Self.bytes(document, name: name)
        return EncodedModel(
            files: [.init(name: name, bytes: bytes)] + files, warnings: contents.warnings + warnings, textureBytes: pool.byteCount)
    }

    private static func bytes(_ document: JSONText, name: String) throws(ModelFileError) -> [UInt8] {
        if let place = document.placeOfUnwritable {
            throw ModelFileError(file: name, place: place, reason: .notWritable("contains a number that is not finite"))
        }
        return document.utf8
    }

    // MARK: The document

    /// What both kinds have alike. Fills the buffer and the pool.
    private mutating func members() throws(ModelFileError) -> [(String, JSONText)] {
        warnings = contents.losses([.opacity])
        findInstances()
        findSkinnedMeshes()
        var materials: [JSONText] = []
        for material in contents.materials { materials.append(try json(material)) }
        var meshes: [JSONText] = []
        for index in contents.meshes.indices { meshes.append(try json(mesh: index)) }
        var nodes: [JSONText] = []
        for (index, entry) in contents.entries.enumerated() where isWritten(entry: index) { nodes.append(json(entry, number: index)) }
        for root in skinnedRoots where root.number != nodeNumbers[root.entry] { nodes.append(json(skinnedMeshOf: root.entry)) }
        return [
            ("asset", .object([("version", .string("2.0")), ("generator", .string(options.generator))])),
            ("scene", .integer(0)), ("scenes", .array([scene])), ("nodes", .array(nodes)), ("meshes", .array(meshes)),
            ("skins", .array(contents.skins.map { json($0) })), ("animations", .array(animations())),
            ("cameras", .array(cameras.map { Self.json($0) })), ("materials", .array(materials)),
        ]
    }

    private mutating func document(
        _ members: [(String, JSONText)], images: [JSONText], layout: GLBBuffer.Layout, uri: String?
    ) -> JSONText {
        var members = members
        if layout.unpackedLength > 0 { require("EXT_meshopt_compression") }
        members += [
            ("textures", .array(textures.map(\.json))), ("images", .array(images)), ("samplers", .array(samplers.map { Self.json($0) })),
            ("accessors", .array(binary.accessors)), ("bufferViews", .array(layout.views)),
            ("buffers", .array(Self.buffers(layout, uri: uri))), ("extensionsUsed", .array(extensions.sorted().map { .string($0) })),
            ("extensionsRequired", .array(required.sorted().map { .string($0) })),
        ]
        var root: [(String, JSONText)] = []
        if !lights.isEmpty {
            let list = JSONText.object([("lights", .array(lights.map { Self.json($0.light, name: $0.name) }))])
            root.append(("KHR_lights_punctual", list))
        }
        if extensions.contains("KHR_materials_variants") { root.append(("KHR_materials_variants", variantList)) }
        if !root.isEmpty { members.append(("extensions", .object(root))) }
        return .object(
            members.filter { member in
                // glTF knows no empty lists.
                if case .array(let elements) = member.1 { !elements.isEmpty } else { true }
            })
    }

    private static func image(_ image: EncodedImage, _ members: [(String, JSONText)]) -> JSONText {
        .object((image.name.isEmpty ? [] : [("name", .string(image.name))]) + members)
    }

    mutating func require(_ name: String) {
        extensions.insert(name)
        required.insert(name)
    }

    private static func buffers(_ layout: GLBBuffer.Layout, uri: String?) -> [JSONText] {
        guard !layout.bytes.isEmpty else { return [] }
        let first = JSONText.object((uri.map { [("uri", .string($0))] } ?? []) + [("byteLength", .integer(layout.bytes.count))])
        guard layout.unpackedLength > 0 else { return [first] }
        let fallback = JSONText.object([("EXT_meshopt_compression", .object([("fallback", .boolean(true))]))])
        return [first, .object([("byteLength", .integer(layout.unpackedLength)), ("extensions", fallback)])]
    }

    /// A file name as a relative reference (RFC 3986): reserved characters are percent-encoded.
    private static func uri(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    private func container(json: [UInt8], binary: [UInt8]) throws(ModelFileError) -> [UInt8] {
        let text = json + Array(repeating: 0x20, count: -json.count & 3)
        let padding = -binary.count & 3
        let hasBinary = !binary.isEmpty
        let total = 12 + 8 + text.count + (hasBinary ? 8 + binary.count + padding : 0)
        guard let length = UInt32(exactly: total) else { throw contents.failure("\(total) bytes are more than a GLB can hold") }
        var file = ByteWriter(capacity: total)
        file.append("glTF".utf8)
        file.append(UInt32(2))
        file.append(length)
        file.append(UInt32(text.count))
        file.append("JSON".utf8)
        file.append(text)
        if hasBinary {
            file.append(UInt32(binary.count + padding))
            file.append("BIN\0".utf8)
            file.append(binary)
            file.append(repeatElement(0, count: padding))
        }
        return file.bytes
    }
}
