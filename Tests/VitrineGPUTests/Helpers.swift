import Testing

@testable import VitrineGPU

/// Makes a device on the default adapter of this machine.
func makeDevice(optional: GPUFeatures = []) throws(GPUError) -> GPUDevice {
    try GPUDevice.make(.automatic, optional: optional)
}

/// The error that `body` throws; nil when it throws none.
func gpuError(_ body: () throws -> Void) -> GPUError? {
    do { try body() } catch { return error as? GPUError }
    return nil
}

/// Runs a compute shader with one read-write storage buffer at group 0, binding 0, and returns its contents afterwards.
func compute(
    _ device: GPUDevice, _ wgsl: String, entry: String = "main", constants: [GPUConstant] = [], on values: [UInt32], groups: Int
) throws(GPUError) -> [UInt32] {
    let shader = try device.makeShader("test.wgsl", wgsl: wgsl)
    let pipeline = try device.makeComputePipeline("test", GPUShaderStage(shader, entry, constants: constants))
    let buffer = try device.makeBuffer("values", contents: values, usage: [.storage, .copySource])
    let group = try device.makeBindGroup("values", layout: try pipeline.bindGroupLayout(0), [.buffer(0, buffer)])
    let encoder = try device.makeCommandEncoder("test")
    encoder.computePass("test") { pass in
        pass.setPipeline(pipeline)
        pass.setBindGroup(0, group)
        pass.dispatch(groups)
    }
    device.queue.submit(try encoder.finish())
    try device.checkErrors()
    return try buffer.read(as: UInt32.self)
}

/// Vertex shader of a triangle that covers everything, at depth 0.5.
let everywhere = """
    @vertex fn everywhere(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
    }

    """
