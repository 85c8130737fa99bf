/// How `Material.init(image:recipe:)` makes a material from one image, such as a card, a label or a page.
///
/// Metalness is derived from brightness. The steps, on values as the image stores them (sRGB-encoded,
/// as in an image editor; float images are encoded first):
///
/// 1. grey: `g = 0.2126 R + 0.7152 G + 0.0722 B`
/// 2. contrast: `c = (g − 0.5) · contrast + 0.5`, held to 0…1
/// 3. a tone curve that keeps black and the middle and pulls white to `white`: `m = (2 − white) c + (2 white − 2) c²`
/// 4. `metalnessIntensity`, which multiplies when it is drawn (`ScalarSlot.intensity`)
///
/// The result is data: `m` is the metalness, with no transfer function. Sparkle is a normal map of noise (`Image.noiseNormalMap`), drawn at
/// the low scale `sparkle`. Roughness is one number.
public struct ImageMaterialRecipe: Equatable, Sendable {
    /// At least 0; 1 keeps greys unchanged.
    public var contrast: Float = 2
    /// Metalness of white before the intensity, 2/3…1.
    public var white: Float = 0.9
    /// 0…1.
    public var metalnessIntensity: Float = 0.6
    /// 0 mirror … 1 dull.
    public var roughness: Float = 0.35
    /// Scale of the noise normals: 0 none, 1 as steep as they are made.
    public var sparkle: Float = 0.15
    /// How often the noise repeats along the image's width.
    public var sparkleRepeats: Float = 1
    /// Pixels along a side of the noise, at most 4,096.
    public var sparkleSize: Int = 1024
    /// Where in the noise it begins: another seed, another pattern.
    public var seed: UInt64 = 0

    /// Makes a recipe with default values.
    public init() {}
}
