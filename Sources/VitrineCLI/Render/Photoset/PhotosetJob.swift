import Foundation
import Vitrine

/// One run of `vitrine render MODEL --photoset N -o FOLDER`.
@MainActor
struct PhotosetJob {
    let model: String
    let settings: RenderSettings

    func run() async throws {
        guard let output = settings.output, let count = settings.photoset else { return }
        let progress = ProgressLine(isShown: !settings.isJSON)
        var look = settings.look
        // The table keeps light off the model's foot: what light reaches where is worked out once it is there.
        look.bakesOcclusion = false
        let staging = try await look.stage(model: model, progress: progress.report)
        defer { progress.finish() }
        progress.finish()
        for warning in staging.warnings { printError("warning: \(model): \(warning)") }
        let scene = staging.scene
        scene.update()
        let truth = try PhotosetFiles.truth(of: scene, path: model)
        if settings.photosetHasTable { scene.rootNode.addChildNode(try PhotosetTable.node(under: staging.bounds)) }
        if settings.look.bakesOcclusion { try await scene.bakeOcclusion { progress.report("baking occlusion", fraction: $0) } }

        let folder = URL(fileURLWithPath: output)
        let images = folder.appendingPathComponent("images")
        try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
        let cameras = PhotosetCameras(
            count: count, elevations: settings.photosetElevations, bounds: staging.bounds, fieldOfView: settings.look.fieldOfView,
            aspectRatio: Float(settings.size.width) / Float(settings.size.height), seed: 1)
        let shots = cameras.shots(exposureDrift: settings.photosetDrift)
        let names = shots.indices.map { String(format: "%03d.", $0) + settings.photosetFormat }
        try draw(shots, names: names, of: scene, into: images, progress)
        progress.finish()
        try PhotosetFiles.cameras(zip(names, shots).map { ($0, $1.view) }, size: settings.size)
            .write(to: folder.appendingPathComponent("cameras.json"), options: .atomic)
        try truth.write(to: folder.appendingPathComponent("truth.obj"), options: .atomic)
        if settings.isJSON {
            let written = names.map { "images/" + $0 } + ["cameras.json", "truth.obj"]
            print(RenderReport(output: written, size: settings.size, statistics: FrameStatistics(), startup: nil, frames: nil).json)
        } else {
            print("\(output): \(count) photos, cameras.json, truth.obj")
        }
    }

    private func draw(
        _ shots: [PhotosetCameras.Shot], names: [String], of scene: Scene, into folder: URL, _ progress: ProgressLine
    ) throws {
        let device = try GPUDevice.make(settings.look.adapterChoice, optional: [.timestampQuery, .float32Filterable])
        let renderer = try Renderer(device: device)
        let target = try OffscreenTarget(device, width: settings.size.width, height: settings.size.height, content: .display)
        var options = settings.look.renderOptions
        for (index, shot) in shots.enumerated() {
            try Task.checkCancellation()
            progress.report("drawing", fraction: Double(index) / Double(shots.count))
            options.exposure = settings.look.exposure + shot.exposure
            try renderer.renderStill(scene, from: shot.view, to: target, samples: settings.samples ?? 16, options: options)
            let photo = try noisy(try target.image(), seed: UInt64(index))
            try photo.write(
                to: folder.appendingPathComponent(names[index]), encoding: settings.photosetFormat == "png" ? .png() : .jpeg(quality: 93))
        }
    }

    /// The grain of a sensor: independent in each channel.
    private func noisy(_ image: Image, seed: UInt64) throws -> Image {
        guard settings.photosetNoise > 0 else { return image }
        var random = SplitMix64(seed: 7_000 &+ seed)
        var bytes = image.bytes
        for pixel in stride(from: 0, to: bytes.count - 3, by: 4) {
            for channel in 0..<3 {
                let level = Float(bytes[pixel + channel]) + settings.photosetNoise * random.normal()
                bytes[pixel + channel] = UInt8(clamp(level.rounded(), 0, 255))
            }
        }
        return try Image(width: image.width, height: image.height, format: .rgba8, bytes: bytes, name: image.name)
    }
}
