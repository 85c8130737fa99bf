import VitrineGPU
import VitrineMath
import VitrineScene

/// Creates `EnvironmentMap`s from images of all directions with compute shaders. Make one and keep it: it owns the compiled shaders.
///
/// ```
/// let prefilter = try EnvironmentPrefilter(device: device)
/// let map = try prefilter.makeMap(from: image)
/// ```
/// Submits work without waiting. The same image gives the same bytes.
final class EnvironmentPrefilter {
    /// The resolution of the cubes.
    struct Options: Sendable, Equatable {
        /// The largest edge of a cube's face, in texels, a power of two. The smallest power of two whose texels in the middle of a face
        /// are no larger than the image's is used, up to this. A face of 1,024 texels takes 64 MiB with its levels.
        var maximumFaceSize = 1024
        /// The number of samples of a texel of the specular cube at roughness 1. Sharper lobes need fewer.
        var roughestSampleCount = 256

        init() {}
    }

    let device: GPUDevice
    private let projecting, halving, filtering, gathering, irradiating: Stage
    private let sampler: GPUSampler

    /// A compiled shader with the layout of its bindings.
    private struct Stage {
        let pipeline: GPUComputePipeline
        let layout: GPUBindGroupLayout

        init(_ device: GPUDevice, _ entryPoint: String, _ code: String, constants: [GPUConstant] = []) throws(GPUError) {
            let module = try device.makeShader("environment-\(entryPoint).wgsl", wgsl: code)
            pipeline = try device.makeComputePipeline(
                "environment \(entryPoint)", GPUShaderStage(module, entryPoint, constants: constants))
            layout = try pipeline.bindGroupLayout(0)
        }
    }

    init(device: GPUDevice) throws(GPUError) {
        self.device = device
        projecting = try Stage(device, "project", Self.projection)
        halving = try Stage(device, "halve", Self.halving)
        filtering = try Stage(device, "prefilter", Self.filtering)
        gathering = try Stage(device, "gather", Self.gathering)
        irradiating = try Stage(device, "irradiate", Self.irradiance)
        sampler = try device.makeSampler(GPUSamplerDescriptor("environment prefilter", mipmap: .nearest))
    }

    // MARK: Making maps

    /// Light and sky from an image in any of the layouts of `EnvironmentLayout`.
    ///
    /// Floats are linear radiance, integers sRGB. Negative values and NaN count as 0; see `EnvironmentMap.warnings`.
    func makeMap(from image: Image, options: Options = Options()) throws(RenderError) -> EnvironmentMap {
        try EnvironmentPreparation(self, image, options: options).finish()
    }

    /// Makes only a sky, for a visible background without light: level 0 and no irradiance.
    func makeSky(from image: Image, options: Options = Options()) throws(RenderError) -> EnvironmentMap {
        try EnvironmentPreparation(self, image, isSky: true, options: options).finish()
    }

    /// The textures of a map in preparation.
    struct Parts {
        let image: GPUTexture
        /// The environment without the bright spots, with all levels; unused for skies.
        let pyramid: GPUTexture
        let specular, irradiance: GPUTexture
        /// The samples of each level's lobe.
        let lobes: [[Vector4]]
    }

    func makeParts(_ source: EnvironmentSource, _ image: GPUTexture, isSky: Bool, _ options: Options) throws(GPUError) -> Parts {
        let faceSize = Self.faceSize(imageWidth: source.image.width, options)
        let levels = GPUTexture.fullMipLevelCount(width: faceSize, height: 1)
        let pyramid = try makeCube("environment source", faceSize: faceSize, levels: isSky ? 1 : levels)
        // Down to faces of 4 × 4 texels, for roughness 1.
        let specular = try makeCube(isSky ? "sky" : "environment specular", faceSize: faceSize, levels: isSky ? 1 : levels - 2)
        let irradiance = try makeCube("environment irradiance", faceSize: isSky ? 1 : Self.irradianceFaceSize, levels: 1)
        let lobes = (0..<specular.mipLevelCount).map { level in level == 0 ? [] : Self.lobe(level, pyramid, specular, source, options) }
        return Parts(image: image, pyramid: pyramid, specular: specular, irradiance: irradiance, lobes: lobes)
    }

    func map(of parts: Parts, _ source: EnvironmentSource) throws(GPUError) -> EnvironmentMap {
        try EnvironmentMap(specular: parts.specular, irradiance: parts.irradiance, scale: source.scale, warnings: source.warnings)
    }

    /// Submits one pass to the GPU.
    func submit(_ body: (borrowing GPUComputePass) throws(GPUError) -> Void) throws(GPUError) {
        let encoder = try device.makeCommandEncoder("environment")
        try encoder.computePass("environment") { pass throws(GPUError) in try body(pass) }
        device.queue.submit(try encoder.finish())
    }

    /// The most samples of a level.
    static let maximumSampleCount = 512
    /// Number of cells in which the image is gathered for irradiance: the guaranteed size of a uniform buffer.
    static let cellGrid = (columns: 64, rows: 32)
    /// Enough for the irradiance of a single sun to be off by less than 0.1 % in the middle of a face.
    private static let irradianceFaceSize = 32

    /// The smallest power of two whose texels in the centre of a face (2 / size radians) are no larger than the image's (2π / width).
    static func faceSize(imageWidth: Int, _ options: Options) -> Int {
        var size = 128
        while Double(size) * Double.pi < Double(imageWidth), size * 2 <= options.maximumFaceSize { size *= 2 }
        return size
    }

    private func makeCube(_ label: String, faceSize: Int, levels: Int) throws(GPUError) -> GPUTexture {
        try device.makeTexture(
            GPUTextureDescriptor(
                label, size: GPUExtent(faceSize, faceSize, 6), format: .rgba16Float,
                usage: [.textureBinding, .storageBinding, .copySource, .copyDestination], mipLevelCount: levels))
    }

    // MARK: Steps

    func project(
        _ parts: Parts, _ source: EnvironmentSource, face: Int, rows: Range<Int>, _ pass: borrowing GPUComputePass
    ) throws(GPUError) {
        let values = try device.makeBuffer(
            "environment values",
            contents: [1 / source.scale, source.spots.limit / source.scale, Float(face), Float(rows.lowerBound)], usage: .uniform)
        try run(
            projecting, "environment project", width: parts.specular.width, rows: rows.count,
            [
                .texture(0, try parts.image.makeView()), .texture(1, try layers(of: parts.specular, level: 0)),
                .texture(2, try layers(of: parts.pyramid, level: 0)), .buffer(3, values),
            ], pass)
    }

    func halve(_ parts: Parts, _ pass: borrowing GPUComputePass) throws(GPUError) {
        let cube = parts.pyramid
        for level in 1..<cube.mipLevelCount {
            let size = cube.size(ofMipLevel: level).width
            try run(
                halving, "environment halve", width: size, rows: size, faces: 6,
                [.texture(0, try layers(of: cube, level: level - 1)), .texture(1, try layers(of: cube, level: level))], pass)
        }
    }

    func filter(
        _ parts: Parts, _ source: EnvironmentSource, level: Int, face: Int, rows: Range<Int>, _ options: Options,
        _ pass: borrowing GPUComputePass
    ) throws(GPUError) {
        var lobe = parts.lobes[level]
        lobe[0].x = Float(bitPattern: UInt32(face))
        lobe[0].y = Float(bitPattern: UInt32(rows.lowerBound))
        try run(
            filtering, "environment prefilter", width: parts.specular.size(ofMipLevel: level).width, rows: rows.count,
            [
                .texture(0, try parts.pyramid.makeView(dimension: .cube)), .sampler(1, sampler),
                .buffer(2, try device.makeBuffer("environment lobe", contents: lobe, usage: .uniform)),
                .texture(3, try layers(of: parts.specular, level: level)),
            ], pass)
    }

    private static func lobe(
        _ level: Int, _ pyramid: GPUTexture, _ specular: GPUTexture, _ source: EnvironmentSource, _ options: Options
    ) -> [Vector4] {
        let roughness = EnvironmentMap.roughness(ofLevel: level, levelCount: specular.mipLevelCount, faceSize: specular.width)
        let samples = GGXSamples(
            roughness: roughness, count: options.sampleCount(roughness: roughness), sourceSize: pyramid.width,
            sourceLevels: pyramid.mipLevelCount)
        return lobe(roughness: roughness, samples, source)
    }

    /// The shader's `Lobe`.
    private static func lobe(roughness: Float, _ samples: GGXSamples, _ source: EnvironmentSource) -> [Vector4] {
        let firstSample = 1 + 2 * (BrightSpots.maximumCount + 1)
        var values = [Vector4](repeating: Vector4(), count: firstSample + maximumSampleCount + 1)
        for (index, spot) in source.spots.spots.enumerated() {
            let lobe = GGXLobe(roughness: roughness, spread: spot.spread)
            values[1 + 2 * index] = Vector4(spot.direction, lobe.alphaSquared - 1)
            values[2 + 2 * index] = Vector4(spot.flux * (lobe.strength / source.scale), 0)
        }
        for (index, sample) in samples.values.enumerated() { values[firstSample + index] = sample }
        return values
    }

    func irradiate(_ parts: Parts, _ source: EnvironmentSource, _ pass: borrowing GPUComputePass) throws(GPUError) {
        let (image, cube) = (parts.image, parts.irradiance)
        let grid = (columns: min(image.width, Self.cellGrid.columns), rows: min(image.height, Self.cellGrid.rows))
        let scaleAndGrid = try device.makeBuffer(
            "environment scale", contents: [(1 / source.scale).bitPattern, UInt32(grid.columns), UInt32(grid.rows), 0], usage: .uniform)
        // Cells that a small image does not cover stay black.
        let cells = try device.makeBuffer(
            "environment cells", size: Self.cellGrid.columns * Self.cellGrid.rows * 32, usage: [.storage, .uniform])
        let gather = try device.makeBindGroup(
            "environment gather", layout: gathering.layout,
            [.texture(0, try image.makeView()), .buffer(1, cells), .buffer(2, scaleAndGrid)])
        pass.setPipeline(gathering.pipeline)
        pass.setBindGroup(0, gather)
        pass.dispatch((grid.columns * grid.rows + 63) / 64)
        try run(
            irradiating, "environment irradiate", width: cube.width, rows: cube.width, faces: 6,
            [.buffer(0, cells), .texture(1, try layers(of: cube, level: 0))], pass)
    }

    private func layers(of cube: GPUTexture, level: Int) throws(GPUError) -> GPUTextureView {
        try cube.makeView(dimension: .twoDimensionalArray, mipLevels: level..<(level + 1))
    }

    /// Runs a stage once for every texel of some rows of a cube's level.
    private func run(
        _ stage: Stage, _ label: String, width: Int, rows: Int, faces: Int = 1, _ entries: [GPUBindGroupEntry],
        _ pass: borrowing GPUComputePass
    ) throws(GPUError) {
        pass.setPipeline(stage.pipeline)
        pass.setBindGroup(0, try device.makeBindGroup(label, layout: stage.layout, entries))
        pass.dispatch((width + 7) / 8, (rows + 7) / 8, faces)
    }
}

extension EnvironmentPrefilter.Options {
    /// The number of samples of a texel. A level has about 0.6 times those of the next one, and four times its texels.
    func sampleCount(roughness: Float) -> Int {
        clamp(Int(Float(roughestSampleCount) * pow(roughness, 1.3)), 8, EnvironmentPrefilter.maximumSampleCount)
    }
}
