import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport

@Suite struct USDWriterTests {
    @Test func thePackageIsStoredAlignedAndBeginsWithItsLayer() throws {
        let model = try ModelFile.encode(WriterScenes.everything(), as: .usdz, name: "a.usdz")
        let files = try ZipListing(model.files[0].bytes).files
        #expect(files.map(\.name) == ["model.usdc", "textures/texture_0.png", "textures/texture_1.png", "textures/texture_2.png"])
        for file in files { #expect(file.offset % 64 == 0, "\(file.name) lies at \(file.offset)") }
        #expect(files[0].bytes.starts(with: "PXR-USDC".utf8))
        for file in files.dropFirst() { #expect(ImageFile.kind(of: file.bytes) == .png) }
        #expect(try ModelFile.encode(WriterScenes.everything(), as: .usdz, name: "a.usdz").files[0].bytes == model.files[0].bytes)
    }

    @Test func whatUSDCannotHoldIsSaid() throws {
        let model = try ModelFile.encode(WriterScenes.everything(), as: .usdz, name: "a.usdz")
        #expect(
            model.warnings.map(\.description) == [
                "material \"full\": the normal map's scale 0.5: not written", "material \"full\": the clearcoat's normals: not written",
            ])
    }

    @Test func textContainsTheScene() throws {
        let material = Material(name: "1st paint", baseColor: Color(linearRed: 0.5, green: 0.25, blue: 1), metalness: 0, roughness: 0.75)
        let scene = try WriterScenes.square(material)
        scene.rootNode.childNodes[0].position = Vector3(1, 2, 3)
        let model = try ModelFile.encode(scene, as: .usda, name: "card.usda")
        let text = String(decoding: model.files[0].bytes, as: UTF8.self)
        #expect(
            text.hasPrefix("#usda 1.0\n(\n    defaultPrim = \"Model\"\n    doc = \"Vitrine\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)")
        )
        for line in [
            "def Xform \"Model\" (", "matrix4d xformOp:transform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1) )",
            "def Material \"_1st_paint\" (", "displayName = \"1st paint\"", "color3f inputs:diffuseColor = (0.5, 0.25, 1)",
            "float inputs:roughness = 0.75", "int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]",
            "texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 0.875)] (", "rel material:binding = </Model/Materials/_1st_paint>",
            "uniform token subdivisionScheme = \"none\"", "float3[] extent = [(0, 0, 0), (1, 1, 0.25)]",
        ] { #expect(text.contains(line), "\(line)") }
    }

    @Test func layersKeepTexturesBesideThem() throws {
        try withTemporaryDirectory { folder in
            _ = try ModelFile.write(WriterScenes.everything(), to: folder.appendingPathComponent("thing.usdc"))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names == ["thing.usdc", "thing_0.png", "thing_1.png", "thing_2.png"])
        }
    }

    @Test func namesBecomeUSDNames() throws {
        let scene = Scene(name: "été 2")
        for name in ["a b", "a_b", "a b", "", "2"] { scene.rootNode.addChildNode(Node(name: name)) }
        let text = String(decoding: try ModelFile.encode(scene, as: .usda, name: "x.usda").files[0].bytes, as: UTF8.self)
        for name in ["_t__2", "a_b", "a_b_1", "a_b_2", "Xform", "_2"] { #expect(text.contains("def Xform \"\(name)\"")) }
    }

    /// OpenUSD's own library reads all three forms: same values, no complaints of its validators.
    @Test(.enabled(if: OpenUSD.python != nil, OpenUSD.missing))
    func openUSDAgrees() throws {
        let scene = try WriterScenes.everything()
        // Enough for packed integers, and for matches across LZ4's window.
        let count = 40_000
        let positions = (0..<count * 3).map { Float(($0 * 7919) % 1000) / 100 }
        var indices: [UInt32] = []
        for corner in 0..<UInt32(count - 2) { indices += [corner, corner + 1, corner + 2] }
        indices += [0, UInt32(count - 1), 7]
        let large = try Geometry(attributes: [VertexAttribute(.position, componentCount: 3, values: positions)], indices: indices)
        scene.rootNode.addChildNode(Node(name: "large", mesh: Mesh(name: "large", geometry: large, material: Material(name: "plain 2"))))
        try withTemporaryDirectory { folder in
            for name in ["a.usdz", "a.usdc", "a.usda"] { _ = try ModelFile.write(scene, to: folder.appendingPathComponent(name)) }
            let checksum = indices.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF }
            let output = try OpenUSD.run(Self.script, [folder.path, "\(checksum)", "\(positions.count / 3)"])
            #expect(output == "fine\n")
        }
    }

    private static let script = """
        import sys
        from pxr import Usd, UsdGeom, UsdShade, Sdf
        folder, checksum, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
        texts = []
        for name in ['a.usdz', 'a.usdc', 'a.usda']:
            stage = Usd.Stage.Open(folder + '/' + name)
            assert UsdGeom.GetStageMetersPerUnit(stage) == 1 and UsdGeom.GetStageUpAxis(stage) == 'Y'
            root = stage.GetDefaultPrim()
            assert root.GetPath() == '/everything', root
            mesh = UsdGeom.Mesh(stage.GetPrimAtPath('/everything/large/large'))
            total = 0
            for index in mesh.GetFaceVertexIndicesAttr().Get(): total = (total * 31 + index) & 0xFFFFFFFF
            assert total == checksum, (name, total)
            assert len(mesh.GetPointsAttr().Get()) == count
            assert set(mesh.GetFaceVertexCountsAttr().Get()) == {3}
            panel = UsdGeom.Mesh(stage.GetPrimAtPath('/everything/base__quoted___/panel'))
            assert panel.GetPrim().GetParent().GetDisplayName() == 'base "quoted" é', panel.GetPrim().GetParent().GetDisplayName()
            assert [tuple(p) for p in panel.GetPointsAttr().Get()] == [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0.25)]
            material = UsdShade.MaterialBindingAPI(panel).ComputeBoundMaterial()[0]
            assert material.GetPath() == '/everything/Materials/full', material
            surface = material.ComputeSurfaceSource()[0]
            assert surface.GetIdAttr().Get() == 'UsdPreviewSurface'
            for slot, output in [('diffuseColor', 'rgb'), ('roughness', 'g'), ('metallic', 'b'), ('opacity', 'a'), ('normal', 'rgb'), ('occlusion', 'r')]:
                source = surface.GetInput(slot).GetConnectedSources()[0][0]
                assert source.sourceName == output, (slot, source.sourceName)
                texture = UsdShade.Shader(source.source.GetPrim())
                path = texture.GetInput('file').Get()
                assert name == 'a.usdz' or path.resolvedPath, path
            layer = stage.GetRootLayer()
            texts.append(layer.ExportToString())
        def plain(text): return text.replace('textures/texture_', 'a_')
        a, b, c = [plain(t).split('\\n') for t in texts]
        assert sorted(a) == sorted(b), 'usdz and usdc differ'
        assert sorted(b) == sorted(c), [pair for pair in zip(sorted(b), sorted(c)) if pair[0] != pair[1]][:3]
        try:
            from pxr import UsdValidation
            registry = UsdValidation.ValidationRegistry()
            names = [m.name for m in registry.GetAllValidatorMetadata() if not m.isSuite]
            context = UsdValidation.ValidationContext([registry.GetOrLoadValidatorByName(n) for n in names])
            problems = [e.GetMessage() for e in context.Validate(Usd.Stage.Open(folder + '/a.usdz'))]
            assert not problems, problems
        except ImportError: pass
        print('fine')
        """
}

/// A Python that has OpenUSD's library: `$VITRINE_PYTHON`, else `python3`.
enum OpenUSD {
    static let missing: Comment = "no Python with usd-core (pxr): set VITRINE_PYTHON to one that has it"

    static let python: String? = {
        let environment = ProcessInfo.processInfo.environment["VITRINE_PYTHON"]
        return [environment, "python3"].compactMap { $0 }.first { (try? execute([$0, "-c", "import pxr.Usd"]))?.status == 0 }
    }()

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    static func run(_ script: String, _ arguments: [String]) throws -> String {
        let result = try execute([python ?? "python3", "-c", script] + arguments)
        guard result.status == 0 else { throw Failed(description: result.output) }
        return result.output
    }

    private static func execute(_ command: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}

/// The files of a zip archive that compresses nothing, checked against its directory.
struct ZipListing {
    struct Broken: Error {}

    private(set) var files: [(name: String, offset: Int, bytes: [UInt8])] = []

    init(_ bytes: [UInt8]) throws {
        func number(_ offset: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
        let end = bytes.count - 22
        guard end >= 0, number(end, 4) == 0x0605_4B50 else { throw Broken() }
        var entry = number(end + 16, 4)
        for _ in 0..<number(end + 10, 2) {
            guard number(entry, 4) == 0x0201_4B50, number(entry + 10, 2) == 0 else { throw Broken() }
            let (size, nameLength, local) = (number(entry + 24, 4), number(entry + 28, 2), number(entry + 42, 4))
            let name = String(decoding: bytes[(entry + 46)..<(entry + 46 + nameLength)], as: UTF8.self)
            guard number(local, 4) == 0x0403_4B50, number(local + 18, 4) == size, number(local + 22, 4) == size else { throw Broken() }
            let start = local + 30 + number(local + 26, 2) + number(local + 28, 2)
            files.append((name, start, Array(bytes[start..<(start + size)])))
            entry += 46 + nameLength + number(entry + 30, 2) + number(entry + 32, 2)
        }
        guard entry == end else { throw Broken() }
    }
}
