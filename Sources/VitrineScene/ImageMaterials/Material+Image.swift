import VitrineMath

extension Material {
    /// Creates a material from one image: its colours, metalness derived from them, sparkle from noise, constant roughness.
    ///
    /// ```swift
    /// var recipe = ImageMaterialRecipe()
    /// recipe.roughness = 0.2
    /// let foil = Material(image: front, recipe: recipe)
    /// foil.clearcoat.factor = 1
    /// foil.metalness.intensity = 0.3                       // every slot can still be changed
    /// ```
    ///
    /// - Parameter sampler: The sampler of the image and its metalness; the noise always repeats.
    public convenience init(
        name: String = "", image: Image, recipe: ImageMaterialRecipe = ImageMaterialRecipe(),
        sampler: Sampler = Sampler(wrapS: .clampToEdge, wrapT: .clampToEdge)
    ) {
        self.init(name: name, metalness: 1, roughness: recipe.roughness)
        baseColor.map = TextureMap(Texture(image, sampler: sampler))
        metalness.map = TextureMap(Texture(Image.metalnessMap(from: image, recipe: recipe), sampler: sampler))
        metalness.intensity = recipe.metalnessIntensity
        guard recipe.sparkle > 0 else { return }
        let noise = Image.noiseNormalMap(size: recipe.sparkleSize, seed: recipe.seed)
        // The noise has the same density along the height as along the width.
        let repeats = Vector2(1, Float(image.height) / Float(image.width)) * recipe.sparkleRepeats
        normal.map = TextureMap(
            Texture(noise), transform: TextureTransform(scale: repeats))
        normal.scale = recipe.sparkle
    }
}
