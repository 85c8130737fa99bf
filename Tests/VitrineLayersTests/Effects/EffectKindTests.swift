import Testing
import VitrineMath
import VitrineScene

@testable import VitrineLayers

/// The result of each kind of effect on a surface, texel by texel.
@Suite struct EffectKindTests {
    /// Red rises with x, green with y.
    static let ramp = EffectBench.image(width: 16, height: 8) { x, y in Vector4(x / 16, y / 8, 0.25, 1) }

    static let library = try! ShaderLibrary(
        source: """
            // fn hidden(position: vec2f) -> vec2f /* fn nested /* twice */ () */
            alias float2 = vec2<f32>;
            const gain = 2.0;
            fn twice(position: vec2f, color: vec4f) -> vec4f { return vec4f(color.rgb * gain, color.a); }
            fn relative(position: float2, color: vec4f, size: float2) -> vec4f { return vec4f(position / size, 0.0, 1.0); }
            fn shift(position: vec2<f32>, by: vec2f) -> vec2f { return position + by; }
            fn box(position: vec2f, layer: Layer, reach: f32) -> vec4f {
                return 0.5 * (sampleLayer(layer, position - vec2f(reach, 0.0)) + sampleLayer(layer, position + vec2f(reach, 0.0)));
            }
            fn rectangle(position: vec2f, layer: Layer, r: vec4f) -> vec4f { let b = select(r, layer.bounds, position.x < 4.0); return vec4f(b.x + 16.0 * b.y, b.zw, 1.0); }
            fn nothing(position: vec2f) -> vec2f { return vec2f(0.0) / vec2f(position.x - position.x, 1.0); }
            fn worse(position: vec2f, color: vec4f, zero: f32) -> vec4f { return color / zero; }
            """, workingSpace: .linear)

    @Test func colorEffectSeesEachTexel() throws {
        let drawn = try EffectBench().draw([.color(Self.library.twice())], over: Self.ramp).texels
        for (x, y) in [(0, 0), (7, 3), (15, 7)] {
            #expect(distance(drawn[x, y], Vector4((Float(x) + 0.5) / 8, (Float(y) + 0.5) / 4, 0.5, 1)) < 1e-3)
        }
    }

    @Test func positionsAreInPoints() throws {
        // Two texels per point: 8 × 4 points.
        let drawn = try EffectBench().draw([.color(Self.library.relative(.float2(8, 4)))], over: Self.ramp, scale: 2).texels
        #expect(distance(drawn[0, 0], Vector4(0.25 / 8, 0.25 / 4, 0, 1)) < 1e-3)
        #expect(distance(drawn[15, 7], Vector4(7.75 / 8, 3.75 / 4, 0, 1)) < 1e-3)
    }

    @Test func distortionsReturnTheSourcePosition() throws {
        // Sampling three points to the right moves the content to the left; the texels that enter are transparent.
        let drawn = try EffectBench().draw([.distortion(Self.library.shift(.float2(3, 0)))], over: Self.ramp).texels
        #expect(abs(drawn[0, 0].x - 3.5 / 16) < 1e-3)
        #expect(drawn[13, 4] == .zero)
        // Half a texel is half of both.
        let half = try EffectBench().draw([.distortion(Self.library.shift(.float2(0.5, 0)))], over: Self.ramp).texels
        #expect(abs(half[4, 4].x - 5.0 / 16) < 1e-3)
        #expect(abs(half[15, 4].w - 0.5) < 1e-3)
    }

    @Test func offsetsGrowTheSurface() throws {
        let effect = ShaderEffect.distortion(Self.library.shift(.float2(-3, 0)), maxSampleOffset: Vector2(2.2, 0))
        let (drawn, surface) = try EffectBench().draw([effect], over: Self.ramp)
        #expect(surface.bounds == Rectangle(x: -3, y: 0, width: 22, height: 8))
        // Texel 0 stands at -2.5, and shows the content three to the left of it: nothing. The content begins at 3.
        #expect(drawn[5, 2] == .zero)
        #expect(abs(drawn[6, 2].x - 0.5 / 16) < 1e-3)
        #expect(abs(drawn[21, 2].x - 15.5 / 16) < 1e-3)
    }

    @Test func layerEffectSamples() throws {
        let drawn = try EffectBench().draw([.layer(Self.library.box(.float(2.0)))], over: Self.ramp).texels
        #expect(abs(drawn[7, 3].x - 7.5 / 16) < 1e-3)
        #expect(abs(drawn[0, 3].x - 2.5 / 32) < 1e-3 && abs(drawn[0, 3].w - 0.5) < 1e-3)
    }

    @Test func boundsAreTheLayers() throws {
        let bounds = Rectangle(x: 1, y: 2, width: 3, height: 4)
        let drawn = try EffectBench().draw(
            [
                .distortion(Self.library.shift(.float2(0, 0)), maxSampleOffset: Vector2(1, 1)),
                .layer(Self.library.rectangle(.boundingRect)),
            ], over: Self.ramp, bounds: bounds
        ).texels
        #expect(drawn[10, 2] == Vector4(33, 3, 4, 1))
        #expect(drawn[2, 2] == Vector4(-17, 18, 10, 1))
    }

    @Test func effectsAreAppliedInOrder() throws {
        // Twice, moved, twice: two passes, for the last goes with the second.
        let effects: [ShaderEffect] = [
            .color(Self.library.twice()), .distortion(Self.library.shift(.float2(1, 0))), .color(Self.library.twice()),
            .color(Self.library.twice(), isEnabled: false),
        ]
        #expect(try EffectPlan(effects, imageLimit: 15).passes.count == 2)
        let drawn = try EffectBench().draw(effects, over: Self.ramp).texels
        #expect(abs(drawn[2, 1].x - 4 * 3.5 / 16) < 2e-3)
    }

    @Test func fusedEffectsMatchSeparateOnes() throws {
        let effects = [
            ShaderEffect.color(ShaderLibrary.hueRotation(.float(1))), .color(ShaderLibrary.grain(.float(0.2), .float(1), .float(3))),
        ]
        let bench = try EffectBench()
        let fused = try bench.draw(effects, over: Self.ramp)
        let first = try bench.draw([effects[0]], over: Self.ramp).surface
        let encoder = try bench.device.makeCommandEncoder("second")
        let second = try bench.renderer.apply([effects[1]], to: first, with: encoder)
        bench.device.queue.submit(try encoder.finish())
        let apart = try Texels(second)
        for index in apart.values.indices { #expect(distance(fused.texels.values[index], apart.values[index]) < 2e-3) }
    }

    @Test func disabledEffectsRecordNoPass() throws {
        let bench = try EffectBench()
        let surface = try bench.transfer.surface(of: Self.ramp)
        let encoder = try bench.device.makeCommandEncoder("none")
        let result = try bench.renderer.apply([.color(Self.library.twice(), isEnabled: false)], to: surface, with: encoder)
        #expect(result.texture === surface.texture)
    }

    @Test func surfacesAreReused() throws {
        let bench = try EffectBench()
        let surface = try bench.transfer.surface(of: Self.ramp)
        var last: LayerSurface?
        for _ in 0..<3 {
            let encoder = try bench.device.makeCommandEncoder("again")
            let result = try bench.renderer.apply([.color(Self.library.twice())], to: surface, reusing: last, with: encoder)
            bench.device.queue.submit(try encoder.finish())
            if let last { #expect(result.texture === last.texture) }
            last = result
        }
    }

    @Test func resultsThatAreNotFiniteAreTransparent() throws {
        let bench = try EffectBench()
        let nowhere = try bench.draw([.distortion(Self.library.nothing())], over: Self.ramp).texels
        #expect(nowhere.values.allSatisfy { $0 == .zero })
        let divided = try bench.draw([.color(Self.library.worse(.float(0)))], over: Self.ramp).texels
        #expect(divided.values.allSatisfy { $0.isFinite })
    }

    @Test func aSurfaceOfOneTexelWorks() throws {
        let bench = try EffectBench()
        let empty = try LayerSurface(bench.device, bounds: .zero, scale: 1)
        let encoder = try bench.device.makeCommandEncoder("empty")
        let effects: [ShaderEffect] = [.glow(at: .zero, progress: 1), .ripple(at: .zero, time: 0.1)]
        let result = try bench.renderer.apply(effects, to: empty, bounds: .zero, with: encoder)
        bench.device.queue.submit(try encoder.finish())
        #expect(try Texels(result).values.allSatisfy { $0 == .zero })
    }
}
