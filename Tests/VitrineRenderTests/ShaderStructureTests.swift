import Testing
import VitrineMath

@testable import VitrineRender

/// Structures that Swift fills have the layout that WGSL gives the same fields.
struct ShaderStructureTests {
    @Test func layoutsAgree() {
        #expect(FrameUniforms.layoutProblems.isEmpty)
        #expect(InstanceUniforms.layoutProblems.isEmpty)
        #expect(LightUniforms.layoutProblems.isEmpty)
        #expect(MaterialUniforms.layoutProblems.isEmpty)
        #expect(ShadowMapUniforms.layoutProblems.isEmpty)
        #expect(ShadowUniforms.layoutProblems.isEmpty)
        #expect(EnvironmentShadowMapUniforms.layoutProblems.isEmpty)
        #expect(EnvironmentShadowUniforms.layoutProblems.isEmpty)
        #expect(EnvironmentUniforms.layoutProblems.isEmpty)
        #expect(DeformUniforms.layoutProblems.isEmpty)
        #expect(ResolveUniforms.layoutProblems.isEmpty)
        #expect(LensUniforms.layoutProblems.isEmpty)
        #expect(OcclusionUniforms.layoutProblems.isEmpty)
    }

    @Test func sizesAreThoseOfTheFields() {
        #expect(FrameUniforms.byteCount == 320)
        #expect(InstanceUniforms.byteCount == 64)
        #expect(LightUniforms.byteCount == 96)
        #expect(MaterialUniforms.byteCount == 144)
        var key = SurfaceProgramKey(lobes: [.physical, .coat, .volume])
        key.samplers = [0, 0, 0]
        #expect(MaterialUniforms.byteCount(key) == 144 + 5 * 16 + 6 * 16)
        #expect(ShadowMapUniforms.byteCount == 128)
    }

    @Test func declarationFollowsTheFields() {
        let expected = """
            struct Fog {
                color: vec4f,
                density: f32,
                mode: u32,
                size: vec2f,
                steps: array<vec4f>,
            }

            """
        #expect(Fog.wgsl == expected)
        #expect(Fog.layoutProblems.isEmpty)
    }

    /// A field that is forgotten, or out of order, is found.
    @Test func problemsAreReported() {
        #expect(Misordered.layoutProblems.first == "Misordered.second is at 16 in Swift, 0 in WGSL")
        #expect(Incomplete.layoutProblems == ["Incomplete has 32 bytes in Swift, 16 in WGSL"])
    }

    private struct Fog: ShaderStructure {
        var color = Vector4(repeating: 0)
        var density: Float = 0
        var mode: UInt32 = 0
        var size = Vector2(0, 0)

        static let name = "Fog"
        static let fields: [ShaderField<Fog>] = [
            .init("color") { $0.color }, .init("density") { $0.density }, .init("mode") { $0.mode }, .init("size") { $0.size },
        ]
        static let trailingMembers: String? = "steps: array<vec4f>"
    }

    private struct Misordered: ShaderStructure {
        var first = Vector4(repeating: 0)
        var second = Vector4(repeating: 0)

        static let name = "Misordered"
        static let fields: [ShaderField<Misordered>] = [.init("second") { $0.second }, .init("first") { $0.first }]
    }

    private struct Incomplete: ShaderStructure {
        var first = Vector4(repeating: 0)
        var second = Vector4(repeating: 0)

        static let name = "Incomplete"
        static let fields: [ShaderField<Incomplete>] = [.init("first") { $0.first }]
    }
}
