import VitrineGLTF
import VitrineMath
import VitrineScene

extension ModelInspection {
    public struct MaterialEntry: Codable, Equatable, Sendable {
        public var name: String
        /// "physicallyBased", "constant", "lambert", "phong" or "blinn".
        public var lightingModel: String
        /// Linear red, green, blue, alpha.
        public var baseColor: [Float]
        public var metalness, roughness: Float
        /// Linear red, green, blue.
        public var emission: [Float]
        /// "opaque", "mask" or "blend".
        public var alphaMode: String
        public var alphaCutoff: Float?
        public var isDoubleSided: Bool
        /// nil: none.
        public var clearcoat: Float?
        /// Other lobes that show, with their main numbers: "sheen 0.5 0.5 0.5, roughness 0.3".
        public var lobes: [String]
        /// The slots that have a texture, and its index in `textures`.
        public var slots: [Slot]
    }

    /// A texture as one slot of a material uses it.
    public struct Slot: Codable, Equatable, Sendable {
        public var name: String
        public var texture: Int
        /// Set of texture coordinates.
        public var set: Int
        public var hasTransform: Bool
    }

    public struct TextureEntry: Codable, Equatable, Sendable {
        public var name: String
        /// By the first bytes: "image/png" …; empty where they are not known.
        public var mimeType: String
        /// The file beside the model; empty where the picture lies inside.
        public var uri: String
        /// Pixels; 0 where the header can't be read.
        public var width, height: Int
        public var encodedBytes: Int
        public var decodedBytes: Int
        /// The slots that show it, in a fixed order.
        public var usedAs: [String]
    }

    public struct AnimationEntry: Codable, Equatable, Sendable {
        public var name: String
        /// Seconds.
        public var duration: Float
        public var tracks: Int
        public var keys: Int
    }

    public struct SkinEntry: Codable, Equatable, Sendable {
        public var name: String
        public var joints: Int
    }

    public struct CameraEntry: Codable, Equatable, Sendable {
        public var node: String
        /// "perspective" or "orthographic".
        public var projection: String
        /// Vertical, degrees; of a perspective camera.
        public var fieldOfView: Float?
        /// Metres; `far` is nil where it is infinite.
        public var near: Float
        public var far: Float?
    }

    /// A set of variants of a USD prim.
    public struct VariantSetEntry: Codable, Equatable, Sendable {
        /// The prim's path.
        public var node: String
        public var name: String
        public var choices: [String]
        /// The one that is shown; empty: none.
        public var choice: String
    }

    public struct LightEntry: Codable, Equatable, Sendable {
        public var node: String
        /// "directional", "point", "spot" or "ambient".
        public var kind: String
        /// Linear red, green, blue.
        public var color: [Float]
        /// Lux or candela.
        public var intensity: Float
    }
}

extension Material {
    /// Each slot's name and map, in a fixed order.
    var slotMaps: [(name: String, map: TextureMap)] {
        let all: [(String, TextureMap?)] = [
            ("baseColor", baseColor.map), ("metalness", metalness.map), ("roughness", roughness.map), ("normal", normal.map),
            ("occlusion", occlusion.map), ("emission", emission.map), ("clearcoat", clearcoat.factor.map),
            ("clearcoatRoughness", clearcoat.roughness.map), ("clearcoatNormal", clearcoat.normal.map), ("opacity", opacity.map),
            ("specular", specular.factor.map), ("specularColor", specular.color.map), ("sheenColor", sheen.color.map),
            ("sheenRoughness", sheen.roughness.map), ("transmission", transmission.factor.map), ("thickness", volume.thickness.map),
            ("iridescence", iridescence.factor.map), ("iridescenceThickness", iridescence.thicknessMap), ("anisotropy", anisotropy.map),
            ("highlight", highlight.color.map),
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
