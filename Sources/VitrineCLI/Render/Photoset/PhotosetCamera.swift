import Vitrine
import VitrineGPU

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Takes the photos of a photo set: renders each shot, adds image noise, writes the file.
@MainActor
struct PhotosetCamera {
    /// The size of the photo in pixels.
    var size: (width: Int, height: Int)
    /// Samples per pixel.
    var samples: Int
    /// Standard deviation of the image noise in levels of 255, independent per channel.
    var noise: Float
    var adapter = GPUAdapterChoice.automatic
    var options = RenderOptions()
    /// Stops, added to each shot's own.
    var exposure: Float = 0

    /// Takes `shots` of `scene`. A file's extension selects PNG or JPEG (quality 93).
    ///
    /// - Parameter progress: called after each photo with the number of photos so far.
    func take(_ shots: [(shot: PhotosetCameras.Shot, file: URL)], of scene: Scene, progress: (Int) -> Void = { _ in }) throws {
        let device = try GPUDevice.make(adapter, optional: [.timestampQuery, .float32Filterable])
        let renderer = try Renderer(device: device)
        let target = try OffscreenTarget(device, width: size.width, height: size.height, content: .display)
        var options = options
        let rotation = scene.environment.rotation
        defer { scene.environment.rotation = rotation }
        for (index, (shot, file)) in shots.enumerated() {
            try Task.checkCancellation()
            options.exposure = exposure + shot.exposure
            scene.environment.rotation = Angle(radians: rotation.radians + shot.lightAzimuth.radians)
            try renderer.renderStill(scene, from: shot.view, to: target, samples: samples, options: options)
            let photo = try noisy(try target.image(), seed: UInt64(index))
            try photo.write(to: file, encoding: file.pathExtension == "png" ? .png() : .jpeg(quality: 93))
            progress(index + 1)
        }
    }

    private func noisy(_ image: Image, seed: UInt64) throws -> Image {
        guard noise > 0 else { return image }
        var random = SplitMix64(seed: 7_000 &+ seed)
        var bytes = image.bytes
        for pixel in stride(from: 0, to: bytes.count - 3, by: 4) {
            for channel in 0..<3 {
                let level = Float(bytes[pixel + channel]) + noise * random.normal()
                bytes[pixel + channel] = UInt8(clamp(level.rounded(), 0, 255))
            }
        }
        return try Image(width: image.width, height: image.height, format: .rgba8, bytes: bytes, name: image.name)
    }
}
