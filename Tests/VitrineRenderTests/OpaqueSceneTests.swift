import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// The opaque scene as transmissive materials sample it.
@Suite struct OpaqueSceneTests {
    /// A glowing square, half as large as the image, behind a transmissive pane.
    private func paneInFront() throws -> VitrineScene.Scene {
        let glowing = Material(baseColor: .black)
        glowing.emission.factor = Vector4(2, 0.5, 0.25, 1)
        glowing.lightingModel = .physicallyBased
        let scene = scene(try square(), glowing)
        scene.rootNode.childNodes[0].scale = Vector3(repeating: 0.5)
        let glass = Material(roughness: 0)
        glass.transmission.factor = 1
        let pane = Node(name: "pane", mesh: Mesh(geometry: try square(), material: glass))
        pane.position.z = 1
        scene.rootNode.addChildNode(pane)
        return scene
    }

    @Test(arguments: [1, 4], [OffscreenTarget.Content.display, .radiance])
    func containsThePartsBehindTransmissiveOnes(samples: Int, content: OffscreenTarget.Content) throws {
        let renderer = try Renderer(device: .make())
        let target = try OffscreenTarget(renderer.device, width: 64, height: 64, content: content)
        try renderer.render(
            try paneInFront(), from: straightOn, to: target.view, options: RenderOptions(sampleCount: samples, exposure: 1))
        let chain = try #require(renderer.transientTextures.texture(labeled: "opaque scene"))
        #expect(chain.levels.count == 7)
        // Times the exposure; the pane itself is not in it.
        let middle = try texel(chain, level: 0, x: 32, y: 32)
        #expect(length(middle - Vector4(4, 1, 0.5, 1)) < 0.01)
        #expect(try texel(chain, level: 0, x: 4, y: 4) == Vector4(repeating: 0))
        // A quarter of the image is bright; coarse levels have its mean, except at the edge of the image, where the filter clamps.
        let mean = try texel(chain, level: 6, x: 0, y: 0)
        #expect(abs(mean.w - 0.25) < 0.1)
        #expect(abs(mean.x / mean.w - 4) < 0.05)
    }

    @Test func isCreatedOnlyForTransmissiveParts() throws {
        let renderer = try Renderer(device: .make())
        let target = try OffscreenTarget(renderer.device, width: 32, height: 32)
        let scene = try paneInFront()
        let pane = try #require(scene.rootNode.childNode(withName: "pane", recursively: true))
        pane.mesh?.parts[0].material.transmission.factor = 0
        try renderer.render(scene, from: straightOn, to: target.view)
        #expect(renderer.transientTextures.texture(labeled: "opaque scene") == nil)
        #expect(renderer.transientTextures.texture(labeled: "color")?.shape.format == .rgba8Unorm)
    }

    private func texel(_ chain: FrameTexture, level: Int, x: Int, y: Int) throws -> Vector4 {
        let bytes = try chain.texture.read(mipLevel: level)
        let width = chain.texture.size(ofMipLevel: level).width
        func channel(_ index: Int) -> Float {
            let at = (y * width + x) * 8 + index * 2
            return floatFromHalf(UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8)
        }
        return Vector4(channel(0), channel(1), channel(2), channel(3))
    }
}
