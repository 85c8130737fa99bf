import VitrineGLTF
import VitrineMath
import VitrineScene

/// What a model holds, in numbers.
public struct ModelInspection: Codable, Equatable, Sendable {
    /// What the file says about itself; empty where it is no glTF.
    public struct Origin: Codable, Equatable, Sendable {
        public var version, generator, copyright: String
        public var extensionsUsed, extensionsRequired: [String]
    }

    public struct Counts: Codable, Equatable, Sendable {
        public var scenes = 0
        /// Nodes of the scene that is shown.
        public var nodes = 0
        public var meshes = 0
        /// Mesh parts: one draw call each.
        public var parts = 0
        public var vertices = 0
        /// Of meshes that some visible node shows, each counted once.
        public var triangles = 0
        /// Triangles as drawn: a mesh counts once for each visible node that shows it.
        public var drawnTriangles = 0
        /// Of meshes that only hidden nodes show, each counted once.
        public var hiddenTriangles = 0
        /// Hidden nodes with a mesh: hidden themselves or below a hidden node.
        public var hiddenMeshNodes = 0
        public var morphTargets = 0
        public var materials = 0
        public var textures = 0
        public var animations = 0
        public var skins = 0
        public var cameras = 0
        public var lights = 0
    }

    /// Of everything that is not hidden, in world coordinates, metres: exact, by vertices.
    public struct Bounds: Codable, Equatable, Sendable {
        public var minimum, maximum, size: [Float]
    }

    /// Estimates, in bytes.
    public struct Memory: Codable, Equatable, Sendable {
        /// Vertices, indices and morph targets in main memory; streams that parts share count once.
        public var geometry: Int
        /// Decoded pictures.
        public var textures: Int
        /// On the GPU: vertices and indices by part, pictures with their smaller levels.
        public var gpu: Int
    }

    public var origin: Origin
    public var counts: Counts
    /// nil where nothing is shown.
    public var bounds: Bounds?
    public var materials: [MaterialEntry]
    public var textures: [TextureEntry]
    public var animations: [AnimationEntry]
    public var skins: [SkinEntry]
    public var cameras: [CameraEntry]
    public var lights: [LightEntry]
    /// Names of the material variants.
    public var variants: [String]
    public var memory: Memory
    /// Of USD: nil where the file has none.
    public var variantSets: [VariantSetEntry]?
    public var warnings: [ModelWarning]

    init(_ asset: ParsedModel, textureWarnings: [ModelWarning]) {
        let survey = SceneSurvey(asset)
        let info = asset.info
        origin = Origin(
            version: info?.version ?? "", generator: info?.generator ?? "", copyright: info?.copyright ?? "",
            extensionsUsed: info?.extensionsUsed ?? [], extensionsRequired: info?.extensionsRequired ?? [])
        counts = survey.counts
        let box = asset.scene.bounds
        bounds = box.isEmpty ? nil : Bounds(minimum: box.minimum.array, maximum: box.maximum.array, size: box.size.array)
        // The last one is for primitives that name none: listed where it is used.
        materials = asset.materials.enumerated().filter { $0.offset < asset.materialCount || survey.usesMaterial($0.element) }
            .map { MaterialEntry($0.element, textures: asset.textures) }
        textures = asset.textures.map { TextureEntry($0, materials: asset.materials) }
        animations = asset.scene.animations.map { AnimationEntry($0) }
        variants = asset.scene.variantNames
        (skins, cameras, lights) = (survey.skins, survey.cameras, survey.lights)
        let pictureBytes = Dictionary(
            zip(asset.textures, textures).map { ($0.imageIndex, $1.decodedBytes) }, uniquingKeysWith: { a, _ in a })
        let decoded = pictureBytes.values.reduce(0, +)
        let uploaded = textures.reduce(0) { $0 + $1.decodedBytes / 3 * 4 }
        memory = Memory(geometry: survey.geometryBytes, textures: decoded, gpu: survey.gpuGeometryBytes + uploaded)
        variantSets = asset.variantSets.isEmpty ? nil : asset.variantSets
        warnings = asset.warnings + textureWarnings
    }
}

extension SIMD3 where Scalar == Float {
    var array: [Float] { [x, y, z] }
}
