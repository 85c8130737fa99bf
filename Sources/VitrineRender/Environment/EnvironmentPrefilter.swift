import VitrineGPU
import VitrineMath
import VitrineScene

/// Makes `EnvironmentMap`s from equirectangular pictures, by compute shaders. Make one and keep it: it holds the compiled shaders.
///
/// ```swift
/// let prefilter = try EnvironmentPrefilter(device: device)
/// let map = try prefilter.makeMap(from: image)
/// ```
/// Work is submitted at once and not waited for. The same picture gives the same bytes.
public final class EnvironmentPrefilter {
    /// How fine the cubes are.
    public struct Options: Sendable, Equatable {
        /// The largest edge of a cube's face, in texels, a power of two. The smallest power of two whose texels in the middle of a face
        /// are no larger than the picture's is taken, up to this. A face of 1,024 texels takes 64 MiB with its levels.
        public var maximumFaceSize = 1024
        /// Samples of each level of the specular cube, from level 1; the last goes for all further levels.
        public var sampleCounts = [24, 32, 64, 96, 192, 384]

        public init() {}
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

    public init(device: GPUDevice) throws(GPUError) {
        self.device = device
        projecting = try Stage(device, "project", Self.projection)
        halving = try Stage(device, "halve", Self.halving)
        filtering = try Stage(device, "prefilter", Self.filtering)
        gathering = try Stage(device, "gather", Self.gathering)
        irradiating = try Stage(device, "irradiate", Self.irradiance)
        sampler = try device.makeSampler(GPUSamplerDescriptor("environment prefilter", mipmap: .nearest))
    }

    // MARK: Making maps

    /// Light and sky from an equirectangular picture.
    ///
    /// Floats are linear radiance, integers sRGB. The middle of the picture lies towards +X, its upper edge towards +Y, a quarter of its
    /// width to the right of the middle towards +Z. Negative values and NaN count as 0; see `EnvironmentMap.warnings`.
    public func makeMap(from image: Image, options: Options = Options()) throws(EnvironmentError) -> EnvironmentMap {
        let source = try EnvironmentSource(image)
        let picture = try source.upload(to: device)
        do throws(GPUError) {
            return try makeMap(from: source, picture, options: options)
        } catch {
            throw .gpu(error)
        }
    }

    /// Only a sky, for a visible background that lights nothing: level 0 and no irradiance.
    public func makeSky(from image: Image, options: Options = Options()) throws(EnvironmentError) -> EnvironmentMap {
        let source = try EnvironmentSource(image)
        let picture = try source.upload(to: device)
        do throws(GPUError) {
            let sky = try makeCube("sky", faceSize: Self.faceSize(pictureWidth: image.width, options), levels: 1)
            let none = try makeCube("sky without light", faceSize: 1, levels: 1)
            let encoder = try device.makeCommandEncoder("environment sky")
            try encoder.computePass("environment sky") { pass throws(GPUError) in
                // Nobody reads the second cube; a sky is rare enough not to need a shader of its own.
                let unused = try makeCube("sky without bright spots", faceSize: sky.width, levels: 1)
                try project(picture, source, to: sky, dimmed: unused, pass)
            }
            device.queue.submit(try encoder.finish())
            return try EnvironmentMap(specular: sky, irradiance: none, scale: source.scale, warnings: source.warnings)
        } catch {
            throw .gpu(error)
        }
    }

    private func makeMap(from source: EnvironmentSource, _ picture: GPUTexture, options: Options) throws(GPUError) -> EnvironmentMap {
        let faceSize = Self.faceSize(pictureWidth: source.image.width, options)
        let pyramid = try makeCube(
            "environment source", faceSize: faceSize, levels: GPUTexture.fullMipLevelCount(width: faceSize, height: 1))
        // Down to faces of 4 × 4 texels, for roughness 1.
        let specular = try makeCube("environment specular", faceSize: faceSize, levels: pyramid.mipLevelCount - 2)
        let irradiance = try makeCube("environment irradiance", faceSize: Self.irradianceFaceSize, levels: 1)

        let encoder = try device.makeCommandEncoder("environment")
        try encoder.computePass("environment source") { pass throws(GPUError) in
            try project(picture, source, to: specular, dimmed: pyramid, pass)
            for level in 1..<pyramid.mipLevelCount { try halve(pyramid, to: level, pass) }
        }
        try encoder.computePass("environment light") { pass throws(GPUError) in
            try filter(pyramid, source, to: specular, options, pass)
            try irradiate(picture, source, to: irradiance, pass)
        }
        device.queue.submit(try encoder.finish())
        return try EnvironmentMap(specular: specular, irradiance: irradiance, scale: source.scale, warnings: source.warnings)
    }

    /// The most samples of a level.
    static let maximumSampleCount = 512
    /// Into how many cells the picture is gathered for irradiance: as many as a uniform buffer may hold everywhere.
    static let cellGrid = (columns: 64, rows: 32)
    /// Enough for the irradiance of a single sun to be off by less than 0.1 % in the middle of a face.
    private static let irradianceFaceSize = 32

    /// The smallest power of two whose texels in the middle of a face (2 / size radians) are no larger than the picture's (2π / width).
    static func faceSize(pictureWidth: Int, _ options: Options) -> Int {
        var size = 128
        while Double(size) * Double.pi < Double(pictureWidth), size * 2 <= options.maximumFaceSize { size *= 2 }
        return size
    }

    private func makeCube(_ label: String, faceSize: Int, levels: Int) throws(GPUError) -> GPUTexture {
        try device.makeTexture(
            GPUTextureDescriptor(
                label, size: GPUExtent(faceSize, faceSize, 6), format: .rgba16Float,
                usage: [.textureBinding, .storageBinding, .copySource, .copyDestination], mipLevelCount: levels))
    }

    // MARK: Steps

    private func project(
        _ picture: GPUTexture, _ source: EnvironmentSource, to cube: GPUTexture, dimmed: GPUTexture, _ pass: borrowing GPUComputePass
    ) throws(GPUError) {
        let values = try device.makeBuffer(
            "environment values", contents: [1 / source.scale, source.spots.limit / source.scale, 0, 0], usage: .uniform)
        try run(
            projecting, "environment project", faceSize: cube.width,
            [
                .texture(0, try picture.makeView()), .texture(1, try layers(of: cube, level: 0)),
                .texture(2, try layers(of: dimmed, level: 0)), .buffer(3, values),
            ], pass)
    }

    private func halve(_ cube: GPUTexture, to level: Int, _ pass: borrowing GPUComputePass) throws(GPUError) {
        try run(
            halving, "environment halve", faceSize: cube.size(ofMipLevel: level).width,
            [.texture(0, try layers(of: cube, level: level - 1)), .texture(1, try layers(of: cube, level: level))], pass)
    }

    private func filter(
        _ pyramid: GPUTexture, _ source: EnvironmentSource, to specular: GPUTexture, _ options: Options, _ pass: borrowing GPUComputePass
    ) throws(GPUError) {
        let pyramidView = try pyramid.makeView(dimension: .cube)
        for level in 1..<specular.mipLevelCount {
            let roughness = EnvironmentMap.roughness(ofLevel: level, levelCount: specular.mipLevelCount, faceSize: specular.width)
            let count = options.sampleCounts.isEmpty ? 64 : options.sampleCounts[min(level, options.sampleCounts.count) - 1]
            let samples = GGXSamples(
                roughness: roughness, count: clamp(count, 1, Self.maximumSampleCount), sourceSize: pyramid.width,
                sourceLevels: pyramid.mipLevelCount)
            let lobe = Self.lobe(roughness: roughness, samples, source)
            try run(
                filtering, "environment prefilter", faceSize: specular.size(ofMipLevel: level).width,
                [
                    .texture(0, pyramidView), .sampler(1, sampler),
                    .buffer(2, try device.makeBuffer("environment lobe", contents: lobe, usage: .uniform)),
                    .texture(3, try layers(of: specular, level: level)),
                ], pass)
        }
    }

    /// `Lobe` of the shader.
    private static func lobe(roughness: Float, _ samples: GGXSamples, _ source: EnvironmentSource) -> [Vector4] {
        var values = [Vector4](repeating: Vector4(), count: 1 + 2 * BrightSpots.maximumCount + maximumSampleCount)
        let spots = source.spots.spots
        values[0].x = Float(bitPattern: UInt32(samples.values.count))
        values[0].y = Float(bitPattern: UInt32(spots.count))
        for (index, spot) in spots.enumerated() {
            let lobe = GGXLobe(roughness: roughness, spread: spot.spread)
            values[1 + 2 * index] = Vector4(spot.direction, lobe.alphaSquared - 1)
            values[2 + 2 * index] = Vector4(spot.flux * (lobe.strength / source.scale), 0)
        }
        for (index, sample) in samples.values.enumerated() { values[1 + 2 * BrightSpots.maximumCount + index] = sample }
        return values
    }

    private func irradiate(
        _ picture: GPUTexture, _ source: EnvironmentSource, to cube: GPUTexture, _ pass: borrowing GPUComputePass
    ) throws(GPUError) {
        let grid = (columns: min(picture.width, Self.cellGrid.columns), rows: min(picture.height, Self.cellGrid.rows))
        let scaleAndGrid = try device.makeBuffer(
            "environment scale", contents: [(1 / source.scale).bitPattern, UInt32(grid.columns), UInt32(grid.rows), 0], usage: .uniform)
        // What a small picture doesn't fill stays dark.
        let cells = try device.makeBuffer(
            "environment cells", size: Self.cellGrid.columns * Self.cellGrid.rows * 32, usage: [.storage, .uniform])
        let gather = try device.makeBindGroup(
            "environment gather", layout: gathering.layout,
            [.texture(0, try picture.makeView()), .buffer(1, cells), .buffer(2, scaleAndGrid)])
        pass.setPipeline(gathering.pipeline)
        pass.setBindGroup(0, gather)
        pass.dispatch((grid.columns * grid.rows + 63) / 64)
        try run(
            irradiating, "environment irradiate", faceSize: cube.width,
            [.buffer(0, cells), .texture(1, try layers(of: cube, level: 0))], pass)
    }

    private func layers(of cube: GPUTexture, level: Int) throws(GPUError) -> GPUTextureView {
        try cube.makeView(dimension: .twoDimensionalArray, mipLevels: level..<(level + 1))
    }

    /// Runs a stage once for every texel of a cube's level.
    private func run(
        _ stage: Stage, _ label: String, faceSize: Int, _ entries: [GPUBindGroupEntry], _ pass: borrowing GPUComputePass
    ) throws(GPUError) {
        pass.setPipeline(stage.pipeline)
        pass.setBindGroup(0, try device.makeBindGroup(label, layout: stage.layout, entries))
        pass.dispatch((faceSize + 7) / 8, (faceSize + 7) / 8, 6)
    }
}
