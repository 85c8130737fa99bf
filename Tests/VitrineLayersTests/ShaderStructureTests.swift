import Testing
import VitrineMath
import VitrineRender

@testable import VitrineLayers

/// Structures that Swift fills have the layout that WGSL gives the same fields.
@Suite struct LayerShaderStructureTests {
    @Test func layoutsAgree() {
        #expect(LayerTarget.layoutProblems.isEmpty)
        #expect(LayerInstance.layoutProblems.isEmpty)
        #expect(LayerClip.layoutProblems.isEmpty)
        #expect(GradientStop.layoutProblems.isEmpty)
        #expect(BlurKernel.layoutProblems.isEmpty)
        #expect(FinishingUniforms.layoutProblems.isEmpty)
        #expect(Particle.layoutProblems.isEmpty)
        #expect(ParticleFrame.layoutProblems.isEmpty)
    }

    @Test func sizesAreThoseOfTheFields() {
        #expect(LayerInstance.byteCount == 272)
        #expect(LayerClip.byteCount == 64)
        #expect(BlurKernel.byteCount == 80)
        #expect(Particle.byteCount == 48)
        #expect(ParticleFrame.byteCount == 528)
    }

    @Test func shortListsRepeatTheirLastVector() {
        let vectors = (0..<5).map { Vector4(repeating: Float($0)) }
        let eight = ShaderVectors8(vectors)
        #expect(eight.low.d == vectors[3] && eight.high.a == vectors[4] && eight.high.d == vectors[4])
        let one = ShaderVectors8(vectors[2...2])
        #expect(one.low.a == vectors[2] && one.low.d == vectors[2] && one.high.a == vectors[2] && one.high.d == vectors[2])
    }
}
