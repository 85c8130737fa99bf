import Testing
import VitrineMath
import VitrineScene

@Suite struct SlotImageTests {
    private func pixel(_ level: UInt8) throws -> Image { try Image(width: 1, height: 1, format: .rgba8, bytes: [level, 0, 0, 255]) }

    @Test func settingAnImageMakesAMapAndNilRemovesIt() throws {
        let material = Material()
        let image = try pixel(7)
        material.baseColor.image = image
        material.roughness.image = image
        material.normal.image = image
        #expect(material.baseColor.image === image && material.roughness.image === image && material.normal.image === image)
        #expect(material.textureMaps.count == 3)
        material.baseColor.image = nil
        #expect(material.baseColor.map == nil && material.baseColor.image == nil)
    }

    @Test func settingAnImageKeepsSamplerSetAndTransformAndOtherMaterials() throws {
        let old = try pixel(1)
        let texture = Texture(old, sampler: Sampler(wrapS: .clampToEdge))
        let (first, second) = (Material(), Material())
        for material in [first, second] {
            material.baseColor.map = TextureMap(texture, set: 1, transform: TextureTransform(scale: Vector2(2, 2)))
        }
        first.baseColor.image = try pixel(2)
        let map = try #require(first.baseColor.map)
        #expect(map.set == 1 && map.transform.scale == Vector2(2, 2) && map.texture.sampler.wrapS == .clampToEdge)
        #expect(second.baseColor.image === old)
    }

    @Test func aCompressedTextureHasNoImage() {
        let material = Material()
        material.baseColor.map = TextureMap(Texture(content: .encoded([1, 2, 3])))
        #expect(material.baseColor.image == nil)
    }
}
