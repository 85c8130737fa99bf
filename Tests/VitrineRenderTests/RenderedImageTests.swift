import Testing
import VitrineFiles
import VitrineGPU
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineRender

/// Small images, compared by pixel.
@Suite struct RenderedImageTests {
    private func pixel(_ image: Image, _ x: Int, _ y: Int) -> SIMD4<Int> {
        let base = (y * image.width + x) * 4
        return SIMD4(Int(image.bytes[base]), Int(image.bytes[base + 1]), Int(image.bytes[base + 2]), Int(image.bytes[base + 3]))
    }

    private func unlit(_ color: Color) -> Material {
        let material = Material(baseColor: color)
        material.lightingModel = .constant
        return material
    }

    private let plain = RenderOptions(toneMapping: .none)

    @Test func constantColoursStayUnchanged() throws {
        let scene = scene(try square(), unlit(Color(sRGB: 0x3C80F0)))
        let image = try Studio().image(of: scene, from: straightOn, options: plain)
        let expected = SIMD4(0x3C, 0x80, 0xF0, 255)
        let difference = pixel(image, 64, 48) &- expected
        #expect((0..<4).allSatisfy { abs(difference[$0]) <= 1 })
    }

    @Test func twoRendersAreEqual() throws {
        func render() throws -> [UInt8] {
            let scene = scene(try sphere(), Material(metalness: 0.5, roughness: 0.3))
            scene.environment = .studio()
            return try Studio().image(of: scene, from: .framing(scene.bounds, aspectRatio: 4 / 3)).bytes
        }
        #expect(try render() == render())
    }

    @Test func backgroundColourIsExact() throws {
        let scene = scene(try square(), unlit(.white))
        scene["object"]?.position.x = 100
        scene.environment.background = .color(Color(sRGB: 0x204060))
        let image = try Studio().image(of: scene, from: straightOn, width: 8, height: 8)
        #expect(pixel(image, 4, 4) == SIMD4(0x20, 0x40, 0x60, 255))
    }

    /// At an edge over a transparent background the colour stays, only alpha falls.
    @Test func edgesKeepTheirColour() throws {
        let scene = scene(try sphere(), unlit(Color(sRGB: 0xFF8000)))
        let image = try Studio().image(of: scene, from: straightOn, width: 64, height: 64, options: plain)
        var partial = 0
        for y in 0..<64 {
            for x in 0..<64 where pixel(image, x, y).w > 0 && pixel(image, x, y).w < 255 {
                partial += 1
                #expect(abs(pixel(image, x, y).x - 255) <= 2 && abs(pixel(image, x, y).y - 128) <= 3)
            }
        }
        #expect(partial > 50)
        #expect(pixel(image, 0, 0).w == 0)
    }

    @Test func blendedSurfacesGoOverWhatIsBehind() throws {
        let scene = scene(try square(), unlit(.black))
        for (depth, color) in [
            (Float(0.5), Color(linearRed: 1, green: 0, blue: 0, alpha: 0.5)), (1, Color(linearRed: 0, green: 1, blue: 0, alpha: 0.5)),
        ] {
            let glass = unlit(color)
            glass.alphaMode = .blend
            let node = Node(mesh: Mesh(geometry: try square(), material: glass))
            node.position.z = depth
            // The nearer one comes first in the tree: order must come from depth.
            scene.rootNode.insertChildNode(node, at: 0)
        }
        let pixels = try Studio().radiance(of: scene, from: straightOn)
        #expect(abs(pixels[528].x - 0.25) < 0.002 && abs(pixels[528].y - 0.5) < 0.002)
        // The same after tone mapping and resolve.
        let image = try Studio().image(of: scene, from: straightOn, options: plain)
        #expect(abs(pixel(image, 64, 48).x - 137) <= 1 && abs(pixel(image, 64, 48).y - 188) <= 1)
    }

    @Test func nodeOpacityFades() throws {
        let scene = scene(try square(), unlit(.white))
        scene["object"]?.opacity = 0.25
        let pixels = try Studio().radiance(of: scene, from: straightOn)
        #expect(abs(pixels[528].w - 0.25) < 0.002)
    }

    @Test(arguments: [1, 4]) func masksCut(samples: Int) throws {
        let texels: [UInt8] = [255, 255, 255, 255, 255, 255, 255, 0]
        let texture = Texture(
            try Image(width: 2, height: 1, format: .rgba8, bytes: texels), sampler: Sampler(magnification: .nearest, mip: nil))
        let material = unlit(.white)
        material.baseColor.map = TextureMap(texture)
        material.alphaMode = .mask(cutoff: 0.5)
        let image = try Studio().image(
            of: scene(try square(), material), from: straightOn, width: 32, height: 32,
            options: RenderOptions(sampleCount: samples, toneMapping: .none))
        #expect(pixel(image, 8, 16).w == 255)
        #expect(pixel(image, 24, 16).w == 0)
    }

    /// KHR_texture_transform: an offset of half the texture swaps its halves.
    @Test func textureTransformsMove() throws {
        let texels: [UInt8] = [255, 0, 0, 255, 0, 0, 255, 255]
        let texture = Texture(
            try Image(width: 2, height: 1, format: .rgba8, bytes: texels), sampler: Sampler(magnification: .nearest, mip: nil))
        let material = unlit(.white)
        material.baseColor.map = TextureMap(texture)
        let scene = scene(try square(), material)
        let studio = try Studio()
        let before = try studio.image(of: scene, from: straightOn, width: 32, height: 32, options: plain)
        #expect(pixel(before, 8, 16) == SIMD4(255, 0, 0, 255) && pixel(before, 24, 16) == SIMD4(0, 0, 255, 255))
        material.baseColor.map?.transform.offset = Vector2(0.5, 0)
        let after = try studio.image(of: scene, from: straightOn, width: 32, height: 32, options: plain)
        #expect(pixel(after, 8, 16) == SIMD4(0, 0, 255, 255) && pixel(after, 24, 16) == SIMD4(255, 0, 0, 255))
    }

    @Test func backFacesAreDrawnOnlyWhenDoubleSided() throws {
        let material = unlit(.white)
        let scene = scene(try square(), material)
        scene["object"]?.eulerAngles.y = .pi
        let studio = try Studio()
        #expect(try studio.radiance(of: scene, from: straightOn)[528].w == 0)
        material.isDoubleSided = true
        #expect(try studio.radiance(of: scene, from: straightOn)[528].w == 1)
    }

    /// Mirrored nodes turn their triangles round: they still show their front.
    @Test func mirroredNodesShowTheirFront() throws {
        let scene = scene(try square(), unlit(.white))
        scene["object"]?.scale = Vector3(-1, 1, 1)
        #expect(try Studio().radiance(of: scene, from: straightOn)[528].w == 1)
    }

    @Test func partsOutsideAreNotDrawn() throws {
        let scene = Scene()
        let mesh = Mesh(geometry: try square(), material: unlit(.white))
        for index in 0..<100 {
            let node = Node(mesh: mesh)
            node.position = Vector3(Float(index) * 3, 0, 0)
            scene.rootNode.addChildNode(node)
        }
        let studio = try Studio()
        let target = try OffscreenTarget(studio.renderer.device, width: 16, height: 16)
        let statistics = try studio.renderer.render(scene, from: straightOn, to: target.view)
        #expect(statistics.drawCalls == 1 && statistics.instances == 1 && statistics.culled == 99)
        #expect(statistics.triangles == 2)
    }

    @Test func encodedTexturesAreRefusedByName() throws {
        let material = unlit(.white)
        material.baseColor.map = TextureMap(Texture(name: "wood", content: .encoded([1, 2, 3])))
        let error = #expect(throws: RenderError.self) { try Studio().radiance(of: scene(try square(), material), from: straightOn) }
        #expect(error?.description.contains("wood") == true)
    }
}
