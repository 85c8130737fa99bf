import Testing
import VitrineCustomPasses
import VitrineGeometry
import VitrineLayers

/// Layers with an app's own passes, with public API only.
@Suite struct LayerPassTests {
    /// Fills its layer with one colour, by a pass of its own.
    private final class Flash: LayerDrawing {
        let content = DrawingContent { view, bounds, scale, device throws(GPUError) in
            #expect(bounds.size == Vector2(4, 2) && scale == 2)
            let encoder = try device.makeCommandEncoder("flash")
            let attachment = GPUColorAttachment(view, load: .clear(GPUColor(0, 1, 0, 1)))
            encoder.renderPass(GPURenderPassDescriptor("flash", colors: [attachment])) { _ in }
            device.queue.submit(try encoder.finish())
        }
    }

    @Test func anAppsPassesDrawTheContentOfALayer() throws {
        let device = try GPUDevice.make()
        let renderer = try LayerRenderer(on: device)
        #expect(renderer.gpuDevice === device)
        let layer = Layer(frame: Rectangle(x: 0, y: 0, width: 4, height: 2))
        layer.fill = .drawing(Flash())
        let frame = try texture(device, width: 8, height: 4)
        try renderer.render(layer, into: frame.makeView(), scale: 2)
        // Half-precision floats: 0, 1, 0, 1.
        #expect(try Array(frame.read().prefix(8)) == [0, 0, 0, 0x3C, 0, 0, 0, 0x3C])
    }

    @Test func effectsReadATextureAndLeaveItUnchanged() throws {
        let device = try GPUDevice.make()
        let renderer = try LayerRenderer(on: device)
        let library = try ShaderLibrary(source: "fn swap(position: vec2f, color: vec4f) -> vec4f { return color.brga; }")
        try library.compile(on: device)
        let source = try texture(device, width: 4, height: 4)
        let view = try source.makeView()
        let encoder = try device.makeCommandEncoder("effects")
        encoder.renderPass(GPURenderPassDescriptor("red", colors: [GPUColorAttachment(view, load: .clear(GPUColor(1, 0, 0, 1)))])) { _ in }
        let bounds = Rectangle(x: 0, y: 0, width: 4, height: 4)
        let result = try renderer.apply([.color(library.swap())], to: view, bounds: bounds, with: encoder)
        let same = try renderer.apply([], to: view, bounds: bounds, with: encoder)
        device.queue.submit(try encoder.finish())
        #expect(try Array(result.view.texture.read().prefix(8)) == [0, 0, 0, 0x3C, 0, 0, 0, 0x3C])
        #expect(result.bounds == bounds && same.view === view)
        #expect(try Array(source.read().prefix(8)) == [0, 0x3C, 0, 0, 0, 0, 0, 0x3C])
    }

    @Test func particlesAreDrawnOverATexture() throws {
        let device = try GPUDevice.make()
        let renderer = try LayerRenderer(on: device)
        let cloud = ParticleCloud(ParticleSettings(count: 100, radius: 4...4))
        cloud.progress = 1
        let target = try texture(device, width: 32, height: 32)
        for frame in 0..<3 {
            cloud.advance(to: Double(frame) / 60)
            let encoder = try device.makeCommandEncoder("particles")
            try renderer.draw(cloud, over: target.makeView(), bounds: Rectangle(x: 0, y: 0, width: 32, height: 32), with: encoder)
            device.queue.submit(try encoder.finish())
        }
        #expect(try target.read().contains { $0 != 0 })
    }

    private func texture(_ device: GPUDevice, width: Int, height: Int) throws -> GPUTexture {
        try device.makeTexture(
            GPUTextureDescriptor(
                "target", size: GPUExtent(width, height), format: .rgba16Float,
                usage: [.renderAttachment, .textureBinding, .copySource, .copyDestination]))
    }
}
