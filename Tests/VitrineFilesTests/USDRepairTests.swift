import Testing
import VitrineFiles
import VitrineScene

/// One broken prim or value doesn't take its neighbours along.
@Suite struct USDRepairTests {
    private func read(_ text: String, isStrict: Bool = false) throws -> LoadedScene {
        var options = ModelLoadOptions()
        options.isStrict = isStrict
        return try SceneFile.read(Array(("#usda 1.0\n" + text).utf8), name: "a.usda", options: options) { (path) throws(FileError) in
            throw FileError(path: path, reason: "no files here")
        }
    }

    private static let sound = mesh("Sound", "")

    private static func mesh(_ name: String, _ values: String) -> String {
        let points = values.contains("points") ? "" : "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]"
        let counts = values.contains("Counts") ? "" : "int[] faceVertexCounts = [3]"
        let corners = values.contains("Indices") ? "" : "int[] faceVertexIndices = [0, 1, 2]"
        return "def Mesh \"\(name)\" {\n\(values)\n\(points) \(counts) \(corners) uniform token subdivisionScheme = \"none\"\n}\n"
    }

    private func shown(_ loaded: LoadedScene) -> [String] {
        var names: [String] = []
        loaded.scene.rootNode.forSubtree { if $0.mesh != nil { names.append($0.name) } }
        return names
    }

    @Test(arguments: [
        ("int[] faceVertexIndices = [0, 1, 7]", "/Bad: a corner refers to a point that does not exist; the geometry was ignored"),
        ("int[] faceVertexCounts = [4]", "/Bad: the faces have more corners than the list; the geometry was ignored"),
        ("float[] faceVertexIndices = [0.5, 1, 2]", "/Bad: a corner refers to a point that does not exist; the geometry was ignored"),
        ("point3f[] points = [(0, 0), (1, 0), (0, 1)]", "a.usda:7: points: 3 numbers expected, found 2; the value was ignored"),
        ("point3f[] points = \"none\"", "a.usda:7: points: \"[\" expected, found \"\"none\"\"; the value was ignored"),
        ("token[] points = [1, 2, 3]", "a.usda:7: points: a text expected; the value was ignored"),
        (
            "uniform token orientation.timeSamples = { 0: \"leftHanded\" }",
            "/Bad: the orientation changes over time; the geometry was ignored"
        ),
    ])
    func aBrokenMeshIsLeftOut(values: String, warning: String) throws {
        let text = Self.sound + Self.mesh("Bad", values) + Self.mesh("Last", "")
        let loaded = try read(text)
        #expect(shown(loaded) == ["Sound", "Last"])
        #expect(loaded.warnings.map(\.description).contains(warning), "\(loaded.warnings)")
        #expect(throws: ModelFileError.self) { try read(text, isStrict: true) }
    }

    @Test func pointsThatAreNotFinite() throws {
        let loaded = try read(Self.mesh("A", "point3f[] points = [(0, 0, 0), (1, nan, 0), (0, 1, -inf)]"))
        #expect(loaded.warnings.map(\.description) == ["/A: 2 numbers of the points are infinite or not a number and were set to 0"])
        #expect(!loaded.scene.bounds.isEmpty && loaded.scene.bounds.maximum.x.isFinite)
    }

    @Test func connectionsToPrims() throws {
        let text = """
            def Material "M" {
                token outputs:surface.connect = </M/P>
                def Shader "P" {
                    uniform token info:id = "UsdPreviewSurface"
                    color3f inputs:diffuseColor = (1, 0, 0)
                    float inputs:roughness = </M/Missing>
                    token outputs:surface
                }
            }

            """
        let loaded = try read(text + Self.mesh("A", "rel material:binding = </M>"))
        let material = try #require(loaded.scene.rootNode.childNodes.first?.childNodes.first?.mesh?.parts.first?.material)
        #expect(material.baseColor.factor.x == 1 && material.baseColor.factor.y == 0)
        #expect(
            loaded.warnings.map(\.description) == [
                "a.usda:7: inputs:roughness: a path is not a value; it is used as a connection",
                "/M: outputs:surface is connected to a prim, not to an output; its surface output was used",
            ])
    }

    @Test func operationsBeforeAReset() throws {
        let text = """
            def Xform "A" {
                double3 xformOp:translate = (1, 0, 0)
                double3 xformOp:scale = (2, 2, 2)
                uniform token[] xformOpOrder = ["xformOp:translate", "!resetXformStack!", "xformOp:scale", "!resetXformStack!odd"]
            }
            """
        let loaded = try read(text)
        #expect(loaded.warnings.count == 2)
        #expect(loaded.scene["A"]?.scale.x == 2 && loaded.scene["A"]?.position.x == 0)
    }

    /// A package whose first file is a package whose first file is a layer.
    @Test func packagesThatBeginWithPackages() throws {
        let layer = Array(("#usda 1.0\n" + Self.sound).utf8)
        let package = Self.zip("in.usdz", Self.zip("a.usda", layer))
        func read(_ bytes: [UInt8]) throws -> LoadedScene {
            try SceneFile.read(bytes, name: "a.usdz") { (path) throws(FileError) in throw FileError(path: path, reason: "no files here") }
        }
        let loaded = try read(package)
        #expect(shown(loaded) == ["Sound"])
        #expect(loaded.warnings.contains { $0.location == "in.usdz" && $0.message.contains("is a package, which USDZ does not allow") })
        var deep = layer
        for level in 0..<12 { deep = Self.zip(level == 0 ? "a.usda" : "in.usdz", deep) }
        #expect { try read(deep) } throws: { "\($0)".contains("packages are nested more than 4 deep") }
    }

    /// One stored file; readers here ignore its checksum.
    private static func zip(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let facts =
            number(20, 2) + number(0, 2) + number(0, 2) + number(0, 4) + number(0, 4) + number(bytes.count, 4) + number(bytes.count, 4)
        let sizes = number(name.utf8.count, 2) + number(0, 2)
        let local = number(0x0403_4B50, 4) + facts + sizes + Array(name.utf8) + bytes
        let entry =
            number(0x0201_4B50, 4) + number(20, 2) + facts + sizes + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4)
            + number(0, 4)
        let directory = entry + Array(name.utf8)
        let end =
            number(0x0605_4B50, 4) + number(0, 4) + number(1, 2) + number(1, 2) + number(directory.count, 4) + number(local.count, 4)
            + number(0, 2)
        return local + directory + end
    }
}
