import Foundation
import Vitrine
import VitrineFiles
import VitrineGPU
import VitrineReconstruct

/// Images of finished models for the report.
@MainActor
enum ReportImages {
    /// Renders the last model, preferably one with textures, from the viewpoints of the report. Returns none, with a warning, without a GPU or
    /// if the model cannot be read.
    static func render(_ models: [URL], _ summary: ReconstructionSummary) async -> [(caption: String, image: Image)] {
        let textured = models.last { ![.ply, .stl].contains(ModelFile.format(forExtension: $0.pathExtension)) }
        guard let model = textured ?? models.last else { return [] }
        do {
            var look = LookSettings()
            look.background = .color(Color(sRGB: 0xE9E7E2))
            let staging = try await look.stage(model: model.path, progress: { _ in })
            let device = try GPUDevice.make(look.adapterChoice, optional: [.float32Filterable])
            let renderer = try Renderer(device: device)
            let target = try OffscreenTarget(device, width: 480, height: 480, content: .display)
            var images: [(caption: String, image: Image)] = []
            for (name, azimuth) in summary.viewpoints {
                look.orbit = .fixed(azimuth: azimuth, elevation: 15, distance: nil)
                let view = try look.view(of: staging, path: model.path, aspectRatio: 1)
                _ = try renderer.renderStill(staging.scene, from: view, to: target, samples: 8, options: look.renderOptions)
                images.append((name, try target.image()))
            }
            return images
        } catch {
            printError("warning: the report has no images of the model: \(describe(error))")
            return []
        }
    }
}

enum ReportFile {
    static func write(_ summary: ReconstructionSummary, images: [(caption: String, image: Image)], to url: URL) throws {
        try AtomicFile.write(Array(ReportPage(summary, images: images).html.utf8), to: url)
    }
}
