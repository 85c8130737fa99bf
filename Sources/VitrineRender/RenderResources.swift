import VitrineGPU
import VitrineScene

/// The uploaded and compiled resources of a renderer, shared with its warm-up renderers.
final class RenderResources {
    let device: GPUDevice
    let geometries: GeometryCache
    let pipelines: PipelineCache
    let materials: MaterialCache
    let environments: EnvironmentCache
    let volumes: VolumeTexture
    let deformer: Deformer
    /// Group 0 of the pipelines that draw surfaces and sky.
    let frameLayout: GPUBindGroupLayout
    /// Group 2 of the pipelines that shade an `AttributeBuffer`.
    let attributeLayout: GPUBindGroupLayout
    /// The buffer of the `AreaLightTable`.
    let areaTable: GPUBuffer
    /// Vertex streams for geometry that lacks one: zeros, and ones.
    let zeros, ones: GPUBuffer

    /// Creates the resources of a device.
    ///
    /// - Parameter limits: The limits of materials; nil for those of the device.
    init(_ device: GPUDevice, limits: SurfaceLimits? = nil) throws(GPUError) {
        self.device = device
        geometries = GeometryCache(device)
        frameLayout = try FrameBindings.layout(on: device)
        attributeLayout = try AttributeBuffer.layout(on: device)
        pipelines = PipelineCache(device, frame: frameLayout, attributes: attributeLayout)
        materials = try MaterialCache(device, pipelines, frame: frameLayout, limits: limits)
        environments = try EnvironmentCache(device)
        volumes = try VolumeTexture(device)
        deformer = try Deformer(device)
        areaTable = try device.makeBuffer("area lights", contents: AreaLightTable.words, usage: .uniform)
        zeros = try device.makeBuffer("zeros", contents: [Float](repeating: 0, count: 12), usage: .vertex)
        ones = try device.makeBuffer("ones", contents: [Float](repeating: 1, count: 4), usage: .vertex)
    }

    /// Bytes of GPU memory.
    var memory: Int {
        materials.memory + geometries.memory + environments.memory + volumes.memory + deformer.memory + areaTable.size
    }

    /// Frees what belongs to objects that only these resources refer to.
    func purge() {
        materials.purge()
        geometries.purge()
        environments.purge()
        volumes.purge()
    }
}
