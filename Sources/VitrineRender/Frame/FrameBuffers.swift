import VitrineGPU
import VitrineMath
import VitrineScene

/// The buffers that all passes of a frame share.
struct FrameBuffers {
    private(set) var instances: InstanceList
    let uniforms: GPUBuffer
    private let environment, mainLights: GPUBuffer
    private var visible, lights, clusters, lightIndices: GrowingBuffer

    init(_ device: GPUDevice) throws(GPUError) {
        instances = try InstanceList(device)
        uniforms = try device.makeBuffer("frame", size: FrameUniforms.byteCount, usage: [.uniform, .copyDestination])
        environment = try device.makeBuffer("environment", size: EnvironmentUniforms.byteCount, usage: [.uniform, .copyDestination])
        mainLights = try device.makeBuffer(
            "main lights", size: FrameBindings.mainLightCount * LightUniforms.byteCount, usage: [.uniform, .copyDestination])
        visible = try GrowingBuffer(device, "visible", usage: .storage, size: 256)
        lights = try GrowingBuffer(device, "lights", usage: .storage, size: 256)
        clusters = try GrowingBuffer(device, "clusters", usage: .storage, size: 256)
        lightIndices = try GrowingBuffer(device, "light indices", usage: .storage, size: 256)
    }

    /// Bytes of GPU memory.
    var memory: Int {
        instances.buffer.size + visible.buffer.size + lights.buffer.size + clusters.buffer.size + lightIndices.buffer.size
    }

    /// Uploads the transforms that changed.
    ///
    /// - Parameter all: Whether the draw list was rebuilt.
    mutating func updateInstances(from store: NodeStore, _ list: DrawList, all: Bool) throws(GPUError) {
        try instances.update(from: store, list, all: all)
    }

    /// Uploads the uniforms and lists of a frame.
    ///
    /// - Parameter visible: The instance of each record of the frame's draws.
    mutating func upload(
        _ frame: FrameUniforms, _ lights: LightList, _ environment: EnvironmentUniforms, visible: [UInt32]
    ) throws(GPUError) {
        let queue = uniforms.device.queue
        queue.write(value: frame, to: uniforms)
        queue.write(value: environment, to: self.environment)
        try self.visible.write(visible)
        guard lights.count > 0 else { return }
        try self.lights.write(lights.uniforms)
        queue.write(Array(lights.uniforms.prefix(FrameBindings.mainLightCount)), to: mainLights)
        if lights.boundedCount > 0 {
            try clusters.write(lights.clusters.ranges)
            try lightIndices.write(lights.clusters.indices)
        }
    }

    /// The buffers' entries in group 0.
    func entries(_ light: EnvironmentLight) -> [GPUBindGroupEntry] {
        [
            .buffer(FrameBindings.uniforms, uniforms), .buffer(FrameBindings.instances, instances.buffer),
            .buffer(FrameBindings.visible, visible.buffer), .buffer(FrameBindings.lights, lights.buffer),
            .buffer(FrameBindings.clusters, clusters.buffer), .buffer(FrameBindings.lightIndices, lightIndices.buffer),
            .buffer(FrameBindings.mainLights, mainLights),
        ] + light.map.entries(firstBinding: FrameBindings.environment, uniforms: environment, sky: light.sky)
    }
}
