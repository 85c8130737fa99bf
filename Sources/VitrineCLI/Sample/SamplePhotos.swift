import Vitrine
import VitrineGPU
import VitrineSamples

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Photos of the sample model on a table, as taken by hand: three rings, uneven distance and aim, image noise, exposure jitter.
@MainActor
struct SamplePhotos {
    let count: Int

    /// Writes `000.jpg` … into a new folder.
    func write(to folder: URL, progress: @Sendable (Double) -> Void) async throws {
        let size = (width: 640, height: 480)
        let scene = try SampleOwl.scene()
        scene.environment = .studio()
        scene.update()
        let bounds = scene.bounds
        scene.rootNode.addChildNode(try PhotosetTable.node(under: bounds))
        try await scene.bakeOcclusion()
        let cameras = PhotosetCameras(
            count: count, elevations: [12, 30, 55], bounds: bounds, fieldOfView: .degrees(38),
            aspectRatio: Float(size.width) / Float(size.height), seed: 1)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let shots = cameras.shots(exposureDrift: 0.1).enumerated().map { index, shot in
            (shot, folder.appendingPathComponent("\(index.padded(3)).jpg"))
        }
        var camera = PhotosetCamera(size: size, samples: 3, noise: 1.5)
        camera.adapter = GPUAdapterChoice(parsing: ProcessInfo.processInfo.environment["VITRINE_ADAPTER"] ?? "")
        try camera.take(shots, of: scene) { progress(Double($0) / Double(shots.count)) }
    }
}
