import Testing
import VitrineFiles
import VitrineGLTF
import VitrineGeometry
import VitrineMath
import VitrineScene

/// Materials with lobes and variants, written to GLB and read again.
@Suite struct GLBLobeTests {
    private func everyLobe(_ texture: Texture) -> Material {
        let m = Material(name: "all", roughness: 0.3)
        m.ior = 1.4
        m.specular.factor = ScalarSlot(0.5, map: TextureMap(texture), channel: .alpha)
        m.specular.color.factor = Vector4(1.5, 1, 0.5, 1)
        m.sheen.color = ColorSlot(Vector4(0.25, 0.5, 0.75, 1), map: TextureMap(texture))
        m.sheen.roughness = ScalarSlot(0.4, map: TextureMap(texture), channel: .alpha)
        m.transmission.factor = ScalarSlot(0.6, map: TextureMap(texture), channel: .red)
        m.transmission.dispersion = 0.7
        m.volume = Volume(thickness: ScalarSlot(2, channel: .green), attenuationDistance: 3, attenuationColor: Vector3(1, 0.5, 0.25))
        m.iridescence = Iridescence(factor: 0.8, ior: 1.4, thickness: (150, 600))
        m.anisotropy = Anisotropy(strength: 0.9, rotation: .radians(1.5))
        return m
    }

    func model() throws -> Scene {
        let bytes = [UInt8](repeating: 200, count: 4 * 4)
        let texture = Texture(try Image(width: 2, height: 2, format: .rgba8, bytes: bytes, name: "p"))
        let geometry = try Geometry(attributes: [
            VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 1, 0, 0, 0, 1, 0]),
            VertexAttribute(.normal, componentCount: 3, values: [0, 0, 1, 0, 0, 1, 0, 0, 1]),
            VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: [0, 0, 1, 0, 0, 1]),
        ])
        let red = Material(name: "red")
        let part = MeshPart(
            geometry: geometry, material: everyLobe(texture), alternatives: [(variant: "Beach", material: red)])
        let scene = Scene()
        scene.variantNames = ["Street", "Beach"]
        scene.rootNode.addChildNode(Node(name: "shoe", mesh: Mesh(name: "shoe", parts: [part])))
        return scene
    }

    @Test func everyLobeRoundTrips() throws {
        let encoded = try ModelFile.encode(try model(), as: .glb, name: "test.glb")
        #expect(encoded.warnings == [])
        let asset = try GLTFReader.read(encoded.files[0].bytes, name: "test.glb")
        #expect(asset.warnings == [])
        let m = try #require(asset.materials.first { $0.name == "all" })
        #expect(m.ior == 1.4 && m.specular.factor.factor == 0.5 && m.specular.factor.map != nil)
        #expect(m.specular.color.factor.xyz == Vector3(1.5, 1, 0.5))
        #expect(m.sheen.color.factor.xyz == Vector3(0.25, 0.5, 0.75) && m.sheen.color.map != nil && m.sheen.roughness.factor == 0.4)
        #expect(m.sheen.roughness.map?.texture === m.sheen.color.map?.texture)
        #expect(m.transmission.factor.factor == 0.6 && m.transmission.factor.map != nil && m.transmission.dispersion == 0.7)
        #expect(m.volume.thickness.factor == 2 && m.volume.attenuationDistance == 3 && m.volume.attenuationColor.y == 0.5)
        #expect(m.iridescence.factor.factor == 0.8 && m.iridescence.ior == 1.4 && m.iridescence.thickness == (150, 600))
        #expect(m.anisotropy.strength == 0.9 && m.anisotropy.rotation.radians == 1.5)
    }

    @Test func variantsRoundTrip() throws {
        let scene = try model()
        // The one that is shown is not mistaken for the material without a variant.
        try scene.choose(variant: "Beach")
        let encoded = try ModelFile.encode(scene, as: .glb, name: "test.glb")
        let read = try GLTFReader.read(encoded.files[0].bytes, name: "test.glb").scene
        #expect(read.variantNames == ["Street", "Beach"])
        #expect(read["shoe"]?.material?.name == "all")
        try read.choose(variant: "Beach")
        #expect(read["shoe"]?.material?.name == "red")
        try read.choose(variant: "Street")
        #expect(read["shoe"]?.material?.name == "all")
    }

    @Test(arguments: [ModelFormat.glb, .gltf]) func irradianceVolumesRoundTrip(_ format: ModelFormat) throws {
        let scene = try model()
        let coefficients = (0..<18).map { Vector4(Float($0), -0.5, 1e-3, 1) }
        let box = BoundingBox(minimum: Vector3(-1, 0, 2), maximum: Vector3(1, 3, 4))
        scene.irradianceVolume = IrradianceVolume(box: box, counts: SIMD3(2, 1, 1), coefficients: coefficients)
        let encoded = try ModelFile.encode(scene, as: format, name: "room")
        let asset = try GLTFReader.read(encoded.files[0].bytes, name: "room") { path throws(GLTFError) in
            encoded.files.first { $0.name == path }?.bytes ?? []
        }
        let volume = try #require(asset.scene.irradianceVolume)
        #expect(volume.box == box && volume.counts == SIMD3(2, 1, 1) && volume.coefficients == coefficients)
        #expect(asset.info.extensionsUsed.contains("VITRINE_irradiance_volume"))
    }
}
