import VitrineGPU
import VitrineMath
import VitrineRender

/// A receiver in the view.
struct ReceiverUniforms: ShaderStructure {
    let clipFromReceiver: ShaderMatrix4
    /// The origin of the map's area in the receiver's x and z.
    let origin: Vector2
    /// The reciprocal of the size of the map's area.
    let scale: Vector2
    /// The number of the plane's edges, and one over the distance in which the shadow fades towards them.
    let edgeCount: Float
    let inverseFade: Float
    let padding = Vector2.zero

    static let name = "ReceiverUniforms"
    static let fields: [ShaderField<ReceiverUniforms>] = [
        .init("clipFromReceiver") { $0.clipFromReceiver }, .init("origin") { $0.origin }, .init("scale") { $0.scale },
        .init("edgeCount") { $0.edgeCount }, .init("inverseFade") { $0.inverseFade }, .init("padding") { $0.padding },
    ]
}

/// Projects receiver shadows into the view: a mask of the light that they leave.
final class ReceiverShadowPass {
    /// A receiver with its shadow.
    struct Piece {
        let surface: ShadowReceivers.Surface
        let map: ReceiverShadowMap
        /// The corners of the receiver's triangles, in its x and z.
        let corners: GPUBuffer
        let cornerCount: Int
        /// The ends of the edges at which the receiver's plane ends, in its x and z: two for each. The shadow fades towards them.
        let edges: GPUBuffer
        let edgeCount: Int
        /// The distance from an edge in metres at which the shadow has its full strength.
        let fade: Float
    }

    private let device: GPUDevice
    private let layout: GPUBindGroupLayout
    private let sampler: GPUSampler
    private let noOccluder: GPUTextureView
    private var target: GPUTextureView?
    private var pipelines: [Bool: GPURenderPipeline] = [:]

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        sampler = try device.makeSampler(GPUSamplerDescriptor("receiver shadow"))
        noOccluder = try CameraPlanes.texture(device, "no depth", .r32Float, 1, 1)
        layout = try device.makeBindGroupLayout(
            "receiver shadow",
            [
                .uniformBuffer(0, .render, minSize: ReceiverUniforms.byteCount), .texture(1, .fragment), .sampler(2, .fragment),
                .texture(3, .fragment, .unfilterableFloat), .storageBuffer(4, .fragment),
            ])
    }

    func draw(
        _ pieces: [Piece], clipFromWorld: Matrix4, _ region: PixelRectangle, occluder: GPUTextureView?
    ) throws(GPUError) -> GPUTextureView {
        let target = try target(region)
        let pipeline = try pipeline(isOccluded: occluder != nil)
        var groups: [GPUBindGroup] = []
        for piece in pieces {
            let area = piece.map.area
            let values = ReceiverUniforms(
                clipFromReceiver: ShaderMatrix4(clipFromWorld * piece.surface.worldFromReceiver), origin: area.origin,
                scale: Vector2(1 / area.size.x, 1 / area.size.y), edgeCount: Float(piece.edgeCount), inverseFade: 1 / max(piece.fade, 1e-3))
            groups.append(
                try device.makeBindGroup(
                    "receiver shadow", layout: layout,
                    [
                        .buffer(0, try device.makeBuffer("receiver shadow", contents: [values], usage: .uniform)),
                        .texture(1, piece.map.texture), .sampler(2, sampler), .texture(3, occluder ?? noOccluder),
                        .buffer(4, piece.edges),
                    ]))
        }
        let encoder = try device.makeCommandEncoder("receiver shadows")
        let attachment = GPUColorAttachment(target, load: .clear(.white))
        encoder.renderPass(GPURenderPassDescriptor("receiver shadows", colors: [attachment])) { pass in
            pass.setPipeline(pipeline)
            for (piece, group) in zip(pieces, groups) {
                pass.setBindGroup(0, group)
                pass.setVertexBuffer(0, piece.corners)
                pass.draw(vertexCount: piece.cornerCount)
            }
        }
        device.queue.submit(try encoder.finish())
        return target
    }

    private func target(_ region: PixelRectangle) throws(GPUError) -> GPUTextureView {
        if let target, target.texture.width == region.width, target.texture.height == region.height { return target }
        let made = try CameraPlanes.texture(
            device, "receiver shadows", .r8Unorm, region.width, region.height, usage: [.renderAttachment, .textureBinding])
        target = made
        return made
    }

    private func pipeline(isOccluded: Bool) throws(GPUError) -> GPURenderPipeline {
        if let known = pipelines[isOccluded] { return known }
        let module = try device.makeShader("receiver-shadow.wgsl", wgsl: Self.code)
        // Shadows multiply.
        let product = GPUBlendComponent(.zero, .add, .source)
        let made = try device.makeRenderPipeline(
            GPURenderPipelineDescriptor(
                "receiver shadow", layout: try device.makePipelineLayout("receiver shadow", [layout]),
                vertex: GPUShaderStage(module, "project"),
                vertexBuffers: [GPUVertexBufferLayout(stride: 8, [GPUVertexAttribute(.float32x2, location: 0)])],
                fragment: GPUShaderStage(module, "shade", constants: [GPUConstant("OCCLUDED", isOccluded)]),
                targets: [GPUColorTarget(.r8Unorm, blend: GPUBlendState(color: product, alpha: product))]))
        pipelines[isOccluded] = made
        return made
    }

    private static let code = """
        \(ReceiverUniforms.wgsl)
        @group(0) @binding(0) var<uniform> receiver: ReceiverUniforms;
        @group(0) @binding(1) var shadow: texture_2d<f32>;
        @group(0) @binding(2) var linear: sampler;
        // Occluder depth in metres, one texel per pixel; 0 without occluder.
        @group(0) @binding(3) var occluderDepth: texture_2d<f32>;
        @group(0) @binding(4) var<storage, read> edges: array<vec2f>;
        override OCCLUDED: bool = false;

        struct ReceiverVertex {
            @builtin(position) position: vec4f,
            @location(0) uv: vec2f,
            @location(1) depth: f32,
            @location(2) corner: vec2f,
        }

        @vertex fn project(@location(0) corner: vec2f) -> ReceiverVertex {
            let clip = receiver.clipFromReceiver * vec4f(corner.x, 0.0, corner.y, 1.0);
            return ReceiverVertex(clip, (corner - receiver.origin) * receiver.scale, clip.w, corner);
        }

        // 0 at the plane's edges, 1 away from them.
        fn strength(at: vec2f) -> f32 {
            var squared = 1e12;
            for (var i = 0u; i < u32(receiver.edgeCount); i++) {
                let start = edges[2u * i];
                let way = edges[2u * i + 1u] - start;
                let along = saturate(dot(at - start, way) / max(dot(way, way), 1e-12));
                let off = at - start - way * along;
                squared = min(squared, dot(off, off));
            }
            return smoothstep(0.0, 1.0, sqrt(squared) * receiver.inverseFade);
        }

        @fragment fn shade(in: ReceiverVertex) -> @location(0) vec4f {
            var blocked = textureSample(shadow, linear, in.uv).r;
            if (any(in.uv != saturate(in.uv))) { blocked = 0.0; }
            if (OCCLUDED) {
                let occluder = textureLoad(occluderDepth, vec2i(in.position.xy), 0).r;
                if (occluder > 0.0 && occluder < in.depth) { blocked = 0.0; }
            }
            return vec4f(1.0 - blocked * strength(in.corner));
        }
        """
}
