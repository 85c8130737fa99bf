import Vitrine
import VitrineFiles
import VitrineImageFiles
import VitrinePathTracer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One run of `vitrine render --quality path`.
@MainActor
struct PathRenderJob {
    let model: String
    let settings: RenderSettings

    func run() async throws {
        let progress = ProgressLine(isShown: !settings.isJSON)
        defer { progress.finish() }
        var look = settings.look
        // Rays find occlusion themselves.
        look.occlusion = .map
        let staging = try await look.stage(model: model, progress: progress.report)
        settings.lighting.apply(to: staging.scene, staging.bounds)
        progress.report("preparing", fraction: nil)
        let scene: PathScene
        do { scene = try PathScene(staging.scene) } catch { throw CommandError(file: model, reason: error.description) }
        progress.finish()
        printWarnings(staging.warnings + scene.warnings, about: model)
        try await withStopFlag { stop in
            let images = PathImages(scene: scene, staging: staging, look: look, job: self, progress: progress, stop: stop)
            if let count = settings.turntable { try images.turntable(count: count) } else { try images.single() }
        }
    }

    /// Runs `body` with a flag that Ctrl-C sets.
    private func withStopFlag(_ body: (StopFlag) throws -> Void) async throws {
        let flag = StopFlag()
        try await withTaskCancellationHandler {
            try body(flag)
        } onCancel: {
            flag.set()
        }
    }
}

/// Path traces and writes the images of one run.
@MainActor
private struct PathImages {
    let scene: PathScene
    let staging: Staging
    let look: LookSettings
    let job: PathRenderJob
    let progress: ProgressLine
    let stop: StopFlag

    private var settings: RenderSettings { job.settings }

    func single() throws {
        guard let output = settings.output else { return }
        let (result, seconds) = try draw(to: output)
        report([output], result, seconds)
    }

    func turntable(count: Int) throws {
        guard let output = settings.output else { return }
        var written: [String] = []
        var last: (PathProgress, Double)?
        for index in 0..<count where !stop.isSet {
            let path = turntablePath(output, index: index, count: count)
            last = try draw(to: path, turn: .degrees(360 * Float(index) / Float(count)), image: (index, count))
            written.append(path)
        }
        if let last { report(written, last.0, last.1) }
    }

    private func draw(to path: String, turn: Angle = .zero, image: (index: Int, count: Int) = (0, 1)) throws -> (PathProgress, Double) {
        let aspect = Float(settings.size.width) / Float(settings.size.height)
        let view = try look.view(of: staging, path: job.model, aspectRatio: aspect, turn: turn)
        let budget = PathBudget(samples: settings.samples ?? 256, seconds: settings.path.timeLimit, noise: settings.path.noiseLimit)
        let started = ContinuousClock.now
        let tracer = try PathTracer(
            scene, camera: view.camera, worldFromCamera: view.worldFromCamera, part: view.part, width: settings.size.width,
            height: settings.size.height, exposure: look.exposure)
        let state = settings.path.resumeFile.map { SampleFile(path: $0) }
        try state?.restore(tracer)
        let result = try tracer.render(
            budget, threads: settings.path.threads, shouldStop: { [stop] in stop.isSet },
            onProgress: { done in
                var detail = "\(Int(done.samples)) samples"
                if let noise = done.noise { detail += ", noise \(noise.fixed(3))" }
                progress.report(
                    "path tracing", fraction: (Double(image.index) + done.fraction) / Double(image.count), detail: detail,
                    remaining: image.count == 1 ? done.secondsLeft : nil)
                // The last write reports its error.
                if let state, state.isDue { try? state.write(tracer) }
            })
        let background = staging.scene.environment.background
        let isDenoised = settings.path.isDenoised
        let made =
            settings.isLinear
            ? tracer.radianceImage(background: background, isDenoised: isDenoised)
            : tracer.displayImage(toneMapping: look.toneMapping, background: background, isDenoised: isDenoised)
        try made.write(to: URL(fileURLWithPath: path))
        try state?.write(tracer)
        return (result, (ContinuousClock.now - started).milliseconds / 1000)
    }

    private func report(_ written: [String], _ result: PathProgress, _ seconds: Double) {
        progress.finish()
        let isStopped = stop.isSet
        if settings.isJSON {
            let report = PathReport(
                output: written, width: settings.size.width, height: settings.size.height, triangles: scene.triangleCount,
                samples: result.samples, noise: result.noise.flatMap { $0.isFinite ? Double($0) : nil }, seconds: seconds,
                stopped: isStopped)
            print((try? JSONReport.text(report)) ?? "{}")
        } else {
            for line in written { print(line) }
            if isStopped { printError("stopped: the image has \(result.samples.fixed(1)) samples per pixel") }
        }
    }
}

/// The file of `--resume`.
private final class SampleFile {
    private static let interval = 60.0

    private let url: URL
    private var written = ContinuousClock.now

    init(path: String) { url = URL(fileURLWithPath: path) }

    /// Whether the last write is a minute ago.
    var isDue: Bool { (ContinuousClock.now - written).milliseconds / 1000 > Self.interval }

    func restore(_ tracer: PathTracer) throws {
        guard FileManager.default.fileExists(atPath: url.path) else { return }
        let bytes = try FileBytes.read(url, limit: 1 << 36)
        do throws(PathTracerError) {
            try tracer.restore(bytes)
        } catch {
            throw CommandError(file: url.relativePath, reason: error.description)
        }
    }

    func write(_ tracer: PathTracer) throws {
        try AtomicFile.write(tracer.savedState(), to: url)
        written = .now
    }
}

/// The report of `vitrine render --quality path`.
private struct PathReport: Encodable {
    let output: [String]
    let width, height: Int
    let triangles: Int
    /// The mean number of samples per pixel of the last image.
    let samples: Double
    let noise: Double?
    /// The duration of the last image, in seconds.
    let seconds: Double
    let stopped: Bool
}

/// `OUT-007.png` for image 7 of a turntable.
func turntablePath(_ output: String, index: Int, count: Int) -> String {
    let url = URL(fileURLWithPath: output)
    let digits = max(3, String(count - 1).count)
    let number = String(repeating: "0", count: digits - String(index).count) + String(index)
    let name = url.deletingPathExtension().lastPathComponent + "-\(number)." + url.pathExtension
    return url.deletingLastPathComponent().appendingPathComponent(name).relativePath
}
