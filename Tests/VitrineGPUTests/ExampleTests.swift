import Testing
import VitrineGPU

/// The example in VitrineGPU.swift, word for word.
@Test func exampleOfTheModule() throws {
    let device = try GPUDevice.make(GPUAdapterChoice(parsing: "auto"))
    let shader = try device.makeShader(
        "triangle.wgsl",
        wgsl: """
            @vertex fn corner(@location(0) position: vec2f) -> @builtin(position) vec4f { return vec4f(position, 0, 1); }
            @fragment fn colour() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }
            """)
    let pipeline = try device.makeRenderPipeline(
        GPURenderPipelineDescriptor(
            "triangle",
            vertex: GPUShaderStage(shader, "corner"), vertexBuffers: [GPUVertexBufferLayout(.float32x2, location: 0)],
            fragment: GPUShaderStage(shader, "colour"), targets: [GPUColorTarget(.rgba8Unorm)]))
    let corners = try device.makeBuffer("corners", contents: [-1, -1, 3, -1, -1, 3] as [Float], usage: .vertex)
    let image = try device.makeTexture(
        GPUTextureDescriptor(
            "image", size: GPUExtent(64, 64), format: .rgba8Unorm, usage: [.renderAttachment, .copySource]))
    let view = try image.makeView()

    let encoder = try device.makeCommandEncoder("frame")
    encoder.renderPass(GPURenderPassDescriptor("main", colors: [GPUColorAttachment(view, load: .clear(.white))])) { pass in
        pass.setPipeline(pipeline)
        pass.setScissor(x: 0, y: 0, width: 32, height: 64)
        pass.setVertexBuffer(0, corners)
        pass.draw(vertexCount: 3)
    }
    device.queue.submit(try encoder.finish())
    try device.checkErrors()

    let pixels = try image.read()
    #expect(pixels.count == 64 * 64 * 4)
    for y in 0..<64 {
        for x in 0..<64 {
            let pixel = Array(pixels[(y * 64 + x) * 4..<(y * 64 + x) * 4 + 4])
            #expect(pixel == (x < 32 ? [255, 0, 0, 255] : [255, 255, 255, 255]))
        }
    }
}
