import Foundation
import Vitrine
import VitrineGPU

@testable import VitrineFiles
@testable import VitrineRender

extension VitrineMeasure {
    /// Reads a model as an app does, or without its images: `ModelLoadOptions.decodesTextures` would decode them to check them.
    @MainActor static func load(_ url: URL, decoding: Bool) async throws -> Timing {
        let options = ModelLoadOptions()
        var timing = Timing()
        let clock = ContinuousClock()
        for turn in 0..<6 {
            let begin = clock.now
            if decoding {
                _ = try await SceneFile.load(url, options: options)
            } else {
                _ = try SceneFile.parse(SceneFile.read(url, options: options), url: url, options: options)
            }
            let time = begin.duration(to: clock.now)
            // The first one warms the file cache.
            if turn > 0 { timing.append(Double(time.components.seconds) * 1000 + Double(time.components.attoseconds) / 1e15) }
        }
        return timing
    }

    /// Prepares environment light and sky from a decoded image on the GPU and waits for the result.
    @MainActor static func prepareEnvironment(_ url: URL) throws -> String {
        let image = try Image(contentsOf: url)
        let device = try GPUDevice.make()
        var prefilter: EnvironmentPrefilter?
        let work = {
            if prefilter == nil { prefilter = try EnvironmentPrefilter(device: device) }
            let map = try prefilter!.makeMap(from: image)
            try device.waitUntilIdle()
            withExtendedLifetime(map) {}
        }
        let first = try Timing.of(work)
        let again = try Timing(repeats: 5, warmup: 0, work)
        return "{\"first_ms\": \(first), \"ms\": \(again.values)}"
    }
}
