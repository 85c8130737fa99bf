import VitrineMath
import VitrineScene

/// A scene as the writers see it: visible nodes in a fixed order, each mesh, material and skin once, animations by entry.
///
/// Everything that a scene holds is here. What a format has no place for its writer says by `losses(_:)`.
struct SceneContents {
    struct Entry {
        let node: Node
        /// Index of the parent in `entries`; nil at the top.
        let parent: Int?
        /// Index into `meshes`.
        let mesh: Int?
        /// Index into `skins`; only where there is a mesh with joints and weights.
        var skin: Int?
        let parentFromLocal: Matrix4
        let worldFromLocal: Matrix4
        var children: [Int] = []

        /// For warnings.
        var place: String { "node \"\(node.name)\"" }
    }

    /// The path, for errors.
    let file: String
    /// Parents first.
    private(set) var entries: [Entry] = []
    /// Those of visible nodes with at least one part, in the order of first use; parts without vertices left out.
    private(set) var meshes: [Mesh] = []
    /// The parts of each mesh that can be drawn.
    private(set) var parts: [[MeshPart]] = []
    /// In the order of first use; without the textures that can't be decoded.
    private(set) var materials: [Material] = []
    /// In the order of first use. See `SceneContents+Motion.swift`.
    var skins: [SkinEntry] = []
    var clips: [ClipEntry] = []
    /// About what no format is given. A writer adds its own.
    private(set) var warnings: [ModelWarning] = []
    let name: String
    let variantNames: [String]

    private var meshIndices: [ObjectIdentifier: Int?] = [:]
    private var materialIndices: [ObjectIdentifier: Int] = [:]
    private var entryIndices: [ObjectIdentifier: Int] = [:]

    var roots: [Int] { entries.indices.filter { entries[$0].parent == nil } }

    init(_ scene: Scene, file: String, images: ImageLimits) throws(ModelFileError) {
        (self.file, name, variantNames) = (file, scene.name, scene.variantNames)
        scene.update()
        if Self.needsRoot(scene) {
            try add(scene.rootNode, parent: nil)
        } else {
            for child in scene.rootNode.childNodes { try add(child, parent: nil) }
        }
        leaveOutBrokenTextures(images)
        addSkins()
        addClips(scene.animations)
    }

    /// Whether the scene's root is more than what holds the others together.
    private static func needsRoot(_ scene: Scene) -> Bool {
        let root = scene.rootNode
        if root.mesh != nil || root.camera != nil || root.light != nil || root.opacity != 1 || root.parentFromLocal != .identity {
            return true
        }
        if scene.animations.contains(where: { $0.tracks.contains { $0.node === root } }) { return true }
        // The joints of a skin want a node above them all.
        var isApart = false
        root.forSubtree { node in
            guard let skin = node.skin, !isApart else { return }
            var top: Node?
            for case let joint? in skin.joints {
                var ancestor = joint
                while let parent = ancestor.parent, parent !== root { ancestor = parent }
                if joint === root || top != nil && top !== ancestor { isApart = true }
                top = ancestor
            }
        }
        return isApart
    }

    /// - Precondition: the material of a part here.
    func index(of material: Material) -> Int { materialIndices[ObjectIdentifier(material)] ?? 0 }

    /// A part's material as it is written.
    func material(of part: MeshPart) -> Material { materials[index(of: part.material)] }

    /// Where a node is in `entries`; nil where it is hidden or of another scene.
    func index(of node: Node) -> Int? { entryIndices[ObjectIdentifier(node)] }

    mutating func warn(_ message: String, at place: String = "") { warnings.append(ModelWarning(place: place, message: message)) }

    mutating func leaveOut(_ what: String, at place: String) { warn("\(what): not written", at: place) }

    mutating func setSkin(_ skin: Int, ofEntry index: Int) { entries[index].skin = skin }

    /// Walks without recursion: a tree may be deeper than the stack.
    private mutating func add(_ top: Node, parent: Int?) throws(ModelFileError) {
        var stack: [(node: Node, parent: Int?)] = [(top, parent)]
        while let (node, parent) = stack.popLast() {
            let place = "node \"\(node.name)\""
            if node.isHidden {
                leaveOut("hidden, with everything below it", at: place)
                continue
            }
            let index = entries.count
            let matrix = node.parentFromLocal
            guard isFinite(matrix) else { throw failure("the transform is not finite", at: place) }
            let mesh: Int? = if let mesh = node.mesh { try self.index(of: mesh) } else { nil }
            entries.append(Entry(node: node, parent: parent, mesh: mesh, parentFromLocal: matrix, worldFromLocal: node.worldTransform))
            entryIndices[ObjectIdentifier(node)] = index
            if let parent { entries[parent].children.append(index) }
            for child in node.childNodes.reversed() { stack.append((child, index)) }
        }
    }

    private mutating func index(of mesh: Mesh) throws(ModelFileError) -> Int? {
        if let known = meshIndices[ObjectIdentifier(mesh)] { return known }
        let place = "mesh \"\(mesh.name)\""
        let drawn = mesh.parts.filter { $0.geometry.vertexCount > 0 && $0.geometry.elementCount > 0 }
        if drawn.count < mesh.parts.count { leaveOut("\(mesh.parts.count - drawn.count) parts without vertices", at: place) }
        for part in drawn {
            try check(part.geometry, at: place)
            for material in [part.ownMaterial] + part.alternatives.map(\.material) + [part.material] { add(material) }
        }
        let index: Int? = drawn.isEmpty ? nil : meshes.count
        if index != nil {
            meshes.append(mesh)
            parts.append(drawn)
        }
        meshIndices[ObjectIdentifier(mesh)] = .some(index)
        return index
    }

    private mutating func add(_ material: Material) {
        let id = ObjectIdentifier(material)
        guard materialIndices[id] == nil else { return }
        materialIndices[id] = materials.count
        materials.append(material)
    }

    /// Replaces the materials with textures that can't be decoded by copies without them. Textures of loaded models were checked already.
    private mutating func leaveOutBrokenTextures(_ limits: ImageLimits) {
        var broken: [Texture] = []
        var seen: Set<ObjectIdentifier> = []
        for texture in materials.flatMap(\.textureMaps).map(\.texture) where seen.insert(ObjectIdentifier(texture)).inserted {
            guard case .encoded(let bytes) = texture.content, !texture.isKnownDecodable else { continue }
            do throws(ImageFileError) {
                _ = try ImageFile.decode(bytes, name: texture.name, limits: limits)
                texture.isKnownDecodable = true
            } catch {
                broken.append(texture)
                warn(TextureDecoding.leftOut(texture.name, error))
            }
        }
        guard !broken.isEmpty else { return }
        for index in materials.indices {
            let found = materials[index].textureMaps.map(\.texture).filter { texture in broken.contains { $0 === texture } }
            guard !found.isEmpty else { continue }
            materials[index] = materials[index].copy()
            materialIndices[ObjectIdentifier(materials[index])] = index
            for texture in found { materials[index].removeMaps(of: texture) }
        }
    }

    private func check(_ geometry: Geometry, at place: String) throws(ModelFileError) {
        for attribute in geometry.attributes {
            guard let bad = attribute.values.firstIndex(where: { !$0.isFinite }) else { continue }
            let vertex = bad / attribute.componentCount
            throw failure("\(attribute.semantic) of vertex \(vertex) is not finite: \(attribute.values[bad])", at: place)
        }
        for (number, target) in geometry.morphTargets.enumerated() {
            for values in [target.positionOffsets, target.normalOffsets, target.tangentOffsets] {
                guard let bad = values.firstIndex(where: { !$0.isFinite }) else { continue }
                throw failure("morph target \(number) of vertex \(bad / 3) is not finite: \(values[bad])", at: place)
            }
        }
    }

    func failure(_ text: String, at place: String = "") -> ModelFileError {
        ModelFileError(file: file, place: place, reason: .notWritable(text))
    }

    private func isFinite(_ matrix: Matrix4) -> Bool {
        [matrix.x, matrix.y, matrix.z, matrix.w].allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite && $0.w.isFinite }
    }
}
