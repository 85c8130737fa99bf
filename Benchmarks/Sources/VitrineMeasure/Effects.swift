import Vitrine
import VitrineGPU

@testable import VitrineLayers
@testable import VitrineRender

/// Effects over an image of 1920×1080, each beside its floor: one full-screen pass that does the same arithmetic with its numbers written
/// into the shader.
struct EffectMeasurement {
    private let device: GPUDevice
    private let renderer: EffectRenderer
    private let surface, target: LayerSurface
    private let sampler: GPUSampler
    private static let touch = Vector2(700, 400)

    init() throws {
        device = try GPUDevice.make()
        renderer = try EffectRenderer(device)
        let bounds = Rectangle(x: 0, y: 0, width: 1920, height: 1080)
        surface = try LayerSurface(device, bounds: bounds, scale: 1)
        target = try LayerSurface(device, bounds: bounds, scale: 1)
        sampler = try device.makeSampler(GPUSamplerDescriptor("linear"))
        // The content: a cloud.
        let cloud = ParticleCloud(ParticleSettings(count: 2000, sprite: .soft))
        cloud.progress = 1
        for tick in 0..<3 { cloud.advance(to: Double(tick)) }
        let encoder = try device.makeCommandEncoder("surface")
        try ParticleRenderer(device).draw(cloud, over: surface, encoder)
        device.queue.submit(try encoder.finish())
    }

    func measure() throws -> String {
        let glow = ShaderEffect.glow(at: Self.touch, progress: 0.8)
        // Without sample offset, so that the image keeps the size of the floor's.
        var ripple = ShaderEffect.ripple(at: Self.touch, time: 0.4)
        ripple.maxSampleOffset = .zero
        let rows: [(String, Timing)] = [
            ("copy", try floor("textureSampleLevel(source, linear, in.uv, 0.0)")),
            ("glow", try effects([glow])), ("glow, floor", try floor("glow(in.uv)")),
            ("ripple", try effects([ripple])), ("ripple, floor", try floor("ripple(in.uv)")),
            ("glow and ripple", try effects([glow, ripple])),
        ]
        let lines = rows.map { "{\"name\": \"\($0.0)\", \"ms\": \($0.1.values)}" }
        return "{\"rows\": [\(lines.joined(separator: ", "))]}"
    }

    private func effects(_ effects: [ShaderEffect]) throws -> Timing {
        var last: LayerSurface?
        return try Timing(repeats: 20, warmup: 3) {
            let encoder = try device.makeCommandEncoder("effects")
            last = try renderer.apply(effects, to: surface, reusing: last, with: encoder)
            device.queue.submit(try encoder.finish())
            try device.waitUntilIdle()
        }
    }

    private func floor(_ expression: String) throws -> Timing {
        let layout = try device.makeBindGroupLayout("floor", [.texture(0, .fragment), .sampler(1, .fragment)])
        let group = try device.makeBindGroup("floor", layout: layout, [.texture(0, surface.view), .sampler(1, sampler)])
        let module = try device.makeShader(
            "floor.wgsl", wgsl: Self.shader + "@fragment fn pixel(in: Out) -> @location(0) vec4f { return \(expression); }")
        let pipeline = try device.makeRenderPipeline(
            GPURenderPipelineDescriptor(
                "floor", layout: try device.makePipelineLayout("floor", [layout]), vertex: GPUShaderStage(module, "corner"),
                fragment: GPUShaderStage(module, "pixel"), targets: [GPUColorTarget(LayerSurface.format)]))
        return try Timing(repeats: 20, warmup: 3) {
            let encoder = try device.makeCommandEncoder("floor")
            encoder.renderPass(GPURenderPassDescriptor("floor", colors: [GPUColorAttachment(target.view)])) { pass in
                pass.setPipeline(pipeline)
                pass.setBindGroup(0, group)
                pass.draw(vertexCount: 3)
            }
            device.queue.submit(try encoder.finish())
            try device.waitUntilIdle()
        }
    }

    private static let shader = """
        @group(0) @binding(0) var source: texture_2d<f32>;
        @group(0) @binding(1) var linear: sampler;
        struct Out { @builtin(position) position: vec4f, @location(0) uv: vec2f }
        const SIZE = vec2f(1920.0, 1080.0);
        const TOUCH = vec2f(700.0, 400.0);
        @vertex fn corner(@builtin(vertex_index) i: u32) -> Out {
            let p = vec2f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0);
            return Out(vec4f(p, 0.0, 1.0), p * vec2f(0.5, -0.5) + 0.5);
        }
        fn glow(uv: vec2f) -> vec4f {
            let p = 0.8;
            let d = length(uv - TOUCH / SIZE);
            let g = smoothstep(0.0, 1.0, p) * exp(-d * d) * 3.0 * smoothstep(0.0, 1.0, 1.0 - d / p);
            // The product is of sRGB's levels.
            let color = textureSampleLevel(source, linear, uv, 0.0);
            let x = color.rgb / max(color.a, 1e-6);
            let y = select(1.055 * pow(x, vec3f(1.0 / 2.4)) - 0.055, 12.92 * x, x <= vec3f(0.0031308));
            let a = color.a * g;
            return vec4f(select(pow((y + 0.055) / 1.055, vec3f(2.4)), y / 12.92, y <= vec3f(0.04045)) * a, a);
        }
        fn ripple(uv: vec2f) -> vec4f {
            let way = uv * SIZE - TOUCH;
            let d = length(way);
            let t = max(0.0, 0.4 - d / 800.0);
            let r = 2.0 * sin(4.0 * t) * exp(-10.0 * t);
            let color = textureSampleLevel(source, linear, uv + r * way / max(d, 1e-6) / SIZE, 0.0);
            // The sum is of sRGB's levels.
            let x = color.rgb / max(color.a, 1e-6);
            let levels = select(1.055 * pow(x, vec3f(1.0 / 2.4)) - 0.055, 12.92 * x, x <= vec3f(0.0031308));
            let y = max(levels + r / 2.0, vec3f(0.0));
            return vec4f(select(pow((y + 0.055) / 1.055, vec3f(2.4)), y / 12.92, y <= vec3f(0.04045)) * color.a, color.a);
        }

        """
}
