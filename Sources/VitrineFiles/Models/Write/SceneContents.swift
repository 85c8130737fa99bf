import VitrineMath
import VitrineScene

/// The contents of a scene for the writers: visible nodes in a fixed order, each mesh, material and skin once, animations by entry.
///
/// Contains everything that a scene has. A writer reports unsupported features with `losses(_:)`.
struct SceneContents {
    struct Entry {
        let node: Node
        /// The index of the parent in `entries`; nil for a top-level node.
        let parent: Int?
        /// The index into `meshes`.
        let mesh: Int?
        /// The index into `skins`; only with a mesh with joints and weights.
        var skin: Int?
        let parentFromLocal: Matrix4
        let worldFromLocal: Matrix4
        var children: [Int] = []

        /// The position in warnings.
        var location: String { "node \"\(node.name)\"" }
    }

    /// The path of the file, for errors.
    let file: String
    /// The visible nodes, parents first.
    private(set) var entries: [Entry] = []
    /// The meshes of visible nodes with at least one part, in the order of first use, without parts that have no vertices.
    private(set) var meshes: [Mesh] = []
    /// The parts of each mesh that can be drawn.
    private(set) var parts: [[MeshPart]] = []
    /// The materials in the order of first use, without textures that cannot be decoded.
    private(set) var materials: [Material] = []
    /// The skins in the order of first use. See `SceneContents+Motion.swift`.
    var skins: [SkinEntry] = []
    var clips: [ClipEntry] = []
    /// The warnings about content that no format stores. A writer adds further ones.
    private(set) var warnings: [ModelWarning] = []
    let name: String
    let variantNames: [String]
    let irradianceVolume: IrradianceVolume?

    private var meshIndices: [ObjectIdentifier: Int?] = [:]
    private var materialIndices: [ObjectIdentifier: Int] = [:]
    private var entryIndices: [ObjectIdentifier: Int] = [:]

    var roots: [Int] { entries.indices.filter { entries[$0].parent == nil } }

    init(_ scene: Scene, file: String, images: ImageLimits) throws(ModelFileError) {
        (self.file, name, variantNames, irradianceVolume) = (file, scene.name, scene.variantNames, scene.irradianceVolume)
        scene.update()
        if Self.needsRootNode(scene) {
            try add(scene.rootNode, parent: nil)
        } else {
            for child in scene.rootNode.childNodes { try add(child, parent: nil) }
        }
        removeUndecodableTextures(images)
        addSkins()
        addClips(scene.animations)
    }

    /// Returns whether the scene's root has content or a transform.
    private static func needsRootNode(_ scene: Scene) -> Bool {
        let root = scene.rootNode
        if root.mesh != nil || root.camera != nil || root.light != nil || root.opacity != 1 || root.parentFromLocal != .identity {
            return true
        }
        if scene.animations.contains(where: { $0.tracks.contains { $0.node === root } }) { return true }
        // The joints of a skin require a common ancestor.
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

    /// Returns the index of a material.
    ///
    /// - Precondition: The material belongs to a part of these contents.
    func index(of material: Material) -> Int { materialIndices[ObjectIdentifier(material)] ?? 0 }

    /// Returns a part's material as it is written.
    func material(of part: MeshPart) -> Material { materials[index(of: part.material)] }

    /// Returns the index of a node in `entries`; nil for a hidden node or one of another scene.
    func index(of node: Node) -> Int? { entryIndices[ObjectIdentifier(node)] }

    mutating func warn(_ message: String, at location: String = "") { warnings.append(ModelWarning(location: location, message: message)) }

    mutating func reportOmission(of feature: String, at location: String) { warn("\(feature): not written", at: location) }

    mutating func setSkin(_ skin: Int, ofEntry index: Int) { entries[index].skin = skin }

    /// Adds a node and its descendants without recursion, because a tree may be deeper than the stack.
    private mutating func add(_ top: Node, parent: Int?) throws(ModelFileError) {
        var stack: [(node: Node, parent: Int?)] = [(top, parent)]
        while let (node, parent) = stack.popLast() {
            let location = "node \"\(node.name)\""
            if node.isHidden {
                reportOmission(of: "hidden, with its descendants", at: location)
                continue
            }
            let index = entries.count
            let matrix = node.parentFromLocal
            guard isFinite(matrix) else { throw failure("the transform is not finite", at: location) }
            let mesh: Int? = if let mesh = node.mesh { try self.index(of: mesh) } else { nil }
            entries.append(Entry(node: node, parent: parent, mesh: mesh, parentFromLocal: matrix, worldFromLocal: node.worldTransform))
            entryIndices[ObjectIdentifier(node)] = index
            if let parent { entries[parent].children.append(index) }
            for child in node.childNodes.reversed() { stack.append((child, index)) }
        }
    }

    private mutating func index(of mesh: Mesh) throws(ModelFileError) -> Int? {
        if let known = meshIndices[ObjectIdentifier(mesh)] { return known }
        let location = "mesh \"\(mesh.name)\""
        let drawn = mesh.parts.filter { $0.geometry.vertexCount > 0 && $0.geometry.elementCount > 0 }
        if drawn.count < mesh.parts.count { reportOmission(of: "\(mesh.parts.count - drawn.count) parts without vertices", at: location) }
        for part in drawn {
            try check(part.geometry, at: location)
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

    /// Replaces materials with textures that cannot be decoded by copies without them. Textures of loaded models were already checked.
    private mutating func removeUndecodableTextures(_ limits: ImageLimits) {
        var undecodable: [Texture] = []
        var seen: Set<ObjectIdentifier> = []
        for texture in materials.flatMap(\.textureMaps).map(\.texture) where seen.insert(ObjectIdentifier(texture)).inserted {
            guard case .encoded(let bytes) = texture.content, !texture.isKnownDecodable else { continue }
            do throws(ImageFileError) {
                _ = try ImageFile.decode(bytes, name: texture.name, limits: limits)
                texture.isKnownDecodable = true
            } catch {
                undecodable.append(texture)
                warn(TextureDecoding.omissionMessage(texture.name, error))
            }
        }
        guard !undecodable.isEmpty else { return }
        for index in materials.indices {
            let found = materials[index].textureMaps.map(\.texture).filter { texture in undecodable.contains { $0 === texture } }
            guard !found.isEmpty else { continue }
            materials[index] = materials[index].copy()
            materialIndices[ObjectIdentifier(materials[index])] = index
            for texture in found { materials[index].removeMaps(of: texture) }
        }
    }

    private func check(_ geometry: Geometry, at location: String) throws(ModelFileError) {
        for attribute in geometry.attributes {
            guard let bad = attribute.values.firstIndex(where: { !$0.isFinite }) else { continue }
            let vertex = bad / attribute.componentCount
            throw failure("\(attribute.semantic) of vertex \(vertex) is not finite: \(attribute.values[bad])", at: location)
        }
        for (number, target) in geometry.morphTargets.enumerated() {
            for values in [target.positionOffsets, target.normalOffsets, target.tangentOffsets] {
                guard let bad = values.firstIndex(where: { !$0.isFinite }) else { continue }
                throw failure("morph target \(number) of vertex \(bad / 3) is not finite: \(values[bad])", at: location)
            }
        }
    }

    func failure(_ text: String, at location: String = "") -> ModelFileError {
        ModelFileError(file: file, location: location, reason: .notWritable(text))
    }

    private func isFinite(_ matrix: Matrix4) -> Bool {
        [matrix.x, matrix.y, matrix.z, matrix.w].allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite && $0.w.isFinite }
    }
}

/// The features of a scene except nodes, meshes and materials.
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
    /// Returns a warning for each use of `features`, which a format does not support.
    func losses(_ features: SceneFeatures) -> [ModelWarning] {
        var warnings: [ModelWarning] = []
        func reportOmission(of feature: String, at location: String) {
            warnings.append(ModelWarning(location: location, message: "\(feature): not written"))
        }
        if features.contains(.animations), !clips.isEmpty { reportOmission(of: "\(clips.count) animations", at: "") }
        if features.contains(.variants), !variantNames.isEmpty {
            reportOmission(of: "\(variantNames.count) material variants (only the active one is written)", at: "")
        }
        for entry in entries {
            if features.contains(.opacity), entry.node.opacity != 1 {
                reportOmission(of: "opacity \(entry.node.opacity)", at: entry.location)
            }
            if features.contains(.cameras), entry.node.camera != nil { reportOmission(of: "a camera", at: entry.location) }
            if features.contains(.lights), entry.node.light != nil { reportOmission(of: "a light", at: entry.location) }
            if features.contains(.skins), entry.skin != nil {
                reportOmission(of: "a skin (the mesh is written in its bind pose)", at: entry.location)
            }
        }
        guard features.contains(.morphTargets) else { return warnings }
        for (index, mesh) in meshes.enumerated() {
            let count = morphTargetCount(ofMesh: index)
            if count > 0 { reportOmission(of: "\(count) morph targets", at: "mesh \"\(mesh.name)\"") }
        }
        return warnings
    }
}

extension SceneContents {
    struct SkinEntry {
        let skin: Skin
        /// The indices into `entries` of the skin's joints, in order.
        let joints: [Int]
    }

    /// An animation: at least one track of written nodes.
    struct ClipEntry {
        let name: String
        let tracks: [TrackEntry]
    }

    struct TrackEntry {
        /// The index into `entries`.
        let entry: Int
        /// A track of finite numbers; no two tracks of a clip animate the same property of the same entry. A track of morph weights has as many components
        /// as the entry's mesh has targets.
        let track: AnimationTrack
    }

    /// Adds the skins that can be written: all joints exist, and the mesh's vertices refer to no others.
    mutating func addSkins() {
        var indices: [ObjectIdentifier: Int] = [:]
        for index in entries.indices {
            let entry = entries[index]
            guard let skin = entry.node.skin, let mesh = entry.mesh else { continue }
            guard let greatest = greatestJoint(ofMesh: mesh) else {
                reportOmission(of: "a skin (the mesh has no joints and weights)", at: entry.location)
                continue
            }
            let joints = skin.joints.map { $0.flatMap { self.index(of: $0) } }
            let known = joints.compactMap { $0 }
            guard known.count == joints.count else {
                reportOmission(
                    of: "a skin (\(joints.count - known.count) of its joints are hidden, deleted or in another scene)", at: entry.location)
                continue
            }
            guard greatest < known.count, skin.inverseBindMatrices.allSatisfy(\.hasFiniteValues) else {
                reportOmission(of: "a skin (its \(known.count) joints or their matrices do not match the mesh)", at: entry.location)
                continue
            }
            let number = indices[ObjectIdentifier(skin)] ?? skins.count
            indices[ObjectIdentifier(skin)] = number
            if number == skins.count { skins.append(SkinEntry(skin: skin, joints: known)) }
            setSkin(number, ofEntry: index)
        }
    }

    /// Returns the greatest joint index; nil without joints, or if they have no weights.
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

    /// Returns the number of morph targets with which the mesh of an entry is written.
    func morphTargetCount(ofMesh index: Int) -> Int { parts[index].reduce(0) { max($0, $1.geometry.morphTargets.count) } }

    mutating func addClips(_ animations: [AnimationClip]) {
        for (number, clip) in animations.enumerated() {
            let location = "animation \"\(clip.name.isEmpty ? "\(number)" : clip.name)\""
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
            if lost > 0 { reportOmission(of: "\(lost) tracks (of nodes that are not written, duplicate, or not finite)", at: location) }
            if !tracks.isEmpty { clips.append(ClipEntry(name: clip.name, tracks: tracks)) }
        }
    }

    private struct Target: Hashable {
        let entry: Int
        let target: AnimationTarget
    }

    /// Returns the track in a form that can be written; nil if there is none.
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
    /// Returns the transform to the parent at a time of an animation: properties without tracks do not change.
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
