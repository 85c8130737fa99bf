import Vitrine
import VitrineARView
import VitrineGPU
import VitrineVideo

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One run of `vitrine render` that writes a film.
@MainActor
struct FilmJob {
    let model: String
    let settings: RenderSettings

    /// Frames averaged into each image of a film, unless `--samples` specifies another number.
    private static let sampleCount = 4

    func run() async throws {
        guard let output = settings.output else { return }
        let progress = ProgressLine(isShown: !settings.isJSON)
        defer { progress.finish() }
        var look = settings.look
        let isStill = look.animation == "none"
        if isStill { look.animation = nil }
        let (staging, renderer, clip, plan) = try await stage(look, playsNothing: isStill, progress)
        let size = size(output)
        let target = try OffscreenTarget(renderer.device, width: size.width, height: size.height, content: .display)
        let writer = try VideoWriter(
            URL(fileURLWithPath: output), width: size.width, height: size.height, framesPerSecond: plan.framesPerSecond,
            quality: Double(settings.film.quality) / 100, plays: settings.film.loop)
        for frame in 0..<plan.frameCount {
            try Task.checkCancellation()
            progress.report(
                "drawing", fraction: Double(frame) / Double(plan.frameCount), detail: "frame \(frame + 1) of \(plan.frameCount)")
            if let clip, let time = plan.time(at: frame) { clip.apply(at: time) }
            let view = try look.view(
                of: staging, path: model, aspectRatio: Float(size.width) / Float(size.height), turn: plan.turn(at: frame))
            _ = try renderer.renderStill(
                staging.scene, from: view, to: target, samples: settings.samples ?? (look.sampleCount == nil ? Self.sampleCount : 1),
                options: look.renderOptions)
            try writer.write(try target.image().bytes)
        }
        progress.report("encoding", fraction: 1)
        try writer.finish()
        progress.finish()
        try report(output, size, plan, clip)
    }

    /// Returns the size of the film. The sides of a video are even, so that an odd one grows by a pixel.
    private func size(_ output: String) -> (width: Int, height: Int) {
        let size = settings.size
        guard VideoWriter.needsEvenSides(settings.outputExtension), size.width % 2 + size.height % 2 > 0 else { return size }
        let even = (width: size.width + size.width % 2, height: size.height + size.height % 2)
        printError("warning: \(output): video has even sides: \(even.width)x\(even.height) instead of \(size.width)x\(size.height)")
        return even
    }

    // MARK: The model

    private func stage(
        _ look: LookSettings, playsNothing: Bool, _ progress: ProgressLine
    ) async throws -> (Staging, Renderer, AnimationClip?, FilmPlan) {
        var posed = look
        // The occlusion is baked where the film begins.
        if posed.animation != nil, posed.time == nil { posed.time = settings.film.from ?? 0 }
        let (staging, renderer) = try await settings.stage(posed, model: model, progress)
        let clip = playsNothing || look.time != nil ? nil : try clip(of: staging.scene, look)
        let rate = settings.film.framesPerSecond ?? (settings.outputExtension == "gif" ? 25 : 30)
        let plan: FilmPlan
        do {
            plan = try FilmPlan(
                settings.film, framesPerSecond: rate, turntable: settings.turntable, clip: clip.map { ($0.name, $0.duration) })
        } catch {
            throw CommandError(file: model, reason: error.reason)
        }
        guard let clip, plan.range != nil else { return (staging, renderer, nil, plan) }
        return (Staging(scene: staging.scene, warnings: staging.warnings, bounds: bounds(of: staging, clip, plan)), renderer, clip, plan)
    }

    /// The animation that `--animation` names, otherwise the first.
    private func clip(of scene: Scene, _ look: LookSettings) throws -> AnimationClip? {
        var asked = look
        let wantsOne = settings.film.given.contains { ["--from", "--to", "--speed", "--ping-pong", "--repeat"].contains($0) }
        guard look.animation != nil || wantsOne || !scene.animations.isEmpty else { return nil }
        if asked.animation == nil { asked.time = 0 }
        return try asked.clip(of: scene, path: model)
    }

    /// Returns the bounds of the model in the whole film, so that the camera keeps its distance.
    private func bounds(of staging: Staging, _ clip: AnimationClip, _ plan: FilmPlan) -> BoundingBox {
        var box = staging.bounds
        let step = max(1, plan.frameCount / 60)
        for frame in stride(from: 0, to: plan.frameCount, by: step) {
            guard let time = plan.time(at: frame) else { break }
            clip.apply(at: time)
            box.formUnion(staging.scene.bounds)
        }
        return box
    }

    // MARK: The report

    private struct Report: Encodable {
        let output: [String]
        let width, height, frames: Int
        let framesPerSecond, seconds: Double
        let animation: String?
        let bytes: Int
    }

    private func report(_ output: String, _ size: (width: Int, height: Int), _ plan: FilmPlan, _ clip: AnimationClip?) throws {
        let bytes = FileStatus(path: output)?.size
        let report = Report(
            output: [output], width: size.width, height: size.height, frames: plan.frameCount, framesPerSecond: plan.framesPerSecond,
            seconds: plan.seconds, animation: clip?.name, bytes: bytes ?? 0)
        guard settings.isJSON else {
            let length = plan.seconds.fixed(2)
            print("\(output): \(plan.frameCount) frames, \(length) s, \(size.width)x\(size.height)")
            return
        }
        try JSONReport.print(report)
    }
}
