import Foundation
import Vitrine
import VitrineFiles
import VitrineReconstruct

/// Pictures of finished models for the report.
@MainActor
enum ReportPictures {
    /// Four pictures around the last model that can be read back; none, with a warning, where there is no GPU or no such model.
    static func render(_ models: [URL]) async -> [ReportPicture] {
        guard let model = models.last(where: { $0.pathExtension.lowercased() == "glb" }) else { return [] }
        do {
            var look = LookSettings()
            look.background = .color(Color(sRGB: 0xE9E7E2))
            let staging = try await look.stage(model: model.path, progress: { _ in })
            let device = try GPUDevice.make(look.adapterChoice, optional: [.float32Filterable])
            let renderer = try Renderer(device: device)
            let target = try OffscreenTarget(device, width: 480, height: 480, content: .display)
            var pictures: [ReportPicture] = []
            for (turn, name) in [(Float(0), "front"), (90, "right"), (180, "back"), (270, "left")] {
                look.orbit = .fixed(azimuth: turn, elevation: 15, distance: nil)
                let view = try look.view(of: staging, path: model.path, aspectRatio: 1)
                _ = try renderer.renderStill(staging.scene, from: view, to: target, samples: 8, options: look.renderOptions)
                pictures.append(ReportPicture(caption: name, image: try target.image()))
            }
            return pictures
        } catch {
            printError("warning: no pictures of the model in the report: \(describe(error))")
            return []
        }
    }
}

enum ReportFile {
    static func write(_ summary: ReconstructionSummary, pictures: [ReportPicture], to url: URL) throws {
        try AtomicFile.write(Array(ReportPage(summary, pictures: pictures).html.utf8), to: url)
    }
}
