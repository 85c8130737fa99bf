import VitrineAR
import VitrineGPU
import VitrineMath
import VitrineRender

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A mesh anchor in the view.
struct MeshDepthUniforms: ShaderStructure {
    let clipFromAnchor: ShaderMatrix4
    /// Metres added to the depth.
    let offset: Float
    /// The factor of the depth.
    let scale: Float
    let padding = Vector2.zero

    static let name = "MeshDepthUniforms"
    static let fields: [ShaderField<MeshDepthUniforms>] = [
        .init("clipFromAnchor") { $0.clipFromAnchor }, .init("offset") { $0.offset }, .init("scale") { $0.scale },
        .init("padding") { $0.padding },
    ]
}

/// Draws the depth of a frame's mesh anchors: the `occluder` of a scene where a device has no depth image of the moment.
///
/// Adds 2 cm and 1 % to the depth, so that a real table does not cut into objects on it. Only the anchors in the drawn region cost time.
final class MeshDepthPass {
    static let slack = (metres: Float(0.02), share: Float(0.01))

    /// An uploaded mesh.
    private struct Mesh {
        let anchor: ARMeshAnchor
        let vertices, indices: GPUBuffer
    }

    private let device: GPUDevice
    private let layout: GPUBindGroupLayout
    private var meshes: [UUID: Mesh] = [:]
    private var target: (metres: GPUTextureView, depth: GPUTextureView)?
    private var pipeline: GPURenderPipeline?

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        layout = try device.makeBindGroupLayout("mesh depth", [.uniformBuffer(0, .render, minSize: MeshDepthUniforms.byteCount)])
    }

    /// Metres ahead of the camera in a region of the view, 0 without a mesh; nil if no mesh is in the region.
    func draw(_ anchors: [ARMeshAnchor], _ view: PinholeView, _ region: PixelRectangle) throws(GPUError) -> GPUTextureView? {
        let clipFromWorld = view.clipFromWorld(of: region)
        var visible: [ARMeshAnchor] = []
        for anchor in anchors where Self.isVisible(anchor, clipFromWorld * anchor.transform) { visible.append(anchor) }
        var kept: [UUID: Mesh] = [:]
        for anchor in visible { kept[anchor.identifier] = try mesh(anchor) }
        meshes = kept
        guard !visible.isEmpty else { return nil }
        let (metres, depth) = try target(region)
        let pipeline = try readyPipeline()
        var draws: [(mesh: Mesh, group: GPUBindGroup)] = []
        for anchor in visible {
            let values = MeshDepthUniforms(
                clipFromAnchor: ShaderMatrix4(clipFromWorld * anchor.transform), offset: Self.slack.metres, scale: 1 + Self.slack.share)
            let buffer = try device.makeBuffer("mesh depth", contents: [values], usage: .uniform)
            draws.append((kept[anchor.identifier]!, try device.makeBindGroup("mesh depth", layout: layout, [.buffer(0, buffer)])))
        }
        let encoder = try device.makeCommandEncoder("mesh depth")
        let stencil = GPUDepthStencilAttachment(depth, depthLoad: .clear(1), depthStore: .discard)
        encoder.renderPass(GPURenderPassDescriptor("mesh depth", colors: [GPUColorAttachment(metres)], depthStencil: stencil)) { pass in
            pass.setPipeline(pipeline)
            for (mesh, group) in draws {
                pass.setBindGroup(0, group)
                pass.setVertexBuffer(0, mesh.vertices)
                pass.setIndexBuffer(mesh.indices, .uint32)
                pass.drawIndexed(indexCount: 3 * mesh.anchor.geometry.faces.count)
            }
        }
        device.queue.submit(try encoder.finish())
        return metres
    }

    /// Whether a corner of the mesh's box lies on the inner side of each side of the region.
    private static func isVisible(_ anchor: ARMeshAnchor, _ clipFromAnchor: Matrix4) -> Bool {
        guard !anchor.geometry.faces.isEmpty else { return false }
        let corners = anchor.geometry.bounds.corners.map { clipFromAnchor * Vector4($0, 1) }
        return corners.contains { $0.w > 0 } && corners.contains { $0.x > -$0.w } && corners.contains { $0.x < $0.w }
            && corners.contains { $0.y > -$0.w } && corners.contains { $0.y < $0.w }
    }

    private func mesh(_ anchor: ARMeshAnchor) throws(GPUError) -> Mesh {
        if let known = meshes[anchor.identifier], known.anchor === anchor { return known }
        return Mesh(
            anchor: anchor,
            vertices: try device.makeBuffer("mesh", contents: anchor.geometry.vertices.flatMap { [$0.x, $0.y, $0.z] }, usage: .vertex),
            indices: try device.makeBuffer("mesh", contents: anchor.geometry.faces.flatMap { [$0.x, $0.y, $0.z] }, usage: .index))
    }

    private func target(_ region: PixelRectangle) throws(GPUError) -> (metres: GPUTextureView, depth: GPUTextureView) {
        if let target, target.metres.texture.width == region.width, target.metres.texture.height == region.height { return target }
        let made = (
            try CameraPlanes.texture(
                device, "mesh metres", .r32Float, region.width, region.height, usage: [.renderAttachment, .textureBinding, .copySource]),
            try CameraPlanes.texture(device, "mesh depth", .depth32Float, region.width, region.height, usage: .renderAttachment)
        )
        target = made
        return made
    }

    private func readyPipeline() throws(GPUError) -> GPURenderPipeline {
        if let pipeline { return pipeline }
        let module = try device.makeShader("mesh-depth.wgsl", wgsl: Self.code)
        // Both sides: a table that was observed from above also hides objects on it from below.
        let made = try device.makeRenderPipeline(
            GPURenderPipelineDescriptor(
                "mesh depth", layout: try device.makePipelineLayout("mesh depth", [layout]), vertex: GPUShaderStage(module, "project"),
                vertexBuffers: [GPUVertexBufferLayout(stride: 12, [GPUVertexAttribute(.float32x3, location: 0)])],
                fragment: GPUShaderStage(module, "measure"), targets: [GPUColorTarget(.r32Float)],
                depthStencil: GPUDepthStencilState(.depth32Float, depthCompare: .less)))
        pipeline = made
        return made
    }

    private static let code = """
        \(MeshDepthUniforms.wgsl)
        @group(0) @binding(0) var<uniform> mesh: MeshDepthUniforms;

        struct MeshVertex {
            @builtin(position) position: vec4f,
            @location(0) metres: f32,
        }

        @vertex fn project(@location(0) corner: vec3f) -> MeshVertex {
            let clip = mesh.clipFromAnchor * vec4f(corner, 1.0);
            return MeshVertex(clip, clip.w);
        }

        @fragment fn measure(in: MeshVertex) -> @location(0) vec4f { return vec4f(in.metres * mesh.scale + mesh.offset); }
        """
}
