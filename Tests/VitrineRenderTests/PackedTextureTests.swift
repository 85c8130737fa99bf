import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Channels of two textures in one.
@Suite struct PackedTextureTests {
    private static let size = 64

    fileprivate static func texture(_ name: String, size: Int = PackedTextureTests.size, _ texel: (Int, Int) -> [UInt8]) throws -> Texture {
        var bytes: [UInt8] = []
        for y in 0..<size { for x in 0..<size { bytes += texel(x, y) } }
        return Texture(name: name, content: .image(try Image(width: size, height: size, format: .rgba8, bytes: bytes)))
    }

    private struct Maps {
        let color, normal, numbers: Texture

        init() throws {
            color = try PackedTextureTests.texture("color") { x, y in [UInt8(3 * x), UInt8(3 * y), 120, 255] }
            normal = try PackedTextureTests.texture("normal") { x, y in
                let n = normalize(Vector3(sin(Float(x) * 0.4) * 0.4, cos(Float(y) * 0.3) * 0.4, 1))
                return [UInt8(n.x * 127.5 + 127.5), UInt8(n.y * 127.5 + 127.5), UInt8(n.z * 127.5 + 127.5), 255]
            }
            numbers = try PackedTextureTests.texture("numbers") { x, y in
                [UInt8(80 + 2 * x), UInt8(60 + 3 * y), UInt8(4 * ((x + y) % 64)), 255]
            }
        }

        func material(numbers transform: TextureTransform = .identity) -> Material {
            let material = Material()
            material.baseColor.map = TextureMap(color)
            material.normal.map = TextureMap(normal)
            let map = TextureMap(numbers, transform: transform)
            material.occlusion = ScalarSlot(1, map: map, channel: .red)
            material.roughness = ScalarSlot(0.9, map: map, channel: .green)
            material.metalness = ScalarSlot(1, map: map, channel: .blue)
            return material
        }
    }

    @Test func numbersOfOneTextureGoIntoTheFreeChannelsOfTwo() throws {
        let maps = try Maps()
        let plan = try MaterialPlan(maps.material())
        #expect(plan.samples.map { $0.use } == [.color, .packedNormal])
        #expect(plan.samples[0].packed?.channels == [PackedChannel(from: 0, to: 3)])
        #expect(plan.samples[1].packed?.channels == [PackedChannel(from: 1, to: 2), PackedChannel(from: 2, to: 3)])
        #expect(plan.samples.allSatisfy { $0.packed?.texture === maps.numbers })
        #expect(plan.block.uniforms.occlusion == Vector4(0, 0, 0, 1))
        #expect(plan.block.uniforms.roughness == Vector4(0, 0, 0.9, 0))
        #expect(plan.block.uniforms.metalness == Vector4(0, 0, 0, 1))
    }

    /// Where a channel is in use, or something else reads a texture, each texture is sampled by itself.
    @Test func texturesInOtherUseStayApart() throws {
        let maps = try Maps()
        let blended = maps.material()
        blended.alphaMode = .blend
        #expect(try MaterialPlan(blended).samples.count == 3)
        let coated = maps.material()
        coated.clearcoat.factor = 1
        coated.clearcoat.normal.map = TextureMap(maps.normal)
        #expect(try MaterialPlan(coated).samples.count == 3)
        let rotated = maps.material(numbers: TextureTransform(rotation: .degrees(90)))
        #expect(try MaterialPlan(rotated).samples.count == 3)
        let small = maps.material()
        small.normal.map = TextureMap(try Self.texture("small", size: 32) { _, _ in [128, 128, 255, 255] })
        #expect(try MaterialPlan(small).samples.count == 3)
        // Occlusion of its own is stored beside the colour, although the normals' texture has another size.
        small.occlusion.map = TextureMap(try Self.texture("occlusion") { x, _ in [UInt8(2 * x), 0, 0, 255] })
        #expect(try MaterialPlan(small).samples.count == 3)
    }

    /// An offset by a whole texture keeps the texels but not the transform, so that nothing is packed.
    @Test func packedTexturesGiveTheSameImage() throws {
        let maps = try Maps()
        let studio = try Studio()
        let apart = maps.material(numbers: TextureTransform(offset: Vector2(1, 0)))
        #expect(try MaterialPlan(apart).samples.count == 3)
        for (geometry, view) in [(try sphere(), straightOn), (try square(), straightOn)] {
            let images = try [maps.material(), apart].map { material in
                let scene = scene(geometry, material)
                scene.environment = .studio()
                return try studio.image(of: scene, from: view)
            }
            var (largest, sum) = (0, 0)
            for (a, b) in zip(images[0].bytes, images[1].bytes) {
                largest = max(largest, abs(Int(a) - Int(b)))
                sum += abs(Int(a) - Int(b))
            }
            #expect(largest <= 8)
            #expect(Double(sum) / Double(images[0].bytes.count) < 0.25)
        }
    }

    /// Packed textures are freed with their material, and changes of the second texture are uploaded.
    @Test func packedTexturesAreFreedAndUpdated() throws {
        let studio = try Studio()
        let textures = studio.renderer.resources.materials.textures
        let before = textures.memory
        do {
            let maps = try Maps()
            let scene = scene(try square(), maps.material())
            scene.environment = .studio()
            let first = try studio.image(of: scene, from: straightOn)
            let memory = textures.memory
            #expect(memory - before == 2 * 4 * Self.size * Self.size * 4 / 3)
            maps.numbers.content = .image(
                try Image(
                    width: Self.size, height: Self.size, format: .rgba8,
                    bytes: [UInt8](repeating: 255, count: 4 * Self.size * Self.size)))
            #expect(try studio.image(of: scene, from: straightOn).bytes != first.bytes)
            #expect(textures.memory == memory)
        }
        studio.renderer.purge()
        #expect(textures.memory == before)
    }
}
