import VitrineGLTF
import VitrineScene

/// The result of a reader: a model with encoded textures.
struct ParsedModel {
    let scenes: [Scene]
    /// The default scene.
    let scene: Scene
    /// Every material in the file's order, then the default for parts without one.
    let materials: [Material]
    /// The number of materials in the file.
    let materialCount: Int
    let textures: [ParsedTexture]
    /// Properties of a glTF file; nil for other formats.
    let info: GLTFInfo?
    let warnings: [ModelWarning]
    /// The variant sets of a USD file.
    let variantSets: [ModelInspection.VariantSetEntry]

    init(_ asset: GLTFAsset) {
        (scenes, scene, materials, info) = (asset.scenes, asset.scene, asset.materials, asset.info)
        materialCount = asset.info.counts.materials
        textures = asset.textures.map {
            ParsedTexture(texture: $0.texture, imageIndex: $0.imageIndex, uri: $0.uri, location: $0.location, fallback: $0.fallback)
        }
        variantSets = []
        warnings = asset.warnings.map { ModelWarning(location: $0.location, message: $0.message) }
    }

    init(
        scene: Scene, materials: [Material], textures: [ParsedTexture], warnings: [ModelWarning],
        variantSets: [ModelInspection.VariantSetEntry] = []
    ) {
        self.variantSets = variantSets
        (scenes, self.scene, self.materials, self.textures, self.warnings) = ([scene], scene, materials, textures, warnings)
        (materialCount, info) = (materials.count, nil)
    }
}

/// A texture and the location of its image.
struct ParsedTexture {
    let texture: Texture
    /// The index of the image; textures with the same index share it.
    let imageIndex: Int
    /// The path of the image file; empty if the image is embedded.
    let uri: String
    /// The position in the model file, for messages.
    let location: String
    /// An image to use if the texture's own cannot be decoded; nil if there is none.
    var fallback: [UInt8]?
}
