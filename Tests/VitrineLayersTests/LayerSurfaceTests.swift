import Testing
import VitrineGPU
import VitrineGeometry

@testable import VitrineLayers

@Suite struct LayerSurfaceTests {
    @Test func surfaceSizesAreRoundedUpToTexels() throws {
        let device = try GPUDevice.make(.automatic)
        let surface = try LayerSurface(device, bounds: Rectangle(x: 3, y: 4, width: 10.2, height: 5), scale: 2)
        #expect(surface.texture.size == GPUExtent(21, 10))
        #expect(surface.bounds == Rectangle(x: 3, y: 4, width: 10.5, height: 5))
        #expect(throws: GPUError.self) { try LayerSurface(device, bounds: Rectangle(x: 0, y: 0, width: .nan, height: 5), scale: 2) }
    }
}
