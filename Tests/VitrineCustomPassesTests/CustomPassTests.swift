import Testing
import VitrineCustomPasses
import VitrineMath
import VitrineRender
import VitrineScene

/// A pass of an app's own over a rendered scene, with public API only.
@Suite struct CustomPassTests {
    @Test func invertsTheFrame() throws {
        let device = try GPUDevice.make()
        let renderer = try Renderer(on: device)
        let scene = Scene()
        scene.environment.background = .color(Color(linearRed: 0.25, green: 0.5, blue: 1))
        let frame = try texture(device, "frame", .textureBinding)
        try renderer.render(
            scene, from: View(worldFromCamera: .identity), into: frame.makeView(),
            options: RenderOptions(sampleCount: 1, toneMapping: .none))
        let output = try texture(device, "output", .copySource)
        try invert(device, frame, to: output)
        let halves = try output.read()
        // 1 − 0.25 in half precision.
        #expect(halves[0] == 0 && halves[1] == 0x3A)
    }

    private func texture(_ device: GPUDevice, _ label: String, _ usage: GPUTextureUsage) throws -> GPUTexture {
        try device.makeTexture(
            GPUTextureDescriptor(label, size: GPUExtent(4, 4), format: .rgba16Float, usage: [.renderAttachment, usage]))
    }

    private func invert(_ device: GPUDevice, _ source: GPUTexture, to target: GPUTexture) throws {
        let module = try device.makeShader(
            "invert.wgsl",
            wgsl: """
                @group(0) @binding(0) var frame: texture_2d<f32>;
                @vertex fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
                    return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
                }
                @fragment fn invert(@builtin(position) position: vec4f) -> @location(0) vec4f {
                    return vec4f(1.0 - textureLoad(frame, vec2i(position.xy), 0).rgb, 1.0);
                }
                """)
        let layout = try device.makeBindGroupLayout("invert", [.texture(0, .fragment)])
        let pipeline = try device.makeRenderPipeline(
            GPURenderPipelineDescriptor(
                "invert", layout: try device.makePipelineLayout("invert", [layout]), vertex: GPUShaderStage(module, "cover"),
                fragment: GPUShaderStage(module, "invert"), targets: [GPUColorTarget(.rgba16Float)]))
        let group = try device.makeBindGroup("invert", layout: layout, [.texture(0, try source.makeView())])
        let encoder = try device.makeCommandEncoder("invert")
        encoder.renderPass(GPURenderPassDescriptor("invert", colors: [GPUColorAttachment(try target.makeView())])) { pass in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            pass.draw(vertexCount: 3)
        }
        device.queue.submit(try encoder.finish())
    }
}
