import Testing
import VitrineMath
import VitrineScene

@Suite struct MaterialMapsTests {
    /// The optional maps that a value contains at any depth: a list of slots must be complete.
    private func count(_ value: Any) -> Int {
        Mirror(reflecting: value).children.reduce(0) { sum, child in
            // By its type: any nil casts to an optional map.
            type(of: child.value) == TextureMap?.self ? sum + 1 : sum + (child.value is Texture ? 0 : count(child.value))
        }
    }

    @Test func everySlotIsVisited() throws {
        let material = Material()
        let texture = Texture(try Image(width: 1, height: 1, format: .rgba8, bytes: [1, 2, 3, 4]))
        var slots = 0
        material.changeMaps { map in
            map = TextureMap(texture, set: slots)
            slots += 1
        }
        #expect(slots == count(material))
        #expect(material.textureMaps.map(\.set) == Array(0..<slots))
        #expect(material.textures.count == 1)
        material.changeMaps { $0 = nil }
        #expect(material.textureMaps.isEmpty && material.textures.isEmpty)
    }
}
