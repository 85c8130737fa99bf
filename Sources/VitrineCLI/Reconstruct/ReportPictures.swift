import Foundation
import Vitrine
import VitrineFiles
import VitrineReconstruct

/// Images of finished models for the report.
@MainActor
enum ReportPictures {
    /// Four images around the last model, one with textures if there is one. None, with a warning, if there is no GPU or the model can't be
    /// read back.
    static func render(_ models: [URL]) async -> [ReportImage] {
        let textured = models.last { ![.ply, .stl].contains(ModelFile.format(forExtension: $0.pathExtension)) }
        guard let model = textured ?? models.last else { return [] }
        do {
            var look = LookSettings()
            look.background = .color(Color(sRGB: 0xE9E7E2))
            let staging = try await look.stage(model: model.path, progress: { _ in })
            let device = try GPUDevice.make(look.adapterChoice, optional: [.float32Filterable])
            let renderer = try Renderer(device: device)
            let target = try OffscreenTarget(device, width: 480, height: 480, content: .display)
            var pictures: [ReportImage] = []
            for (turn, name) in [(Float(0), "front"), (90, "right"), (180, "back"), (270, "left")] {
                look.orbit = .fixed(azimuth: turn, elevation: 15, distance: nil)
                let view = try look.view(of: staging, path: model.path, aspectRatio: 1)
                _ = try renderer.renderStill(staging.scene, from: view, to: target, samples: 8, options: look.renderOptions)
                pictures.append(ReportImage(caption: name, image: try target.image()))
            }
            return pictures
        } catch {
            printError("warning: no images of the model in the report: \(describe(error))")
            return []
        }
    }
}

enum ReportFile {
    static func write(_ summary: ReconstructionSummary, pictures: [ReportImage], to url: URL) throws {
        try AtomicFile.write(Array(ReportPage(summary, images: pictures).html.utf8), to: url)
    }
}
