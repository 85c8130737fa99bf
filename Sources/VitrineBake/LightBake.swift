import VitrineGeometry
import VitrineMath
import VitrinePathTracer
import VitrineScene
import VitrineTexture
import VitrineVision

/// Bakes occlusion and light into textures of a scene, and light into an irradiance volume, by path tracing.
///
/// Each static, opaque mesh gets a second set of texture coordinates, and all of them share one texture of each kind:
///
/// ```swift
/// import VitrinePathTracer
///
/// let bake = try LightBake(scene, traced: PathScene(scene))
/// try bake.run()      // the scene's materials have occlusion maps
/// ```
///
/// Light maps (`Material.lightMap`) have the light of the environment with its shadows, of emitting surfaces, and all reflections: they are correct
/// in the traced scene's light only. Occlusion maps are approximate, in any light.
///
/// A mesh of several nodes becomes one mesh for each, because each node's surroundings differ. The result is the same for any number of threads.
package struct LightBake {
    /// The kinds of textures.
    package struct Maps: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Occlusion maps, for `Material.occlusion`: the visible share of the sky.
        package static let occlusion = Maps(rawValue: 1)
        /// Light maps, for `Material.lightMap`.
        package static let light = Maps(rawValue: 2)
        /// The light on a grid of probes, for `Scene.irradianceVolume`.
        package static let irradianceVolume = Maps(rawValue: 4)
    }

    package struct Options: Equatable, Sendable {
        package var maps: Maps = .occlusion
        /// Whether light maps and volumes include the direct light of the scene's lights; their nodes then lose their lights.
        package var bakesLights = false
        /// The width and height of the textures: a power of two, 64…8192.
        package var size = 1024
        /// The number of samples for each texel. Default 128.
        package var samples = 128
        /// The distance between the probes of an irradiance volume, in metres; nil for a sixteenth of the longest side.
        package var probeSpacing: Float?
        /// Whether to remove noise.
        package var isDenoised = true
        /// The number of threads; nil for one thread per processor.
        package var threads: Int?

        package init() {}
    }

    /// The result of a bake.
    package struct Summary: Equatable, Sendable {
        package var partCount = 0
        package var triangleCount = 0
        package var chartCount = 0
        /// The number of texels that show a surface.
        package var texelCount = 0
        /// The number of texels per metre.
        package var density: Float = 0
        /// The mean visible share of the sky.
        package var meanOpenness: Float = 0
        /// The mean radiance that a white matte surface has, in luminance; nil without light maps.
        package var meanLight: Float?
        /// The number of probes of the irradiance volume along each axis; nil without one.
        package var probeCounts: SIMD3<Int>?
    }

    /// The stage of a bake.
    package enum Stage: String, Sendable {
        case charts = "charts"
        case light = "path tracing"
        case probes = "path tracing probes"
    }

    private let scene: Scene
    private let traced, tracedStatic: PathScene
    private let options: Options
    private let surface: BakeSurface
    /// The reasons for omitted surfaces, and other contents that the bake ignores.
    package var warnings: [String] { surface.remarks }

    /// Creates a bake of a scene's meshes.
    ///
    /// - Parameters:
    ///   - scene: Its meshes get the maps.
    ///   - traced: The same scene, which may have decoded textures, lights and an environment that `scene` lacks.
    ///   - tracedStatic: The same without nodes that move (`removeMovingMeshes`), for irradiance volumes; nil: `traced`.
    package init(
        _ scene: Scene, traced: PathScene, tracedStatic: PathScene? = nil, options: Options = Options()
    ) throws(BakeError) {
        guard (64...8192).contains(options.size), options.size.nonzeroBitCount == 1 else {
            throw .invalidOption(name: "size", reason: "\(options.size) is not a power of two from 64 to 8192")
        }
        guard !options.maps.isEmpty else { throw .invalidOption(name: "maps", reason: "have no kind of texture") }
        guard options.samples >= 1 else { throw .invalidOption(name: "samples", reason: "\(options.samples) is less than 1") }
        if let spacing = options.probeSpacing, !(spacing > 0 && spacing.isFinite) {
            throw .invalidOption(name: "probeSpacing", reason: "\(spacing) is not a positive length")
        }
        (self.scene, self.traced, self.options) = (scene, traced, options)
        self.tracedStatic = tracedStatic ?? traced
        surface = BakeSurface(scene)
        guard !surface.parts.isEmpty else { throw .noSurface(surface.remarks) }
    }

    /// Bakes, and changes the meshes and materials of the scene.
    ///
    /// - Parameters:
    ///   - isCancelled: Called several times per second, from any thread.
    ///   - progress: Called with the completed fraction of a stage, from any thread.
    /// - Throws: `BakeError`; the scene is then unchanged.
    @discardableResult
    package func run(
        isCancelled: @escaping @Sendable () -> Bool = { false }, progress: @escaping @Sendable (Stage, Double) -> Void = { _, _ in }
    ) throws(BakeError) -> Summary {
        var summary = Summary()
        (summary.partCount, summary.triangleCount) = (surface.parts.count, surface.points.mesh.triangles.count)
        var volume: IrradianceVolume?
        if options.maps.contains(.irradianceVolume) {
            volume = try VolumeBake(surface, tracedStatic, options).run(isCancelled: isCancelled) { progress(.probes, $0) }
            summary.probeCounts = volume?.counts
        }
        if !options.maps.isDisjoint(with: [.occlusion, .light]) { try bakeMaps(&summary, isCancelled, progress) }
        if let volume { scene.irradianceVolume = volume }
        if !options.maps.isDisjoint(with: [.light, .irradianceVolume]), options.bakesLights {
            scene.rootNode.forSubtree { $0.light = nil }
        }
        return summary
    }

    /// Bakes textures, and changes the meshes and materials of the scene.
    private func bakeMaps(
        _ summary: inout Summary, _ isCancelled: @escaping @Sendable () -> Bool, _ progress: @escaping @Sendable (Stage, Double) -> Void
    ) throws(BakeError) {
        let context = StageContext(
            parallel: Parallel(threads: options.threads), progress: { progress(.charts, $0) }, isCancelled: isCancelled)
        context.report(0)
        let layout: SurfaceParametrization
        do { layout = try SurfaceParametrization(surface.points.mesh, size: options.size, in: context) } catch {
            if error == .cancelled { throw .cancelled }
            throw .charts(error)
        }
        let lights = try collect(layout, isCancelled, progress)
        (summary.chartCount, summary.texelCount, summary.density) = (layout.chartCount, layout.texels.count, layout.density)
        let valid = lights.reduce(Float(0)) { $0 + $1.validity }
        summary.meanOpenness = lights.reduce(Float(0)) { $0 + $1.openness * $1.validity } / max(valid, 1)
        if options.maps.contains(.light) { summary.meanLight = lights.reduce(Float(0)) { $0 + $1.luminance * $1.validity } / max(valid, 1) }
        BakedMaps(options.maps, layout: layout, lights: lights).apply(to: surface)
    }

    private func collect(
        _ layout: SurfaceParametrization, _ isCancelled: @escaping @Sendable () -> Bool,
        _ progress: @escaping @Sendable (Stage, Double) -> Void
    ) throws(BakeError) -> [CollectedLight] {
        var outputs: LightCollector.Outputs = options.maps.contains(.light) ? .light : []
        if options.bakesLights { outputs.insert(.directLight) }
        let collector = LightCollector(traced, outputs: outputs)
        let points = surface.points
        let texels = layout.texels
        let lights = collector.collect(
            count: texels.count, samples: options.samples, threads: options.threads, shouldStop: isCancelled,
            onProgress: { progress(.light, $0) },
            point: { patch, offset in
                points.point(Int(texels[patch].triangle), layout.weights(of: texels[patch], offset: offset))
            })
        if isCancelled() { throw .cancelled }
        guard options.isDenoised else { return lights }
        var texelIndices = [Int32](repeating: -1, count: layout.size * layout.size)
        let middle = Vector2(repeating: 0.5)
        let surroundings = texels.indices.map { index in
            texelIndices[Int(texels[index].index)] = Int32(index)
            let point = points.point(Int(texels[index].triangle), layout.weights(of: texels[index], offset: middle))
            return CollectedLightFilter.Texel(position: point.position, normal: point.normal, light: lights[index])
        }
        return CollectedLightFilter(size: layout.size, spacing: 1 / layout.density).filtered(surroundings, texelIndices: texelIndices)
    }
}

/// The reason for which a bake failed.
package enum BakeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No mesh can have maps, for these reasons.
    case noSurface([String])
    case charts(TextureError)
    /// All probes of an irradiance volume lie inside of bodies.
    case noFreeProbe
    case invalidOption(name: String, reason: String)
    case cancelled

    package var description: String {
        switch self {
        case .noSurface(let reasons): "no mesh can have baked maps" + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; "))
        case .charts(.textureTooSmall(let size, let charts)):
            "\(charts) pieces of surface do not fit into a texture of \(size) × \(size): choose a larger size"
        case .charts(let error): error.description
        case .noFreeProbe: "all probes of the irradiance volume lie inside of bodies: choose a smaller distance between them"
        case .invalidOption(let name, let reason): "\(name) \(reason)"
        case .cancelled: "cancelled"
        }
    }
}
