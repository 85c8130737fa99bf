import Vitrine
import VitrineFiles
import VitrineGPU
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The model in the report: images, and the model itself in 3D.
@MainActor
struct ReportModel {
    /// The first is the poster of the viewer.
    private(set) var images: [(caption: String, image: Image)] = []
    /// nil if the model cannot be embedded.
    private(set) var viewer: ReportPage.ModelViewer?

    /// The colour behind the model in images and viewer.
    private static let background = 0xE9E7E2
    private static let elevation: Float = 15
    /// The number of triangles above which the embedded model is simplified.
    private static let maximumTriangles = 100_000

    /// Renders the last model, preferably one with textures, from the viewpoints of the report, and embeds it. Without a GPU, or if the model cannot
    /// be read, the report has neither, and a warning states the reason.
    init(_ models: [URL], _ summary: ReconstructionSummary) async {
        let textured = models.last { ![.ply, .stl].contains(ModelFile.format(forExtension: $0.pathExtension)) }
        guard let model = textured ?? models.last else { return }
        do {
            var look = LookSettings()
            look.background = .color(Color(sRGB: UInt32(Self.background)))
            let isUnlit = Self.isUnlit(model, summary)
            if isUnlit { (look.occlusion, look.chosenToneMapping) = (.map, ToneMapping.none) }
            let staging = try await look.stage(model: model.path, progress: { _ in })
            if isUnlit { WebModel.removeLight(from: staging.scene) }
            let share = WebFraming.share(of: staging.scene, elevation: .degrees(Self.elevation), fieldOfView: look.fieldOfView)
            images = try Self.render(staging, look, summary, share: share, path: model.path)
            viewer = try await Self.embed(
                staging.scene, azimuth: summary.viewpoints.first?.azimuth ?? 0, share: share, isUnlit: isUnlit)
        } catch {
            printError("warning: the report does not \(images.isEmpty ? "show" : "contain") the model: \(describe(error))")
        }
    }

    /// Whether base colours are shown without light: they contain the light of the photos. Files without colours are lit, to show the shape.
    private static func isUnlit(_ model: URL, _ summary: ReconstructionSummary) -> Bool {
        guard ModelFile.format(forExtension: model.pathExtension) != .stl else { return false }
        return summary.models.first { $0.url?.path == model.path }?.isBaseColorEstimated != true
    }

    private static func render(
        _ staging: Staging, _ look: LookSettings, _ summary: ReconstructionSummary, share: Float, path: String
    ) throws -> [(caption: String, image: Image)] {
        var look = look
        let device = try GPUDevice.make(look.adapterChoice, optional: [.float32Filterable])
        let renderer = try Renderer(device: device)
        let distance = WebFraming.distance(
            of: staging.bounds, share: share, elevation: .degrees(elevation), fieldOfView: look.fieldOfView)
        return try summary.viewpoints.enumerated().map { index, viewpoint in
            let side = index == 0 ? 960 : 480
            let target = try OffscreenTarget(device, width: side, height: side, content: .display)
            look.orbit = .fixed(azimuth: viewpoint.azimuth, elevation: elevation, distance: distance)
            let view = try look.view(of: staging, path: path, aspectRatio: 1)
            _ = try renderer.renderStill(staging.scene, from: view, to: target, samples: 8, options: look.renderOptions)
            return (viewpoint.name, try target.image())
        }
    }

    /// The viewer with the model, which starts at the first click or touch. Changes the scene.
    private static func embed(_ scene: Scene, azimuth: Float, share: Float, isUnlit: Bool) async throws -> ReportPage.ModelViewer {
        let (model, _) = try await WebModel.encode(scene, maximumTriangles: maximumTriangles)
        let triangles = WebModel.triangleCount(of: scene)
        var attributes: [(name: String, value: String?)] = [
            ("src", "#model.glb"), ("alt", "The model in 3D"), ("reveal", "interaction"), ("camera-controls", nil),
            ("background", "#" + String(background, radix: 16)),
            ("camera-orbit", "\(Int(azimuth))deg \(Int(90 - elevation))deg \(Int((share * 100).rounded()))%"),
        ]
        if isUnlit { attributes.append(("tone-mapping", "none")) }
        return ReportPage.ModelViewer(
            attributes: WebPage.markup(of: attributes), scripts: WebPage.inlineViewer(data: [("model.glb", model.bytes)]),
            facts: "\(triangles.grouped) triangles, \(OptimizeTable.size(model.bytes.count))"
                + (isUnlit ? "; shown without light, which its colours contain" : ""))
    }
}
