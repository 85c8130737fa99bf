import VitrineMath
import VitrineScene

/// A scene as the writers see it: visible nodes in a fixed order, each mesh, material and skin once, animations by entry.
///
/// Contains everything that a scene has. A writer reports unsupported features by `losses(_:)`.
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
            for material in [part.ownMaterial] + part.alternatives.map { $0.material } + [part.material] { add(material) }
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

/// What a scene may hold beside nodes, meshes and materials.
struct SceneFeatures: OptionSet {
    let rawValue: Int

    static let animations = SceneFeatures(rawValue: 1 << 0)
    static let skins = SceneFeatures(rawValue: 1 << 1)
    static let morphTargets = SceneFeatures(rawValue: 1 << 2)
    static let cameras = SceneFeatures(rawValue: 1 << 3)
    static let lights = SceneFeatures(rawValue: 1 << 4)
    static let opacity = SceneFeatures(rawValue: 1 << 5)

    static let variants = SceneFeatures(rawValue: 1 << 6)

    static let all: SceneFeatures = [.animations, .skins, .morphTargets, .cameras, .lights, .opacity, .variants]
}

extension SceneContents {
    /// A warning for each thing of the scene that is one of these `features`, for a format that does not support them.
    func losses(_ features: SceneFeatures) -> [ModelWarning] {
        var warnings: [ModelWarning] = []
        func leaveOut(_ what: String, at place: String) { warnings.append(ModelWarning(place: place, message: "\(what): not written")) }
        if features.contains(.animations), !clips.isEmpty { leaveOut("\(clips.count) animations", at: "") }
        if features.contains(.variants), !variantNames.isEmpty {
            leaveOut("\(variantNames.count) material variants (the one that is shown is written)", at: "")
        }
        for entry in entries {
            if features.contains(.opacity), entry.node.opacity != 1 { leaveOut("opacity \(entry.node.opacity)", at: entry.place) }
            if features.contains(.cameras), entry.node.camera != nil { leaveOut("a camera", at: entry.place) }
            if features.contains(.lights), entry.node.light != nil { leaveOut("a light", at: entry.place) }
            if features.contains(.skins), entry.skin != nil {
                leaveOut("a skin (the mesh is written in its bind pose)", at: entry.place)
            }
        }
        guard features.contains(.morphTargets) else { return warnings }
        for (index, mesh) in meshes.enumerated() {
            let count = morphTargetCount(ofMesh: index)
            if count > 0 { leaveOut("\(count) morph targets", at: "mesh \"\(mesh.name)\"") }
        }
        return warnings
    }
}

extension SceneContents {
    struct SkinEntry {
        let skin: Skin
        /// Indices into `entries`, one for each of the skin's joints, in their order.
        let joints: [Int]
    }

    /// An animation: tracks whose nodes are written, at least one.
    struct ClipEntry {
        let name: String
        let tracks: [TrackEntry]
    }

    struct TrackEntry {
        /// Index into `entries`.
        let entry: Int
        /// Finite numbers; no two of a clip move the same property of the same entry. One of morph weights has as many components as
        /// the entry's mesh has targets.
        let track: AnimationTrack
    }

    /// Skins that can be written: all joints are there, and the mesh's vertices name none beyond them.
    mutating func addSkins() {
        var indices: [ObjectIdentifier: Int] = [:]
        for index in entries.indices {
            let entry = entries[index]
            guard let skin = entry.node.skin, let mesh = entry.mesh else { continue }
            guard let greatest = greatestJoint(ofMesh: mesh) else {
                leaveOut("a skin (the mesh has no joints and weights)", at: entry.place)
                continue
            }
            let joints = skin.joints.map { $0.flatMap { self.index(of: $0) } }
            let known = joints.compactMap { $0 }
            guard known.count == joints.count else {
                leaveOut("a skin (\(joints.count - known.count) of its joints are hidden, gone or of another scene)", at: entry.place)
                continue
            }
            guard greatest < known.count, skin.inverseBindMatrices.allSatisfy(\.hasFiniteValues) else {
                leaveOut("a skin (its \(known.count) joints or their matrices don't fit the mesh)", at: entry.place)
                continue
            }
            let number = indices[ObjectIdentifier(skin)] ?? skins.count
            indices[ObjectIdentifier(skin)] = number
            if number == skins.count { skins.append(SkinEntry(skin: skin, joints: known)) }
            setSkin(number, ofEntry: index)
        }
    }

    /// nil without joints, or where they come without weights.
    private func greatestJoint(ofMesh index: Int) -> Int? {
        var greatest: Float?
        for part in parts[index] {
            for attribute in part.geometry.attributes {
                guard case .joints(let set) = attribute.semantic, part.geometry.attribute(.weights(set: set)) != nil else { continue }
                greatest = max(greatest ?? 0, attribute.values.max() ?? 0)
            }
        }
        return greatest.map { Int($0) }
    }

    /// How many morph targets the mesh of an entry is written with.
    func morphTargetCount(ofMesh index: Int) -> Int { parts[index].reduce(0) { max($0, $1.geometry.morphTargets.count) } }

    mutating func addClips(_ animations: [AnimationClip]) {
        for (number, clip) in animations.enumerated() {
            let place = "animation \"\(clip.name.isEmpty ? "\(number)" : clip.name)\""
            var (tracks, lost, taken): ([TrackEntry], Int, Set<Target>) = ([], 0, [])
            for track in clip.tracks {
                guard let index = index(of: track.node), let track = written(track, entry: index),
                    taken.insert(Target(entry: index, target: track.target)).inserted
                else {
                    lost += 1
                    continue
                }
                tracks.append(TrackEntry(entry: index, track: track))
            }
            if lost > 0 { leaveOut("\(lost) tracks (of nodes that aren't written, doubled, or not finite)", at: place) }
            if !tracks.isEmpty { clips.append(ClipEntry(name: clip.name, tracks: tracks)) }
        }
    }

    private struct Target: Hashable {
        let entry: Int
        let target: AnimationTarget
    }

    /// The track as it can be written; nil where it can't.
    private func written(_ track: AnimationTrack, entry: Int) -> AnimationTrack? {
        guard track.values.allSatisfy(\.isFinite) else { return nil }
        guard track.target == .morphWeights else { return track }
        guard let mesh = entries[entry].mesh else { return nil }
        let (count, width) = (morphTargetCount(ofMesh: mesh), track.componentCount)
        if count == width { return track }
        guard count > 0 else { return nil }
        let rows = track.values.count / width
        let values = (0..<rows).flatMap { row in (0..<count).map { $0 < width ? track.values[row * width + $0] : 0 } }
        return AnimationTrack(
            node: track.node, target: .morphWeights, interpolation: track.interpolation, times: track.times, values: values)
    }
}

extension Matrix4 {
    fileprivate var hasFiniteValues: Bool {
        [x, y, z, w].allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite && $0.w.isFinite }
    }
}

extension Node {
    /// The transform to the parent at a time of an animation: what its tracks don't move stays.
    func localTransform(at time: Float, _ tracks: [AnimationTrack]) -> Transform {
        var local = localTransform
        for track in tracks {
            let v = track.value(at: time)
            switch track.target {
            case .translation: local.translation = Vector3(v[0], v[1], v[2])
            case .rotation: local.rotation = Quaternion(x: v[0], y: v[1], z: v[2], w: v[3])
            case .scale: local.scale = Vector3(v[0], v[1], v[2])
            case .morphWeights: break
            }
        }
        return local
    }
}
