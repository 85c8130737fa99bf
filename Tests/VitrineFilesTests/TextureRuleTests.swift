import Foundation
import Testing
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineFiles
@testable import VitrineTestFiles

/// The rule for textures that can't be decoded or are too large, the same for loading, inspecting and writing.
struct TextureRuleTests {
    private static func png(_ width: Int, _ height: Int, _ level: UInt8 = 128) throws -> [UInt8] {
        let image = try Image(
            width: width, height: height, format: .rgba8, bytes: [UInt8](repeating: level, count: width * height * 4))
        return try ImageFile.encode(image, as: .png())
    }

    /// A right header, and pixels that end too early.
    private static func cutPNG() throws -> [UInt8] {
        Array(try ImageFile.encode(TestImage.noise(width: 64, height: 64, format: .rgba8, opaque: false), as: .png()).prefix(2000))
    }

    /// An OBJ with one material for each image, called a.png, b.png …
    private func write(_ images: [[UInt8]], into folder: URL) throws -> URL {
        var (mtl, obj) = ("", "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n")
        for (index, bytes) in images.enumerated() {
            let name = String(UnicodeScalar(UInt8(97 + index)))
            try Data(bytes).write(to: folder.appendingPathComponent("\(name).png"))
            mtl += "newmtl \(name)\nmap_Kd \(name).png\n"
            obj += "usemtl \(name)\nf 1/1 2/2 3/3\n"
        }
        try Data(mtl.utf8).write(to: folder.appendingPathComponent("m.mtl"))
        let url = folder.appendingPathComponent("m.obj")
        try Data(obj.utf8).write(to: url)
        return url
    }

    private func sizes(_ scene: Scene) -> [Int?] {
        var materials: [Material] = []
        scene.rootNode.forSubtree { node in for part in node.mesh?.parts ?? [] { materials.append(part.material) } }
        return materials.sorted { $0.name < $1.name }.map { material in
            guard case .image(let image)? = material.baseColor.map?.texture.content else { return nil }
            return image.width
        }
    }

    @Test func undecodableTexturesAreOmittedWithAndWithoutPixels() async throws {
        try await withTemporaryDirectory { folder in
            let webP = Array(TinyFiles.lossyWebP.prefix(60))
            let url = try write([Self.cutPNG(), Self.png(4, 4), webP, Array("no image".utf8)], into: folder)
            var unkept = ModelLoadOptions()
            unkept.decodesTextures = false
            let (loaded, checked) = (try await SceneFile.load(url), try await SceneFile.load(url, options: unkept))
            #expect(loaded.warnings.count == 3 && loaded.warnings == checked.warnings)
            for (warning, name) in zip(loaded.warnings, ["a", "c", "d"]) {
                #expect(warning.message.hasPrefix("the texture \"\(name).png\" was omitted: ") && warning.location.hasPrefix("m.mtl:line "))
            }
            #expect(sizes(loaded.scene) == [nil, 4, nil, nil])
            let inspection = try #require(try await FileInspection(contentsOf: url).model)
            #expect(inspection.warnings == loaded.warnings && inspection.textures.count == 4)
            // The other textures keep their bytes.
            var kept = 0
            checked.scene.rootNode.forSubtree { node in
                for part in node.mesh?.parts ?? [] {
                    guard case .encoded? = part.material.baseColor.map?.texture.content else { continue }
                    kept += 1
                }
            }
            #expect(kept == 1)
        }
    }

    @Test(arguments: ["a.glb", "a.gltf", "a.usdz", "a.usda", "a.obj", "a.dae", "a.ply"])
    func writersOmitUncheckedTextures(_ name: String) async throws {
        let material = Material(name: "paint")
        let broken = Texture(name: "broken.png", content: .encoded(try Self.cutPNG()))
        material.baseColor.map = TextureMap(broken)
        material.roughness.map = TextureMap(broken)
        let scene = try WriterScenes.square(material)
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent(name)
            let warnings = try ModelFile.write(scene, to: url)
            #expect(warnings.filter { $0.message.hasPrefix("the texture \"broken.png\" was omitted: truncated") }.count == 1)
            #expect(material.baseColor.map?.texture === broken)
            #expect(try await SceneFile.load(url).warnings.filter { $0.message.contains("omitted") } == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasSuffix(".png") })
        }
    }

    @Test func theLargestTexturesAreHalvedUntilAllFit() async throws {
        try await withTemporaryDirectory { folder in
            let url = try write([Self.png(16, 16), Self.png(8, 8), Self.png(16, 8), Self.png(16, 16)], into: folder)
            var options = ModelLoadOptions()
            // 1,024 + 256 + 512 + 1,024 bytes; with the first and the last at 8 × 8: 256 + 256 + 512 + 256.
            options.maximumTextureBytes = 1300
            let loaded = try await SceneFile.load(url, options: options)
            #expect(sizes(loaded.scene) == [8, 8, 16, 8])
            #expect(
                loaded.warnings.map(\.message) == [
                    "the decoded textures take 2.816 kB, the limit is 1.3 kB: 2 of 4 were scaled down: \"a.png\" to 8 × 8, \"d.png\" to 8 × 8 "
                        + "(--texture-memory, ModelLoadOptions.maximumTextureBytes)"
                ])
            options.maximumTextureBytes = 0
            #expect(sizes(try await SceneFile.load(url, options: options).scene) == [1, 1, 1, 1])
            options.maximumTextureBytes = 2816
            #expect(try await SceneFile.load(url, options: options).warnings == [])
        }
    }

    @Test func longSidesAreScaledDown() async throws {
        try await withTemporaryDirectory { folder in
            let url = try write([Self.png(40, 2), Self.png(20, 20)], into: folder)
            var options = ModelLoadOptions()
            options.maximumTextureSide = 20
            let loaded = try await SceneFile.load(url, options: options)
            #expect(sizes(loaded.scene) == [20, 20] && loaded.warnings.count == 1)
            #expect(
                loaded.warnings[0].description.hasPrefix(
                    "m.mtl:line 2: the texture \"a.png\" has 40 × 2 pixels and was scaled down to 20 × 1"))
            options.decodesTextures = false
            #expect(try await SceneFile.load(url, options: options).warnings == [])
        }
    }

    @Test func oneOversizedTextureDoesNotStopTheOthers() async throws {
        try await withTemporaryDirectory { folder in
            // 60,000 × 60,000 pixels of 8 bits by its header: 14.4 GB.
            var huge = try Self.png(4, 4)
            huge.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
            let url = try write([huge, Self.png(4, 4)], into: folder)
            let loaded = try await SceneFile.load(url)
            #expect(sizes(loaded.scene) == [nil, 4] && loaded.warnings.count == 1)
            #expect(loaded.warnings[0].message.hasPrefix("the texture \"a.png\" was omitted: "))
        }
    }

    @Test func floatsAreScaledDownToo() throws {
        let floats: [Float] = [8, 0, 1, 1, 0, 2, 1, 1, 4, 4, 1, 1, 0, -2, 1, 1]
        let image = try Image(width: 2, height: 2, format: .rgba32Float, bytes: floats.withUnsafeBytes { Array($0) })
        let small = try ImageFile.decode(ImageFile.encode(image, as: .exr()), maximumSide: 1)
        #expect(small.width == 1 && small.height == 1)
        #expect(small.bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) } == [3, 1, 1, 1])
    }

    @Test func aBudgetWithManyImagesIsFast() throws {
        let header = try ImageFile.header(of: Self.png(64, 64))
        let entries = (0..<100_000).map { TextureBudget.Entry(job: $0, header: header) }
        let budget = TextureBudget(entries, limit: 1_000_000)
        #expect(budget.bytesBefore == 100_000 * 64 * 64 * 4 && budget.scaled.count == 100_000)
        #expect(budget.scaled.reduce(0) { $0 + $1.bytes } <= 1_000_000)
    }

    @Test func materialCopiesHaveAllValues() {
        let material = Material(name: "a", baseColor: Color(sRGB: 0x123456), metalness: 0.25, roughness: 0.75)
        material.changeMaps { $0 = TextureMap(Texture(content: .encoded([]))) }
        (material.alphaMode, material.ior, material.isDoubleSided, material.isShadowReceiver) = (.blend, 1.3, true, true)
        (material.lightingModel, material.volume.attenuationDistance, material.displacement.scale) = (.phong, 3, 2)
        let copy = material.copy()
        #expect(copy !== material && "\(Mirror(reflecting: copy).text)" == "\(Mirror(reflecting: material).text)")
    }
}

extension Mirror {
    /// The values of all members, so that one that is added later counts too.
    fileprivate var text: String { children.map { "\($0.label ?? ""): \($0.value)" }.joined(separator: "\n") }
}
