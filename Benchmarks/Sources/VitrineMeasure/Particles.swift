import Vitrine
import VitrineGPU

@testable import VitrineLayers
@testable import VitrineRender

/// A cloud of soft particles moved by one tick and drawn into 1920×1080, half floats: the counterpart of `baselines/particles.py`, which uses no library.
struct ParticleMeasurement {
    let count: Int
    /// Points, of all of them; a pixel per point.
    let radius: Float

    func measure() throws -> String {
        let device = try GPUDevice.make()
        let renderer = try ParticleRenderer(device)
        let surface = try LayerSurface(device, bounds: Rectangle(x: 0, y: 0, width: 1920, height: 1080), scale: 1)
        let cloud = ParticleCloud(ParticleSettings(count: count, radius: radius...radius, sprite: .soft))
        cloud.progress = 1
        var frame = 0
        let timing = try Timing(repeats: 20, warmup: 20) {
            cloud.advance(to: Double(frame) / 60)
            frame += 1
            let encoder = try device.makeCommandEncoder("particles")
            encoder.renderPass(.init("clear", colors: [GPUColorAttachment(surface.view)])) { _ in }
            try renderer.draw(cloud, over: surface, encoder)
            device.queue.submit(try encoder.finish())
            try device.waitUntilIdle()
        }
        return timing.json
    }
}
