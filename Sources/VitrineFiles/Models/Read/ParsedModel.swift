import VitrineGLTF
import VitrineScene

/// A model file as its reader leaves it: pictures still encoded.
struct ParsedModel {
    let scenes: [Scene]
    /// The one to show.
    let scene: Scene
    /// Every material of the file, in its order, then the one for what names none.
    let materials: [Material]
    /// How many of those the file itself has.
    let materialCount: Int
    let textures: [ParsedTexture]
    /// What a glTF file says about itself; nil for other formats.
    let info: GLTFInfo?
    let warnings: [ModelWarning]
    /// Of USD files.
    let variantSets: [ModelInspection.VariantSetEntry]

    init(_ asset: GLTFAsset) {
        (scenes, scene, materials, info) = (asset.scenes, asset.scene, asset.materials, asset.info)
        materialCount = asset.info.counts.materials
        textures = asset.textures.map {
            ParsedTexture(texture: $0.texture, imageIndex: $0.imageIndex, uri: $0.uri, place: $0.place)
        }
        variantSets = []
        warnings = asset.warnings.map { ModelWarning(place: $0.place, message: $0.message) }
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

/// A texture and where its picture lies in the file.
struct ParsedTexture {
    let texture: Texture
    /// Textures that share it share the picture.
    let imageIndex: Int
    /// The file beside the model; empty where the picture lies inside.
    let uri: String
    /// For messages.
    let place: String
}
