import VitrineGPU
import VitrineMath

/// A prefiltered environment on the GPU: cube maps made from one image by `EnvironmentPrefilter`.
///
/// A shader reads them through the functions of `EnvironmentShader`. Rotation and intensity are free: both are in `uniforms`.
///
/// **Roughness and levels.** Level 0 of `specular` is the image itself. Level k of 1…L holds the GGX lobe of perceptual roughness r₁^((L − k) / (L −
/// 1)) with r₁ = √(4 / face size): a lobe two and a half texels of level 1 wide. Level L is roughness 1 at 4 × 4 texels per face. Between levels the
/// two lobes are blended.
final class EnvironmentMap {
    /// `rgba16Float` cube with `levelCount` mip levels.
    let specular: GPUTexture
    /// Irradiance divided by π (the radiance of a white diffuse surface) by normal: `rgba16Float` cube without further levels.
    let irradiance: GPUTexture
    /// The factor from the cubes' values to radiance: a power of two, more than 1 only for images beyond the range of half floats.
    let scale: Float
    /// Values of the image that were changed.
    let warnings: [EnvironmentWarning]

    let specularView: GPUTextureView
    let irradianceView: GPUTextureView
    let sampler: GPUSampler

    init(specular: GPUTexture, irradiance: GPUTexture, scale: Float, warnings: [EnvironmentWarning]) throws(GPUError) {
        self.specular = specular
        self.irradiance = irradiance
        self.scale = scale
        self.warnings = warnings
        specularView = try specular.makeView(dimension: .cube)
        irradianceView = try irradiance.makeView(dimension: .cube)
        sampler = try specular.device.makeSampler(GPUSamplerDescriptor("environment"))
    }

    /// Mip levels of `specular`.
    var levelCount: Int { specular.mipLevelCount }

    /// Bytes of GPU memory that the cubes take.
    var memoryBytes: Int {
        [specular, irradiance].reduce(0) { sum, cube in
            (0..<cube.mipLevelCount).reduce(sum) { $0 + 48 * cube.size(ofMipLevel: $1).width * cube.size(ofMipLevel: $1).width }
        }
    }

    /// The perceptual roughness of a level of `specular`.
    func roughness(ofLevel level: Int) -> Float { Self.roughness(ofLevel: level, levelCount: levelCount, faceSize: specular.width) }

    static func roughness(ofLevel level: Int, levelCount: Int, faceSize: Int) -> Float {
        if level <= 0 { return 0 }
        let last = levelCount - 1
        if level >= last { return 1 }
        return pow(firstRoughness(faceSize: faceSize), Float(last - level) / Float(last - 1))
    }

    static func firstRoughness(faceSize: Int) -> Float { (4 / Float(faceSize)).squareRoot() }

    /// Creates a map without light.
    static func black(on device: GPUDevice) throws(GPUError) -> EnvironmentMap {
        // One texel per face: new textures contain zeros.
        let descriptor = GPUTextureDescriptor(
            "black environment", size: GPUExtent(1, 1, 6), format: .rgba16Float, usage: [.textureBinding, .copySource])
        return try EnvironmentMap(
            specular: try device.makeTexture(descriptor), irradiance: try device.makeTexture(descriptor), scale: 1, warnings: [])
    }
}
