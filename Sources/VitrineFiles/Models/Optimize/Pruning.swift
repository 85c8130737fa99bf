import VitrineMath
import VitrineScene

/// Removes unused content: vertex attributes that no material reads, textures of one colour, leaf nodes without content.
struct Pruning {
    let keepsNames: Bool
    let images: ImageLimits
    private var removed = (attributes: 0, textures: 0, nodes: 0)

    /// The largest size in bytes of textures that are tested for one colour, because such textures are small.
    private static let solidTextureBytes = 32_768

    init(keepsNames: Bool, images: ImageLimits) { (self.keepsNames, self.images) = (keepsNames, images) }

    /// Removes unused data from a scene.
    ///
    /// - Returns: A summary for the report.
    static func run(_ scene: Scene, keepsNames: Bool, images: ImageLimits) -> String {
        var pruning = Pruning(keepsNames: keepsNames, images: images)
        let nodes = scene.visibleNodes
        var seen: Set<ObjectIdentifier> = []
        var materials: [Material] = []
        for case let mesh? in nodes.map(\.mesh) {
            for material in mesh.parts.flatMap(\.allMaterials) where seen.insert(ObjectIdentifier(material)).inserted {
                materials.append(material)
            }
        }
        pruning.replaceSolidTextures(of: materials)
        pruning.removeAttributes(nodes)
        pruning.removed.nodes = removeEmptyLeaves(scene, keepsNames: keepsNames)
        return OptimizeText.list(
            [(pruning.removed.attributes, "vertex attribute"), (pruning.removed.textures, "texture"), (pruning.removed.nodes, "node")],
            verb: "removed")
    }

    // MARK: Textures of one colour

    private mutating func replaceSolidTextures(of materials: [Material]) {
        var colors: [ObjectIdentifier: SIMD4<UInt8>?] = [:]
        var replaced: Set<ObjectIdentifier> = []
        let images = images
        func color(_ map: TextureMap?) -> SIMD4<Float>? {
            guard let texture = map?.texture else { return nil }
            let id = ObjectIdentifier(texture)
            let known = colors[id] ?? Self.solidColor(texture, images)
            colors[id] = .some(known)
            return known.map { SIMD4<Float>($0) / 255 }
        }
        for material in materials where material.surfaceFunction == nil {
            func take(_ slot: inout ColorSlot, takesAlpha: Bool) {
                guard let texel = color(slot.map) else { return }
                let linear = Vector4(linearFromSRGB(texel.x), linearFromSRGB(texel.y), linearFromSRGB(texel.z), takesAlpha ? texel.w : 1)
                slot.factor *= linear
                if let map = slot.map { replaced.insert(ObjectIdentifier(map.texture)) }
                slot.map = nil
            }
            func take(_ slot: inout ScalarSlot) {
                guard let texel = color(slot.map) else { return }
                slot.factor *= texel[slot.channel.rawValue]
                if let map = slot.map { replaced.insert(ObjectIdentifier(map.texture)) }
                slot.map = nil
            }
            take(&material.baseColor, takesAlpha: true)
            take(&material.emission, takesAlpha: false)
            take(&material.metalness)
            take(&material.roughness)
            take(&material.clearcoat.factor)
            take(&material.clearcoat.roughness)
            take(&material.transmission.factor)
            // White has no effect; other values depend on `intensity` and cannot be moved into a factor.
            if let texel = color(material.occlusion.map), texel[material.occlusion.channel.rawValue] == 1, let map = material.occlusion.map
            {
                replaced.insert(ObjectIdentifier(map.texture))
                material.occlusion.map = nil
            }
            // Both 127 and 128 represent 0.
            if let texel = color(material.normal.map), let map = material.normal.map, texel.z == 1,
                abs(texel.x - 0.5) < 0.003, abs(texel.y - 0.5) < 0.003
            {
                replaced.insert(ObjectIdentifier(map.texture))
                material.normal = NormalSlot()
            }
        }
        removed.textures = replaced.count
    }

    private static func solidColor(_ texture: Texture, _ limits: ImageLimits) -> SIMD4<UInt8>? {
        let image: Image
        switch texture.content {
        case .image(let pixels): image = pixels
        case .encoded(let bytes):
            guard bytes.count <= solidTextureBytes, let decoded = try? ImageFile.decode(bytes, limits: limits) else { return nil }
            image = decoded
        }
        guard image.format == .rgba8, image.bytes.count >= 4 else { return nil }
        return image.bytes.withUnsafeBytes { raw in
            let pixels = raw.bindMemory(to: UInt32.self)
            let first = pixels[0]
            for pixel in pixels where pixel != first { return nil }
            return SIMD4(raw[0], raw[1], raw[2], raw[3])
        }
    }

    // MARK: Attributes

    /// The attributes that the materials of a geometry read, over all parts that share it.
    private struct Needs {
        /// The number of sets of texture coordinates.
        var coordinateSets = 0
        var tangents = false
        var normals = false
        var joints = false
        var everything = false
    }

    private mutating func removeAttributes(_ nodes: [Node]) {
        var needs: [ObjectIdentifier: Needs] = [:]
        var meshes: [Mesh] = []
        var seen: Set<ObjectIdentifier> = []
        for node in nodes {
            guard let mesh = node.mesh else { continue }
            if seen.insert(ObjectIdentifier(mesh)).inserted { meshes.append(mesh) }
            for part in mesh.parts {
                let id = ObjectIdentifier(part.geometry)
                var need = needs[id] ?? Needs()
                for material in part.allMaterials { Self.add(material, to: &need) }
                if node.skin != nil { need.joints = true }
                needs[id] = need
            }
        }
        var made: [ObjectIdentifier: Geometry] = [:]
        for mesh in meshes {
            var (parts, isChanged) = (mesh.parts, false)
            for index in parts.indices {
                let geometry = parts[index].geometry
                let id = ObjectIdentifier(geometry)
                guard let need = needs[id], !need.everything else { continue }
                if made[id] == nil {
                    made[id] = without(need, geometry)
                }
                guard let kept = made[id], kept !== geometry else { continue }
                parts[index].geometry = kept
                isChanged = true
            }
            if isChanged { mesh.parts = parts }
        }
    }

    private static func add(_ material: Material, to need: inout Needs) {
        if material.surfaceFunction != nil { need.everything = true }
        for map in material.textureMaps { need.coordinateSets = max(need.coordinateSets, map.set + 1) }
        if material.normal.map != nil || material.clearcoat.normal.map != nil || material.anisotropy.strength != 0 { need.tangents = true }
        if material.lightingModel != .constant || need.tangents { need.normals = true }
    }

    private mutating func without(_ need: Needs, _ geometry: Geometry) -> Geometry {
        let kept = geometry.attributes.filter { attribute in
            switch attribute.semantic {
            case .textureCoordinate(let set): set < need.coordinateSets
            case .tangent: need.tangents
            case .normal: need.normals
            case .joints, .weights: need.joints
            case .position, .color, .occlusionHarmonics, .custom: true
            }
        }
        guard kept.count < geometry.attributes.count else { return geometry }
        let targets = geometry.morphTargets.map {
            MorphTarget(
                name: $0.name, positionOffsets: $0.positionOffsets, normalOffsets: need.normals ? $0.normalOffsets : [],
                tangentOffsets: need.tangents ? $0.tangentOffsets : [])
        }
        guard
            let made = try? Geometry(
                topology: geometry.topology, attributes: kept, indices: geometry.indices, morphTargets: targets, levels: geometry.levels)
        else { return geometry }
        removed.attributes += geometry.attributes.count - kept.count
        return made
    }

    // MARK: Nodes

    /// Removes leaf nodes without content repeatedly, so that groups of such nodes are removed too, with the tracks that animate them.
    ///
    /// - Returns: The number of removed nodes.
    static func removeEmptyLeaves(_ scene: Scene, keepsNames: Bool) -> Int {
        guard !scene.hasConstraints else { return 0 }
        let needed = scene.referencedNodes(byTracks: false)
        var order: [Node] = []
        scene.rootNode.forSubtree { order.append($0) }
        var removed: [Node] = []
        // Children before their parents.
        for node in order.reversed() where node !== scene.rootNode {
            guard node.childNodes.isEmpty, node.isContentFree, !needed.contains(ObjectIdentifier(node)), !(keepsNames && !node.name.isEmpty)
            else { continue }
            removed.append(node)
            node.removeFromParentNode()
        }
        guard !removed.isEmpty else { return 0 }
        let gone = Set(removed.map { ObjectIdentifier($0) })
        scene.animations = scene.animations.compactMap { clip in
            let tracks = clip.tracks.filter { !gone.contains(ObjectIdentifier($0.node)) }
            if tracks.count == clip.tracks.count { return clip }
            return tracks.isEmpty ? nil : AnimationClip(name: clip.name, tracks: tracks)
        }
        return removed.count
    }
}

extension Node {
    /// Whether the node has only a transform: no mesh, camera, light or skin.
    var isContentFree: Bool { mesh == nil && camera == nil && light == nil && skin == nil }
}

extension Scene {
    /// Whether any node has a constraint, whose target may be any other node, so that the hierarchy must not change.
    var hasConstraints: Bool {
        var found = false
        rootNode.forSubtree { if !$0.constraints.isEmpty { found = true } }
        return found
    }

    /// Returns the nodes with references: joints, the point of view and optionally animated nodes.
    func referencedNodes(byTracks: Bool) -> Set<ObjectIdentifier> {
        var found: Set<ObjectIdentifier> = []
        if let pointOfView { found.insert(ObjectIdentifier(pointOfView)) }
        rootNode.forSubtree { node in
            for case let joint? in node.skin?.joints ?? [] { found.insert(ObjectIdentifier(joint)) }
        }
        if byTracks { for track in animations.flatMap(\.tracks) { found.insert(ObjectIdentifier(track.node)) } }
        return found
    }
}
