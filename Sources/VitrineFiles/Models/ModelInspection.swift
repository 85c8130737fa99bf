import VitrineGLTF
import VitrineMath
import VitrineScene

/// The contents of a model in numbers.
package struct ModelInspection: Codable, Equatable, Sendable {
    /// The file's metadata; empty for formats other than glTF.
    package struct Origin: Codable, Equatable, Sendable {
        package var version, generator, copyright: String
        package var extensionsUsed, extensionsRequired: [String]
    }

    package struct Counts: Codable, Equatable, Sendable {
        package var scenes = 0
        /// The number of nodes in the default scene.
        package var nodes = 0
        package var meshes = 0
        /// The number of mesh parts, each of which is a draw call.
        package var parts = 0
        package var vertices = 0
        /// The number of triangles of meshes with a visible node, each mesh counted once.
        package var triangles = 0
        /// The number of rendered triangles: a mesh counts once for each of its visible nodes.
        package var drawnTriangles = 0
        /// The number of triangles of meshes with only hidden nodes, each mesh counted once.
        package var hiddenTriangles = 0
        /// The number of hidden nodes with a mesh, including those below a hidden node.
        package var hiddenMeshNodes = 0
        package var morphTargets = 0
        package var materials = 0
        package var textures = 0
        package var animations = 0
        package var skins = 0
        package var cameras = 0
        package var lights = 0
    }

    /// The bounds of all visible nodes in metres in the world frame, computed exactly from vertices.
    package struct Bounds: Codable, Equatable, Sendable {
        package var minimum, maximum, size: [Float]
    }

    /// The estimated memory of a loaded model in bytes.
    package struct Memory: Codable, Equatable, Sendable {
        /// The memory of vertices, indices and morph targets in main memory; streams that parts share count once.
        package var geometry: Int
        /// The memory of the decoded images, in bytes.
        package var textures: Int
        /// The GPU memory, in bytes: vertices and indices of each part, and images with their mip levels.
        package var gpu: Int
    }

    package var origin: Origin
    package var counts: Counts
    /// The bounds; nil if nothing is visible.
    package var bounds: Bounds?
    package var materials: [MaterialEntry]
    package var textures: [TextureEntry]
    package var animations: [AnimationEntry]
    package var skins: [SkinEntry]
    package var cameras: [CameraEntry]
    package var lights: [LightEntry]
    /// The names of the material variants.
    package var variants: [String]
    package var memory: Memory
    /// The variant sets of USD; nil if the file has none.
    package var variantSets: [VariantSetEntry]?
    package var warnings: [ModelWarning]
    /// The hierarchy, parents before children; nil if it was not requested.
    package var nodes: [NodeEntry]?

    init(_ asset: ParsedModel, textureWarnings: [ModelWarning]) {
        let survey = SceneSurvey(asset)
        let info = asset.info
        origin = Origin(
            version: info?.version ?? "", generator: info?.generator ?? "", copyright: info?.copyright ?? "",
            extensionsUsed: info?.extensionsUsed ?? [], extensionsRequired: info?.extensionsRequired ?? [])
        counts = survey.counts
        let box = asset.scene.bounds
        bounds = box.isEmpty ? nil : Bounds(minimum: box.minimum.array, maximum: box.maximum.array, size: box.size.array)
        // The last one is for primitives without a material: it is listed only if it is used.
        materials = asset.materials.enumerated().filter { $0.offset < asset.materialCount || survey.usesMaterial($0.element) }
            .map { MaterialEntry($0.element, textures: asset.textures) }
        textures = asset.textures.map { TextureEntry($0, materials: asset.materials) }
        animations = asset.scene.animations.map { AnimationEntry($0) }
        variants = asset.scene.variantNames
        (skins, cameras, lights) = (survey.skins, survey.cameras, survey.lights)
        let imageBytes = Dictionary(
            zip(asset.textures, textures).map { ($0.imageIndex, $1.decodedBytes) }, uniquingKeysWith: { a, _ in a })
        let decoded = imageBytes.values.reduce(0, +)
        let uploaded = textures.reduce(0) { $0 + $1.decodedBytes / 3 * 4 }
        memory = Memory(geometry: survey.geometryBytes, textures: decoded, gpu: survey.gpuGeometryBytes + uploaded)
        variantSets = asset.variantSets.isEmpty ? nil : asset.variantSets
        warnings = asset.warnings + textureWarnings
    }
}

extension SIMD3 where Scalar == Float {
    var array: [Float] { [x, y, z] }
}

extension ModelInspection {
    package struct MaterialEntry: Codable, Equatable, Sendable {
        package var name: String
        /// The lighting model: "physicallyBased", "constant", "lambert", "phong" or "blinn".
        package var lightingModel: String
        /// The linear red, green, blue and alpha.
        package var baseColor: [Float]
        package var metalness, roughness: Float
        /// The linear red, green and blue.
        package var emission: [Float]
        /// The alpha mode: "opaque", "mask" or "blend".
        package var alphaMode: String
        package var alphaCutoff: Float?
        package var isDoubleSided: Bool
        /// The clearcoat factor; nil without a clear coat.
        package var clearcoat: Float?
        /// The other effective lobes with their main parameters: "sheen 0.5 0.5 0.5, roughness 0.3".
        package var lobes: [String]
        /// The slots with a texture, with its index in `textures`.
        package var slots: [Slot]
    }

    /// The use of a texture in a slot of a material.
    package struct Slot: Codable, Equatable, Sendable {
        package var name: String
        package var texture: Int
        /// The index of the set of texture coordinates.
        package var set: Int
        package var hasTransform: Bool
    }

    package struct TextureEntry: Codable, Equatable, Sendable {
        package var name: String
        /// The MIME type by the first bytes: "image/png" …; empty if it is unknown.
        package var mimeType: String
        /// The path of the image file; empty if the image is inside the model file.
        package var uri: String
        /// The size in pixels; 0 if the header cannot be read.
        package var width, height: Int
        package var encodedBytes: Int
        package var decodedBytes: Int
        /// The slots that use the texture, in a fixed order.
        package var usedAs: [String]
    }

    package struct AnimationEntry: Codable, Equatable, Sendable {
        package var name: String
        /// The duration in seconds.
        package var duration: Float
        package var tracks: Int
        package var keys: Int
    }

    package struct SkinEntry: Codable, Equatable, Sendable {
        package var name: String
        package var joints: Int
    }

    package struct CameraEntry: Codable, Equatable, Sendable {
        package var node: String
        /// The projection: "perspective" or "orthographic".
        package var projection: String
        /// The vertical field of view of a perspective camera in degrees.
        package var fieldOfView: Float?
        /// The near plane in metres; `far` is nil if it is infinite.
        package var near: Float
        package var far: Float?
    }

    /// A set of variants of a USD prim.
    package struct VariantSetEntry: Codable, Equatable, Sendable {
        /// The path of the prim.
        package var node: String
        package var name: String
        package var choices: [String]
        /// The selected variant; empty for none.
        package var choice: String
    }

    package struct LightEntry: Codable, Equatable, Sendable {
        package var node: String
        /// The kind of light: "directional", "point", "spot" or "ambient".
        package var kind: String
        /// The linear red, green and blue.
        package var color: [Float]
        /// The intensity in lux or candela.
        package var intensity: Float
    }
}

extension Material {
    /// The name and map of each slot, in a fixed order.
    var slotMaps: [(name: String, map: TextureMap)] {
        let all: [(String, TextureMap?)] = [
            ("baseColor", baseColor.map), ("metalness", metalness.map), ("roughness", roughness.map), ("normal", normal.map),
            ("occlusion", occlusion.map), ("emission", emission.map), ("clearcoat", clearcoat.factor.map),
            ("clearcoatRoughness", clearcoat.roughness.map), ("clearcoatNormal", clearcoat.normal.map), ("opacity", opacity.map),
            ("specular", specular.factor.map), ("specularColor", specular.color.map), ("sheenColor", sheen.color.map),
            ("sheenRoughness", sheen.roughness.map), ("transmission", transmission.factor.map), ("thickness", volume.thickness.map),
            ("iridescence", iridescence.factor.map), ("iridescenceThickness", iridescence.thicknessMap), ("anisotropy", anisotropy.map),
            ("highlight", highlight.color.map), ("lightMap", lightMap.map),
        ]
        return all.compactMap { name, map in map.map { (name, $0) } }
    }
}

extension ModelInspection.MaterialEntry {
    init(_ material: Material, textures: [ParsedTexture]) {
        name = material.name
        lightingModel = material.lightingModel.name
        let color = material.baseColor.factor
        baseColor = [color.x, color.y, color.z, color.w]
        (metalness, roughness) = (material.metalness.factor, material.roughness.factor)
        emission = material.emission.factor.xyz.array
        switch material.alphaMode {
        case .opaque: alphaMode = "opaque"
        case .mask(let cutoff): (alphaMode, alphaCutoff) = ("mask", cutoff)
        case .blend: alphaMode = "blend"
        }
        isDoubleSided = material.isDoubleSided
        clearcoat = material.clearcoat.factor.factor > 0 ? material.clearcoat.factor.factor : nil
        lobes = material.lobeFacts
        slots = material.slotMaps.map { name, map in
            ModelInspection.Slot(
                name: name, texture: textures.firstIndex { $0.texture === map.texture } ?? -1, set: map.set,
                hasTransform: map.transform != .identity)
        }
    }
}

extension ModelInspection.TextureEntry {
    init(_ entry: ParsedTexture, materials: [Material]) {
        (name, uri, mimeType) = (entry.texture.name, entry.uri, "")
        (width, height, encodedBytes, decodedBytes) = (0, 0, 0, 0)
        var seen: [String] = []
        for material in materials {
            for (slot, map) in material.slotMaps where map.texture === entry.texture && !seen.contains(slot) { seen.append(slot) }
        }
        usedAs = seen
        guard case .encoded(let bytes) = entry.texture.content else { return }
        encodedBytes = bytes.count
        mimeType = ImageFile.kind(of: bytes).map { "image/\($0.rawValue)" } ?? ""
        guard let header = try? ImageFile.header(of: bytes) else { return }
        (width, height) = (header.width, header.height)
        decodedBytes = (try? Image.byteCount(width: width, height: height, format: header.format)) ?? 0
    }
}

extension ModelInspection.AnimationEntry {
    init(_ clip: AnimationClip) {
        (name, duration, tracks) = (clip.name, clip.duration, clip.tracks.count)
        keys = clip.tracks.reduce(0) { $0 + $1.times.count }
    }
}

extension ModelInspection.CameraEntry {
    init(_ camera: Camera, node: String) {
        self.node = node
        switch camera.projection {
        case .perspective(let angle): (projection, fieldOfView) = ("perspective", angle.degrees)
        case .orthographic: projection = "orthographic"
        }
        near = camera.near
        far = camera.far.isFinite ? camera.far : nil
    }
}

extension ModelInspection.LightEntry {
    init(_ light: Light, node: String) {
        self.node = node
        kind =
            switch light.kind {
            case .ambient: "ambient"
            case .directional: "directional"
            case .point: "point"
            case .spot: "spot"
            case .rectangle: "rectangle"
            case .disc: "disc"
            }
        color = light.color.linear.xyz.array
        intensity = light.intensity
    }
}

extension ModelInspection {
    /// A node of the default scene.
    package struct NodeEntry: Codable, Equatable, Sendable {
        package var name: String
        /// The depth; 0 for the top-level nodes of the scene.
        package var depth: Int
        /// The index of the parent in `nodes`; nil at depth 0.
        package var parent: Int?
        /// The position in metres in the parent's frame; nil if it is the origin.
        package var position: [Float]?
        /// The rotation in degrees about an axis: angle, x, y, z; nil if there is none.
        package var rotation: [Float]?
        /// The scale by axis; nil if it is 1.
        package var scale: [Float]?
        package var isHidden: Bool
        /// The name of the mesh, "" if it has none; nil if the node has no mesh.
        package var mesh: String?
        package var triangles: Int?
        /// The names of the materials, one per mesh part.
        package var materials: [String]?
        /// The number of joints of the skin.
        package var joints: Int?
        package var hasCamera: Bool
        package var hasLight: Bool
        /// The names of the animations that move the node.
        package var animations: [String]
    }

    static func nodes(of scene: Scene) -> [NodeEntry] {
        var animations: [ObjectIdentifier: [String]] = [:]
        for clip in scene.animations {
            for track in clip.tracks {
                let key = ObjectIdentifier(track.node)
                if animations[key]?.last != clip.name { animations[key, default: []].append(clip.name) }
            }
        }
        var entries: [NodeEntry] = []
        var stack: [(node: Node, depth: Int, parent: Int?)] = []
        for child in scene.rootNode.childNodes.reversed() { stack.append((child, 0, nil)) }
        while let (node, depth, parent) = stack.popLast() {
            entries.append(NodeEntry(node, depth: depth, parent: parent, animations: animations[ObjectIdentifier(node)] ?? []))
            let index = entries.count - 1
            for child in node.childNodes.reversed() { stack.append((child, depth + 1, index)) }
        }
        return entries
    }
}

extension ModelInspection.NodeEntry {
    fileprivate init(_ node: Node, depth: Int, parent: Int?, animations: [String]) {
        (name, self.depth, self.parent, self.animations) = (node.name, depth, parent, animations)
        position = node.position == Vector3(0, 0, 0) ? nil : node.position.array
        let q = node.orientation
        let sine = length(q.imaginary)
        if sine > 1e-6 {
            let axis = q.imaginary / sine * (q.real < 0 ? -1 : 1)
            rotation = [q.angle.degrees, axis.x, axis.y, axis.z]
        }
        scale = node.scale == Vector3(1, 1, 1) ? nil : node.scale.array
        isHidden = node.isHidden
        if let mesh = node.mesh { (self.mesh, triangles, materials) = (mesh.name, mesh.triangleCount, mesh.parts.map(\.material.name)) }
        joints = node.skin?.joints.count
        (hasCamera, hasLight) = (node.camera != nil, node.light != nil)
    }
}

extension FileInspection {
    /// The hierarchy as text, one node per line; empty if `model.nodes` is nil. Indented by at most 40 levels.
    package var tree: String {
        (model?.nodes ?? []).map { node in
            let facts = Self.facts(node)
            let indent = String(repeating: "  ", count: min(node.depth, 40)) + (node.depth > 40 ? "(level \(node.depth)) " : "")
            return indent + Self.named(node.name) + (facts.isEmpty ? "" : "  " + facts.joined(separator: "; "))
        }.joined(separator: "\n")
    }

    private static func facts(_ node: ModelInspection.NodeEntry) -> [String] {
        var facts: [String] = []
        if let mesh = node.mesh {
            // Each name once, in the order of the parts.
            let materials = (node.materials ?? []).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.map(named)
            let names = materials.prefix(4).joined(separator: ", ") + (materials.count > 4 ? " and \(materials.count - 4) more" : "")
            facts.append("mesh \(named(mesh)), \(plural(node.triangles ?? 0, "triangle")), \(names)")
        }
        if let joints = node.joints { facts.append("skin of \(plural(joints, "joint"))") }
        if node.hasCamera { facts.append("camera") }
        if node.hasLight { facts.append("light") }
        if node.isHidden { facts.append("hidden") }
        if let position = node.position { facts.append("at \(vector(position))") }
        if let rotation = node.rotation { facts.append("rotated \(number(rotation[0]))° about \(vector(Array(rotation[1...])))") }
        if let scale = node.scale {
            facts.append("scaled " + (scale[0] == scale[1] && scale[1] == scale[2] ? number(scale[0]) : vector(scale)))
        }
        if !node.animations.isEmpty { facts.append("animated by \(node.animations.map(named).joined(separator: ", "))") }
        return facts
    }
}
