import VitrineMath
import VitrineScene

/// Writes a scene as glTF 2.0, binary or text: one buffer with one view per stream; images are embedded in the binary form and separate files in text.
///
/// Based on the glTF 2.0 specification (Khronos, 2021) and the rules of its validator: aligned chunks and views, exact minima and maxima, unit
/// normals, `u16` indices where they suffice.
struct GLBWriter {
    var contents: SceneContents
    var pool: TexturePool
    let options: ModelWriteOptions
    var binary: GLBBuffer
    var warnings: [ModelWarning] = []
    var extensions: Set<String> = []
    /// The extensions that a reader must support.
    private var required: Set<String> = []
    /// The number of each entry's node in the file, which differs if nodes became instances.
    private(set) var nodeNumbers: [Int] = []
    /// The entries that each entry with instances represents, itself first.
    private var instances: [Int: [Int]] = [:]
    /// The indices of the meshes of nodes with a skin.
    private(set) var skinnedMeshes: Set<Int> = []
    /// The entries whose skinned mesh is written at the root of the scene. See `GLBWriter+SkinnedMeshes.swift`.
    private var skinnedRoots: [SkinnedRoot] = []
    /// The number of the skinned root (`SkinnedRoot.number`) of each entry.
    private var skinnedNumbers: [Int: Int] = [:]
    var samplers: [Sampler] = []
    var textures: [GLBTexture] = []
    private var cameras: [Camera] = []
    private var lights: [(name: String, light: Light)] = []
    /// The primitives by geometry: parts with the same geometry share its accessors.
    var primitives: [PrimitiveKey: Primitive] = [:]

    init(_ contents: SceneContents, pool: TexturePool, options: ModelWriteOptions) {
        (self.contents, self.pool, self.options) = (contents, pool, options)
        binary = GLBBuffer(compression: options.compression, sharesAccessors: options.sharesAccessors)
    }

    /// Writes a `.glb`.
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

    /// Writes a `.gltf` with a separate `.bin` and images.
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
        if let location = document.locationOfUnwritable {
            throw ModelFileError(file: name, location: location, reason: .notWritable("contains a number that is not finite"))
        }
        return document.utf8
    }

    // MARK: The document

    /// Returns the members that both forms share. Fills the buffer and the pool.
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
        var asset: [(String, JSONText)] = [("version", .string("2.0")), ("generator", .string(options.generator))]
        if !options.estimates.isEmpty {
            asset.append(("extras", .object([("estimates", .array(options.estimates.map { .string($0) }))])))
        }
        return [
            ("asset", .object(asset)),
            ("scene", .integer(0)), ("scenes", .array([scene()])), ("nodes", .array(nodes)), ("meshes", .array(meshes)),
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
                // glTF does not allow empty lists.
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

    /// Returns a file name as a relative reference (RFC 3986): reserved characters are percent-encoded.
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
        guard let length = UInt32(exactly: total) else { throw contents.failure("\(total) bytes exceed the limit of a GLB") }
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

extension GLBWriter {
    mutating func scene() -> JSONText {
        var members: [(String, JSONText)] = contents.name.isEmpty ? [] : [("name", .string(contents.name))]
        let roots =
            contents.roots.filter { isWritten(entry: $0) && !isMovedToRoot(entry: $0) }.map { nodeNumbers[$0] }
            + skinnedRoots.map(\.number)
        if !roots.isEmpty { members.append(("nodes", .integers(roots))) }
        if let volume = contents.irradianceVolume {
            members.append(("extensions", .object([use("VITRINE_irradiance_volume", json(volume))])))
        }
        return .object(members)
    }

    private mutating func json(_ volume: IrradianceVolume) -> JSONText {
        let (low, high, counts) = (volume.box.minimum, volume.box.maximum, volume.counts)
        let values = volume.coefficients.flatMap { [$0.x, $0.y, $0.z, $0.w] }
        return .object([
            ("min", .floats([low.x, low.y, low.z])), ("max", .floats([high.x, high.y, high.z])),
            ("counts", .integers([counts.x, counts.y, counts.z])),
            ("coefficients", .integer(binary.floats(values, shape: "VEC4", use: .data))),
        ])
    }

    mutating func json(_ entry: SceneContents.Entry, number: Int) -> JSONText {
        if let members = instances[number] { return json(instances: members) }
        let node = entry.node
        var members: [(String, JSONText)] = node.name.isEmpty ? [] : [("name", .string(node.name))]
        if let camera = node.camera, let index = index(of: camera, at: entry.location) { members.append(("camera", .integer(index))) }
        if !hasSeparateMeshNode(entry: number) { members += meshMembers(entry) }
        if isMovedToRoot(entry: number) { return .object(members) }
        if !Self.hasParts(entry), Self.isSheared(entry.parentFromLocal) {
            let message = "a sheared transform: written as a matrix, whose shear glTF readers may ignore"
            warnings.append(ModelWarning(location: entry.location, message: message))
        }
        members += Self.placement(entry)
        let children = entry.children.filter { isWritten(entry: $0) && !isMovedToRoot(entry: $0) }
        if !children.isEmpty { members.append(("children", .integers(children.map { nodeNumbers[$0] }))) }
        if let light = node.light, let index = index(of: light, name: node.name, at: entry.location) {
            members.append(("extensions", .object([("KHR_lights_punctual", .object([("light", .integer(index))]))])))
        }
        return .object(members)
    }

    /// Returns as many weights as targets; those that cannot be written are 0.
    static func weights(_ weights: [Float], count: Int) -> JSONText {
        .floats((0..<count).map { $0 < weights.count && weights[$0].isFinite ? weights[$0] : 0 })
    }

    /// Returns whether the node's transform is written as translation, rotation and scale, which animations require.
    static func hasParts(_ entry: SceneContents.Entry) -> Bool {
        entry.parentFromLocal == .identity || entry.node.localTransform.matrix == entry.parentFromLocal
    }

    /// Returns whether the axes are not perpendicular, beyond rounding errors.
    private static func isSheared(_ matrix: Matrix4) -> Bool {
        let (x, y, z) = (normalize(matrix.x.xyz), normalize(matrix.y.xyz), normalize(matrix.z.xyz))
        return max(abs(dot(x, y)), abs(dot(y, z)), abs(dot(z, x))) > 1e-3
    }

    private static func placement(_ entry: SceneContents.Entry) -> [(String, JSONText)] {
        let (local, matrix) = (entry.node.localTransform, entry.parentFromLocal)
        if matrix == .identity { return [] }
        guard hasParts(entry) else {
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

    // MARK: Skins

    mutating func json(_ entry: SceneContents.SkinEntry) -> JSONText {
        var matrices: [Float] = []
        for m in entry.skin.inverseBindMatrices {
            // The last row is exact by the specification.
            for (column, last) in [(m.x, 0), (m.y, 0), (m.z, 0), (m.w, 1)] as [(Vector4, Float)] {
                matrices += [column.x, column.y, column.z, last]
            }
        }
        let name: [(String, JSONText)] = entry.skin.name.isEmpty ? [] : [("name", .string(entry.skin.name))]
        let accessor = binary.floats(matrices, shape: "MAT4", use: .data)
        return .object(name + [("inverseBindMatrices", .integer(accessor)), ("joints", .integers(entry.joints.map { nodeNumbers[$0] }))])
    }

    // MARK: Cameras

    /// Returns the index of a camera; nil if glTF does not support it.
    private mutating func index(of camera: Camera, at location: String) -> Int? {
        func warn(_ message: String) { warnings.append(ModelWarning(location: location, message: message)) }
        let isSound: Bool =
            switch camera.projection {
            case .perspective(let angle): camera.near > 0 && camera.far > camera.near && angle.radians > 0 && angle.radians < .pi
            case .orthographic(let scale): camera.near >= 0 && camera.far > camera.near && scale > 0 && scale.isFinite
            }
        guard isSound, camera.near.isFinite else {
            warn("a camera: not written (near, far or size is invalid)")
            return nil
        }
        if camera.exposure != 0 { warn("the camera's exposure of \(camera.exposure) stops: not written") }
        if case .orthographic = camera.projection {
            if camera.aspectRatio == nil { warn("the orthographic camera has no aspect ratio: written as a square") }
            if !camera.far.isFinite { warn("the far distance of the orthographic camera is infinite: written as \(Self.far(camera)) m") }
        }
        if let known = cameras.firstIndex(of: camera) { return known }
        cameras.append(camera)
        return cameras.count - 1
    }

    private static func far(_ camera: Camera) -> Float { camera.far.isFinite ? camera.far : camera.near + 1e6 }

    static func json(_ camera: Camera) -> JSONText {
        switch camera.projection {
        case .perspective(let angle):
            var values: [(String, JSONText)] = [("yfov", .float(angle.radians)), ("znear", .float(camera.near))]
            if camera.far.isFinite { values.append(("zfar", .float(camera.far))) }
            if let aspect = camera.aspectRatio, aspect > 0 { values.append(("aspectRatio", .float(aspect))) }
            return .object([("type", .string("perspective")), ("perspective", .object(values))])
        case .orthographic(let scale):
            let values: [(String, JSONText)] = [
                ("xmag", .float(scale * (camera.aspectRatio ?? 1))), ("ymag", .float(scale)), ("znear", .float(camera.near)),
                ("zfar", .float(far(camera))),
            ]
            return .object([("type", .string("orthographic")), ("orthographic", .object(values))])
        }
    }

    // MARK: Lights

    /// Returns the index of a light; nil if KHR_lights_punctual does not support it.
    private mutating func index(of light: Light, name: String, at location: String) -> Int? {
        switch light.kind {
        case .directional, .point, .spot: break
        default:
            warnings.append(ModelWarning(location: location, message: "its \(light.kind) light: not supported by glTF"))
            return nil
        }
        let colour = light.linearIntensity
        guard colour.x.isFinite, colour.y.isFinite, colour.z.isFinite, colour.min() >= 0 else {
            warnings.append(
                ModelWarning(location: location, message: "a light: not written (its colour or intensity is negative or not a number)"))
            return nil
        }
        if light.attenuation != .inverseSquare, light.kind != .directional {
            warnings.append(ModelWarning(location: location, message: "a light's attenuation other than 1/d²: not written"))
        }
        extensions.insert("KHR_lights_punctual")
        lights.append((name, light))
        return lights.count - 1
    }

    static func json(_ light: Light, name: String) -> JSONText {
        let colour = light.linearIntensity
        // Colours are limited to 1 in the file; the rest is intensity. Values within 0…1 are exact.
        let own = light.color.linear.xyz
        let isPlain = light.temperature == nil && own.max() <= 1 && own.min() >= 0
        let intensity = isPlain ? light.intensity : colour.max()
        let tint = isPlain ? own : intensity > 0 ? colour / intensity : Vector3(repeating: 1)
        var members: [(String, JSONText)] = name.isEmpty ? [] : [("name", .string(name))]
        switch light.kind {
        case .directional: members.append(("type", .string("directional")))
        case .spot(let inner, let outer):
            let cone: [(String, JSONText)] = [("innerConeAngle", .float(inner.radians)), ("outerConeAngle", .float(outer.radians))]
            members += [("type", .string("spot")), ("spot", .object(cone))]
        default: members.append(("type", .string("point")))
        }
        if tint != Vector3(repeating: 1) { members.append(("color", .floats(tint.array))) }
        members.append(("intensity", .float(intensity)))
        if let range = light.range, range > 0, range.isFinite, light.kind != .directional { members.append(("range", .float(range))) }
        return .object(members)
    }
}

/// Instances by EXT_mesh_gpu_instancing.
extension GLBWriter {
    /// Numbers the nodes; a group of instances has one number.
    mutating func findInstances() {
        var stands = [Bool](repeating: true, count: contents.entries.count)
        if options.writesInstances {
            let busy = busyEntries
            for siblings in [contents.roots] + contents.entries.map(\.children) {
                var groups: [Int: [Int]] = [:]
                for index in siblings where !busy.contains(index) {
                    if let mesh = contents.entries[index].mesh { groups[mesh, default: []].append(index) }
                }
                for (_, members) in groups.sorted(by: { $0.key < $1.key }) where members.count > 1 {
                    instances[members[0]] = members
                    for member in members.dropFirst() { stands[member] = false }
                }
            }
        }
        var number = 0
        nodeNumbers = stands.map { stands in
            defer { number += stands ? 1 : 0 }
            return stands ? number : -1
        }
    }

    func isWritten(entry index: Int) -> Bool { nodeNumbers[index] >= 0 }

    /// The entries with other content than a mesh and a transform.
    private var busyEntries: Set<Int> {
        var busy = Set(contents.skins.flatMap(\.joints) + contents.clips.flatMap { $0.tracks.map(\.entry) })
        for (index, entry) in contents.entries.enumerated() {
            let node = entry.node
            let isPlain =
                entry.children.isEmpty && entry.skin == nil && node.camera == nil && node.light == nil && node.morphWeights.isEmpty
                && node.opacity == 1 && Self.hasParts(entry)
            if !isPlain { busy.insert(index) }
        }
        return busy
    }

    mutating func json(instances members: [Int]) -> JSONText {
        extensions.insert("EXT_mesh_gpu_instancing")
        let entries = members.map { contents.entries[$0] }
        let transforms = entries.map { $0.parentFromLocal == .identity ? Transform.identity : $0.node.localTransform }
        let name = entries[0].node.name
        if entries.contains(where: { !$0.node.name.isEmpty && $0.node.name != name }) {
            warnings.append(
                ModelWarning(location: entries[0].location, message: "represents \(members.count) instances, whose names are not written"))
        }
        var attributes: [(String, JSONText)] = []
        let translations = transforms.flatMap { $0.translation.array }
        attributes.append(("TRANSLATION", .integer(binary.floats(translations, shape: "VEC3", use: .data))))
        if transforms.contains(where: { $0.rotation != .identity }) {
            let rotations = transforms.flatMap { transform -> [Float] in
                let vector = transform.rotation.normalized.vector
                return [vector.x, vector.y, vector.z, vector.w]
            }
            attributes.append(("ROTATION", .integer(binary.floats(rotations, shape: "VEC4", use: .data))))
        }
        if transforms.contains(where: { $0.scale != Vector3(repeating: 1) }) {
            attributes.append(("SCALE", .integer(binary.floats(transforms.flatMap { $0.scale.array }, shape: "VEC3", use: .data))))
        }
        let label: [(String, JSONText)] = name.isEmpty ? [] : [("name", .string(name))]
        let instancing = JSONText.object([("attributes", .object(attributes))])
        return .object(
            label + [
                ("mesh", .integer(entries[0].mesh ?? 0)), ("extensions", .object([("EXT_mesh_gpu_instancing", instancing)])),
            ])
    }
}

/// Skinned meshes at the root of the scene.
///
/// glTF (section 3.7.3.3) ignores the transforms of a skinned mesh's node and of its ancestors, and recommends that such nodes be roots without a
/// transform: readers that apply the transforms nevertheless would move the mesh twice.
extension GLBWriter {
    /// A skinned mesh that is written at the root, although its entry is deeper or has a transform.
    struct SkinnedRoot {
        let entry: Int
        /// The number of the node with the mesh in the file: that of the entry, or of an additional node if the entry's node must keep its position in the
        /// hierarchy.
        let number: Int
    }

    mutating func findSkinnedMeshes() {
        let joints = Set(contents.skins.flatMap(\.joints))
        let moved = Set(contents.clips.flatMap(\.tracks).filter { $0.track.target != .morphWeights }.map(\.entry))
        var next = nodeNumbers.reduce(0) { max($0, $1 + 1) }
        for (index, entry) in contents.entries.enumerated() where entry.skin != nil {
            if let mesh = entry.mesh { skinnedMeshes.insert(mesh) }
            guard entry.parent != nil || entry.parentFromLocal != .identity else { continue }
            let isOnlyMesh =
                entry.children.isEmpty && entry.node.camera == nil && entry.node.light == nil && !joints.contains(index)
                && !moved.contains(index)
            skinnedRoots.append(SkinnedRoot(entry: index, number: isOnlyMesh ? nodeNumbers[index] : next))
            next += isOnlyMesh ? 0 : 1
        }
        for root in skinnedRoots { skinnedNumbers[root.entry] = root.number }
    }

    /// Returns the number of the node with the entry's mesh, to which morph weights belong.
    func meshNumber(ofEntry index: Int) -> Int { skinnedNumbers[index] ?? nodeNumbers[index] }

    /// Returns whether the entry's node is moved to the root.
    func isMovedToRoot(entry index: Int) -> Bool { skinnedNumbers[index] == nodeNumbers[index] }

    /// Returns whether the mesh of an entry is written with another node.
    func hasSeparateMeshNode(entry index: Int) -> Bool { skinnedNumbers[index].map { $0 != nodeNumbers[index] } ?? false }

    /// Returns the additional node of an entry whose node is not moved.
    func json(skinnedMeshOf index: Int) -> JSONText {
        let entry = contents.entries[index]
        let name = entry.node.name.isEmpty ? entry.mesh.map { contents.meshes[$0].name } ?? "" : "\(entry.node.name) mesh"
        return .object((name.isEmpty ? [] : [("name", .string(name))]) + meshMembers(entry))
    }

    /// Returns a node's mesh, skin and morph weights.
    func meshMembers(_ entry: SceneContents.Entry) -> [(String, JSONText)] {
        guard let mesh = entry.mesh else { return [] }
        var members: [(String, JSONText)] = [("mesh", .integer(mesh))]
        if let skin = entry.skin { members.append(("skin", .integer(skin))) }
        let count = contents.morphTargetCount(ofMesh: mesh)
        let weights = entry.node.morphWeights
        if count > 0, !weights.isEmpty { members.append(("weights", Self.weights(weights, count: count))) }
        return members
    }
}
