import Vitrine
import VitrineBake
import VitrineFiles
import VitrinePathTracer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let bake = Command(
        name: "bake", summary: "Bakes occlusion and light into textures of a model, or light into probes.",
        help: {
            BakeSettings.table.help(
                command: "bake", summary: BakeSettings.summary, examples: BakeSettings.examples, notes: BakeSettings.notes)
        },
        run: { arguments in
            var settings = BakeSettings()
            let path = try BakeSettings.table.parse(arguments, into: &settings)[0]
            try settings.validate()
            guard let output = settings.output else { return }
            try await cancellable { [settings] in try await BakeJob(input: path, output: output, settings: settings).run() }
        }, relatedWords: ["lightmap", "occlusion", "ao", "unwrap", "precompute"])
}

/// One run of `vitrine bake`.
@MainActor
struct BakeJob {
    let input: String
    let output: String
    let settings: BakeSettings

    func run() async throws {
        guard !isSameFile(input, output) else { throw CommandError(file: output, reason: "is the input file: choose another name for OUT") }
        try OutputFile.check(output)
        let format: ModelFormat = output.pathExtension.lowercased() == "glb" ? .glb : .gltf
        let progress = ProgressLine(isShown: !settings.isJSON)
        defer { progress.finish() }
        let started = ContinuousClock.now
        // Read twice: rays need decoded textures, the written file keeps the bytes of its textures.
        var look = settings.look
        look.occlusion = .map
        let staging = try await look.stage(model: input, progress: progress.report)
        var load = look.loadOptions
        load.decodesTextures = false
        let loaded = try await SceneFile.load(URL(fileURLWithPath: input), options: load)
        try look.clip(of: loaded.scene, path: input)?.apply(at: look.time ?? 0)
        let (traced, bake): (PathScene, LightBake)
        var tracedStatic: PathScene?
        do throws(PathTracerError) {
            traced = try PathScene(staging.scene)
            if settings.options.maps.contains(.irradianceVolume) {
                staging.scene.removeMovingMeshes()
                tracedStatic = try PathScene(staging.scene)
            }
        } catch {
            throw CommandError(file: input, reason: error.description)
        }
        do throws(BakeError) {
            bake = try LightBake(loaded.scene, traced: traced, tracedStatic: tracedStatic, options: settings.options)
        } catch {
            throw CommandError(file: input, reason: error.description)
        }
        var warnings = loaded.warnings.map(\.description) + traced.warnings + bake.warnings
        if loaded.scenes.count > 1 { warnings.append("\(loaded.scenes.count - 1) more scenes were not written") }
        let summary = try await run(bake, progress)
        let model = try ModelFile.encode(
            loaded.scene, as: format, name: URL(fileURLWithPath: output).lastPathComponent, options: writeOptions)
        progress.finish()
        warnings += model.warnings.map(\.description)
        printWarnings(warnings, about: input)
        guard !look.isStrict || warnings.isEmpty else {
            throw CommandError(file: output, reason: "not written because of \(warnings.count) warnings (--strict)")
        }
        try Task.checkCancellation()
        try ModelFile.write(model, to: URL(fileURLWithPath: output))
        try report(summary, warnings, seconds: (ContinuousClock.now - started).milliseconds / 1000)
    }

    private var writeOptions: ModelWriteOptions {
        var options = ModelWriteOptions()
        options.keepsWebP = true
        return options
    }

    private func run(_ bake: LightBake, _ progress: ProgressLine) async throws -> LightBake.Summary {
        let stop = StopFlag()
        return try await withTaskCancellationHandler {
            do throws(BakeError) {
                return try bake.run(isCancelled: { stop.isSet }, progress: { progress.report($0.rawValue, fraction: $1) })
            } catch {
                if error == .cancelled { throw CancellationError() }
                throw CommandError(file: input, reason: error.description)
            }
        } onCancel: {
            stop.set()
        }
    }

    private func report(_ summary: LightBake.Summary, _ warnings: [String], seconds: Double) throws {
        guard !settings.isJSON else {
            return try JSONReport.print(
                BakeReport(
                    input: input, output: output, meshParts: summary.partCount, triangles: summary.triangleCount,
                    charts: summary.chartCount, size: settings.options.size, texels: summary.texelCount,
                    texelsPerMetre: Double(summary.density), meanOpenness: Double(summary.meanOpenness),
                    meanLight: summary.meanLight.map { Double($0) }, probes: summary.probeCounts.map { [$0.x, $0.y, $0.z] },
                    seconds: seconds, warnings: warnings))
        }
        let (share, open) = (
            100 * summary.texelCount / (settings.options.size * settings.options.size), Int((100 * summary.meanOpenness).rounded())
        )
        print("\(summary.partCount) mesh parts, \(summary.triangleCount) triangles in \(summary.chartCount) charts")
        if let counts = summary.probeCounts { print("irradiance volume of \(counts.x) × \(counts.y) × \(counts.z) probes") }
        guard summary.chartCount > 0 else { return print(output) }
        print(
            "texture \(settings.options.size) × \(settings.options.size), \(share) % used, \(Double(summary.density).fixed(0)) texels per metre"
        )
        print("\(open) % of the sky is visible on average")
        if let light = summary.meanLight { print("white surfaces have a radiance of \(Double(light).fixed(3)) on average") }
        print(output)
    }
}

/// The report of `vitrine bake`.
private struct BakeReport: Encodable {
    let input, output: String
    let meshParts, triangles, charts: Int
    /// The size of the texture in pixels.
    let size: Int
    /// The number of texels that show a surface.
    let texels: Int
    let texelsPerMetre: Double
    let meanOpenness: Double
    let meanLight: Double?
    /// The number of probes along x, y and z.
    let probes: [Int]?
    let seconds: Double
    let warnings: [String]
}
