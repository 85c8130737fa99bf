import VitrineMath

extension Material {
    /// A material made from one picture: its colours, metalness derived from them, sparkle from noise, one roughness.
    ///
    /// ```swift
    /// var recipe = ImageMaterialRecipe()
    /// recipe.roughness = 0.2
    /// let foil = Material(image: front, recipe: recipe)
    /// foil.clearcoat.factor = 1
    /// foil.metalness.intensity = 0.3                       // every slot stays open to change
    /// ```
    ///
    /// - Parameter sampler: How the picture and its metalness are read; the noise always repeats.
    public convenience init(
        name: String = "", picture: Image, recipe: ImageMaterialRecipe = ImageMaterialRecipe(),
        sampler: Sampler = Sampler(wrapS: .clampToEdge, wrapT: .clampToEdge)
    ) {
        self.init(name: name, metalness: 1, roughness: recipe.roughness)
        baseColor.map = TextureMap(Texture(picture, sampler: sampler))
        metalness.map = TextureMap(Texture(Image.metalnessMap(from: picture, recipe: recipe), sampler: sampler))
        metalness.intensity = recipe.metalnessIntensity
        guard recipe.sparkle > 0 else { return }
        let noise = Image.noiseNormalMap(size: recipe.sparkleSize, seed: recipe.seed)
        // As many pixels of noise along the height as along the width.
        let repeats = Vector2(1, Float(picture.height) / Float(picture.width)) * recipe.sparkleRepeats
        normal.map = TextureMap(
            Texture(noise), transform: TextureTransform(scale: repeats))
        normal.scale = recipe.sparkle
    }
}
