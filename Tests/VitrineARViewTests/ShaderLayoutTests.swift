import Testing
import VitrineRender

@testable import VitrineARView

/// Structures that Swift fills have the layout that WGSL gives the same fields.
@Suite struct ShaderLayoutTests {
    @Test func layoutsAgree() {
        #expect(CameraUniforms.layoutProblems.isEmpty)
        #expect(DepthRegionUniforms.layoutProblems.isEmpty)
        #expect(SharedUniforms.layoutProblems.isEmpty)
        #expect(ReceiverUniforms.layoutProblems.isEmpty)
    }

    @Test func sizesAreThoseOfTheFields() {
        #expect(CameraUniforms.byteCount == 160)
        #expect(DepthRegionUniforms.byteCount == 24)
        #expect(SharedUniforms.byteCount == 224)
        #expect(ReceiverUniforms.byteCount == 96)
    }
}
