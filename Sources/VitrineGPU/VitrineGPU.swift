// # VitrineGPU: WebGPU with Swift types
//
// The only module that uses C handles. A device creates all objects. Classes own their handles and release them in deinit; encoders, passes
// and command buffers are noncopyable, because they are consumed. A creation that fails throws a `GPUError` with the label of the object
// and, for shaders, the line. `GPUDevice.checkErrors()`, called once per frame, throws the errors of later operations (writes,
// submissions). Use all objects of one device from one thread.
//
// A red triangle on white, drawn without a window and read back (this sample is also a test):
//
// ```swift
// let device = try GPUDevice.make(GPUAdapterChoice(parsing: "auto"))
// let shader = try device.makeShader("triangle.wgsl", wgsl: """
//     @vertex fn corner(@location(0) position: vec2f) -> @builtin(position) vec4f { return vec4f(position, 0, 1); }
//     @fragment fn colour() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }
//     """)
// let pipeline = try device.makeRenderPipeline(GPURenderPipelineDescriptor(
//     "triangle",
//     vertex: GPUShaderStage(shader, "corner"), vertexBuffers: [GPUVertexBufferLayout(.float32x2, location: 0)],
//     fragment: GPUShaderStage(shader, "colour"), targets: [GPUColorTarget(.rgba8Unorm)]))
// let corners = try device.makeBuffer("corners", contents: [-1, -1, 3, -1, -1, 3] as [Float], usage: .vertex)
// let image = try device.makeTexture(GPUTextureDescriptor(
//     "image", size: GPUExtent(64, 64), format: .rgba8Unorm, usage: [.renderAttachment, .copySource]))
// let view = try image.makeView()
//
// let encoder = try device.makeCommandEncoder("frame")
// encoder.renderPass(GPURenderPassDescriptor("main", colors: [GPUColorAttachment(view, load: .clear(.white))])) { pass in
//     pass.setPipeline(pipeline)
//     pass.setScissor(x: 0, y: 0, width: 32, height: 64)
//     pass.setVertexBuffer(0, corners)
//     pass.draw(vertexCount: 3)
// }
// device.queue.submit(try encoder.finish())
// try device.checkErrors()
//
// let pixels = try image.read()     // 64 · 64 · 4 bytes from the top left: red up to column 31, white from column 32
// ```
//
// Not supported:
//
// - Asynchronous pipeline creation: wgpu-native has none.
// - Render bundles: wgpu-native ends the process if a bundle is invalid; other errors become a `GPUError`.
// - Device loss during a submission or a wait: wgpu-native ends the process. Device loss at other times is thrown.
// - Several queues, external textures, binding arrays.
