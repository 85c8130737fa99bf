import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Custom WGSL on a surface.
@Suite struct SurfaceFunctionTests {
    private func middle(_ pixels: [Vector4]) -> Vector4 { pixels[16 * 32 + 16] }

    private func unlit() -> Material {
        let material = Material(baseColor: .black)
        material.lightingModel = .constant
        return material
    }

    @Test func changesSurfaceProperties() throws {
        let material = unlit()
        material.surfaceFunction = try SurfaceFunction(
            source: """
                fn surface(in: SurfaceInput, s: ptr<function, Surface>) {
                    (*s).baseColor = vec3f(in.uv, uniforms.blue) + vec3f(0.0, 0.0, in.time);
                }
                """, uniforms: ["blue": .float(0.25)])
        let studio = try Studio()
        let scene = scene(try square(), material)
        // The middle of the square, half a pixel to the right and down.
        let expected = Vector4(0.5156, 0.5156, 0.25, 1)
        #expect(length(middle(try studio.radiance(of: scene, from: straightOn)) - expected) < 1e-3)
        // Values and time change without a new program.
        let programs = studio.renderer.resources.materials.programs.count
        try material.surfaceFunction?.set("blue", to: .float(0.5))
        var options = RenderOptions(sampleCount: 1)
        options.time = 2
        #expect(abs(middle(try studio.radiance(of: scene, from: straightOn, options: options)).z - 2.5) < 2e-3)
        #expect(studio.renderer.resources.materials.programs.count == programs)
    }

    @Test func assignedLobeIsCompiled() throws {
        let material = Material(baseColor: .black, roughness: 1)
        let studio = try Studio()
        let scene = scene(try square(), material)
        scene.environment = try uniformEnvironment(1)
        let before = middle(try studio.radiance(of: scene, from: straightOn)).x
        material.surfaceFunction = try SurfaceFunction(
            source: "fn surface(in: SurfaceInput, s: ptr<function, Surface>) { (*s).coat = 1.0; (*s).coatRoughness = 0.0; }")
        #expect(middle(try studio.radiance(of: scene, from: straightOn)).x > before + 0.02)
    }

    @Test func readsTextures() throws {
        let texels: [UInt8] = [255, 0, 0, 255, 0, 0, 255, 255]
        let texture = Texture(
            try Image(width: 2, height: 1, format: .rgba8, bytes: texels), sampler: Sampler(magnification: .nearest, mip: nil))
        let material = unlit()
        material.surfaceFunction = try SurfaceFunction(
            source: """
                fn paint(in: SurfaceInput, s: ptr<function, Surface>) { (*s).baseColor = rust(vec2f(1.0 - in.uv.x, in.uv.y)).rgb; }
                """, name: "paint", textures: ["rust": TextureMap(texture)])
        let pixels = try Studio().radiance(of: scene(try square(), material), from: straightOn)
        #expect(pixels[16 * 32 + 8].z == 1 && pixels[16 * 32 + 24].x == 1)
    }

    /// The left half is white, the right half takes the texture.
    @Test func samplesInsideABranch() throws {
        let texture = Texture(try Image(width: 1, height: 1, format: .rgba8, bytes: [0, 0, 255, 255]))
        let material = unlit()
        material.surfaceFunction = try SurfaceFunction(
            source: """
                fn surface(in: SurfaceInput, s: ptr<function, Surface>) {
                    (*s).baseColor = vec3f(1.0);
                    if (in.uv.x > 0.5) { (*s).baseColor = rust(in.uv).rgb; }
                }
                """, textures: ["rust": TextureMap(texture)])
        #expect(SurfaceSource(try MaterialPlan(material).key).code.hasPrefix("diagnostic(off, derivative_uniformity);\n"))
        let pixels = try Studio().radiance(of: scene(try square(), material), from: straightOn)
        #expect(pixels[16 * 32 + 8] == Vector4(1, 1, 1, 1) && pixels[16 * 32 + 24] == Vector4(0, 0, 1, 1))
    }

    // MARK: Errors

    /// Browsers report errors after the call.
    @Test func lateCompilerErrorRefusesTheFunction() throws {
        let material = unlit()
        material.surfaceFunction = try SurfaceFunction(
            source: "fn surface(in: SurfaceInput, s: ptr<function, Surface>) {\n}", file: "late.wgsl", line: 0)
        let studio = try Studio()
        let scene = scene(try square(), material)
        _ = try studio.radiance(of: scene, from: straightOn)
        let materials = studio.renderer.resources.materials
        let program = try materials.programs.program(MaterialPlan(material).key, function: material.surfaceFunction)
        let location = try #require(program.location)
        let firstLine = try #require(SurfaceSource(program.key).functionLine)
        let message = GPUShaderMessage(line: firstLine + 1, column: 3, text: "unknown name")
        let reason = materials.refuse(.shader(label: location.label, messages: [message]))
        #expect(reason?.description == "late.wgsl:2:3: unknown name")
        let error = #expect(throws: RenderError.self) { try studio.radiance(of: scene, from: straightOn) }
        #expect(error?.description == "late.wgsl:2:3: unknown name")
        #expect(materials.refuse(.shader(label: "other", messages: [message])) == nil)
    }

    private func refusal(_ function: SurfaceFunction) throws -> SurfaceFunctionError? {
        let material = unlit()
        material.surfaceFunction = function
        let error = #expect(throws: RenderError.self) { try Studio().radiance(of: scene(try square(), material), from: straightOn) }
        guard case .surfaceFunction(let reason)? = error else { return nil }
        return reason
    }

    @Test func compilerMessagesNameTheUsersLine() throws {
        let source = """
            // A comment on line 1.
            fn helper(x: f32) -> f32 { return x; }
            fn surface(in: SurfaceInput, s: ptr<function, Surface>) {
                (*s).roughness = helpr(0.5);
            }
            """
        let error = try refusal(try SurfaceFunction(source: source, file: "rust.wgsl", line: 0))
        #expect(error?.file == "rust.wgsl" && error?.line == 4 && error?.column == 22)
        #expect(error?.description.hasPrefix("rust.wgsl:4:22: ") == true && error?.description.contains("helpr") == true)
        // Inside a Swift file the literal's own line counts.
        let line = #line
        let inside = try SurfaceFunction(
            source: """
                fn surface(in: SurfaceInput, s: ptr<function, Surface>) {
                    (*s).colour = vec3f(1.0);
                }
                """, line: line + 2)
        #expect(try refusal(inside)?.line == line + 4)
        #expect(inside.file.hasSuffix("SurfaceFunctionTests.swift"))
    }

    @Test func tooDeepExpressionThrows() throws {
        let sum = String(repeating: "+1.0", count: 20_000)
        let source = "fn surface(in: SurfaceInput, s: ptr<function, Surface>) {\n    (*s).roughness = 1.0\(sum);\n}"
        let error = try refusal(try SurfaceFunction(source: source, file: "rust.wgsl", line: 0))
        #expect(error?.line == 2 && error?.description.contains("1000 operators per expression") == true, "\(error?.description ?? "")")
    }

    @Test func wrongSignatureThrowsAtTheFunction() throws {
        let error = try refusal(try SurfaceFunction(source: "fn surface(x: f32) -> f32 { return x; }", file: "a.wgsl", line: 0))
        #expect(error?.file == "a.wgsl" && error?.line == 1)
        #expect(error?.description.contains("'surface' does not fit") == true)
    }

    @Test func unknownNamesThrow() throws {
        let error = #expect(throws: SurfaceFunctionError.self) {
            try SurfaceFunction(source: "fn surfac(in: SurfaceInput) {} /* fn surface( */ // fn surface(", file: "a.wgsl", line: 0)
        }
        #expect(error?.reason == .noFunction(name: "surface", found: ["surfac"]))
        #expect(throws: SurfaceFunctionError.self) {
            try SurfaceFunction(source: "fn surface() {}", uniforms: ["2x": .float(1)])
        }
        var function = try SurfaceFunction(source: "fn surface() {}", uniforms: ["speed": .float(1)])
        #expect(throws: SurfaceFunctionError.self) { try function.set("sped", to: .float(2)) }
        #expect(throws: SurfaceFunctionError.self) { try function.set("speed", to: .float2(Vector2(1, 1))) }
        #expect(function["speed"] == .float(1))
    }
}
