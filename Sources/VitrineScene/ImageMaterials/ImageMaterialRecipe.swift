/// The parameters of `Material.init(image:recipe:)`, which creates a material from one image, such as a card, a label or a page.
///
/// Metalness is derived from brightness. The steps operate on values as the image stores them (sRGB-encoded, as in an image editor; float images
/// are encoded first):
///
/// 1. grey: `g = 0.2126 R + 0.7152 G + 0.0722 B`
/// 2. contrast: `c = (g − 0.5) · contrast + 0.5`, clamped to 0…1
/// 3. a tone curve that keeps black and the middle and maps white to `white`: `m = (2 − white) c + (2 white − 2) c²`
/// 4. `metalnessIntensity`, a factor that the renderer applies (`ScalarSlot.intensity`)
///
/// The result is linear data: `m` is the metalness. Sparkle is a normal map of noise (`Image.noiseNormalMap`) with the low scale `sparkle`.
/// Roughness is constant.
public struct ImageMaterialRecipe: Equatable, Sendable {
    /// The contrast, at least 0; 1 keeps greys unchanged.
    public var contrast: Float = 2
    /// The metalness of white before the intensity, 2/3…1.
    public var white: Float = 0.9
    /// The factor on the metalness, 0…1.
    public var metalnessIntensity: Float = 0.6
    /// The roughness: 0 mirror … 1 matte.
    public var roughness: Float = 0.35
    /// The scale of the noise normals: 0 for none, 1 for their full steepness.
    public var sparkle: Float = 0.15
    /// The number of repetitions of the noise along the image's width.
    public var sparkleRepeats: Float = 1
    /// The width and height of the noise in pixels, at most 4,096.
    public var sparkleSize: Int = 1024
    /// The seed of the noise: another seed gives another pattern.
    public var seed: UInt64 = 0

    /// Creates a recipe with default values.
    public init() {}
}
