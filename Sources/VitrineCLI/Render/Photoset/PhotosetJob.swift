import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One run of `vitrine render MODEL --photoset N -o FOLDER`.
@MainActor
struct PhotosetJob {
    let model: String
    let settings: RenderSettings

    func run() async throws {
        guard let output = settings.output, let count = settings.photoset else { return }
        let progress = ProgressLine(isShown: !settings.isJSON)
        var look = settings.look
        // The table occludes the model's foot: bake occlusion after adding it.
        look.occlusion = .map
        let staging = try await look.stage(model: model, progress: progress.report)
        defer { progress.finish() }
        progress.finish()
        printWarnings(staging.warnings, about: model)
        let scene = staging.scene
        scene.update()
        let truth = try PhotosetFiles.truth(of: scene, path: model)
        if settings.photosetHasTable {
            scene.rootNode.addChildNode(try PhotosetTable.node(under: staging.bounds, side: settings.photosetTableSide))
        }
        if settings.look.bakesOcclusion { try await scene.bakeOcclusion { progress.report("baking occlusion", fraction: $0) } }

        let folder = URL(fileURLWithPath: output)
        let images = folder.appendingPathComponent("images")
        try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
        let cameras = PhotosetCameras(
            count: count, elevations: settings.photosetElevations, bounds: staging.bounds, fieldOfView: settings.look.fieldOfView,
            aspectRatio: Float(settings.size.width) / Float(settings.size.height), isTurntable: settings.isPhotosetOnTurntable, seed: 1)
        let shots = cameras.shots(exposureDrift: settings.photosetDrift)
        let names = shots.indices.map { "\($0.padded(3))." + settings.photosetFormat }
        var camera = PhotosetCamera(size: settings.size, samples: settings.samples ?? 16, noise: settings.photosetNoise)
        camera.adapter = settings.look.adapterChoice
        camera.options = settings.look.renderOptions
        camera.exposure = settings.look.exposure
        try camera.take(zip(shots, names).map { ($0, images.appendingPathComponent($1)) }, of: scene) { taken in
            progress.report("rendering", fraction: Double(taken) / Double(count))
        }
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
}
