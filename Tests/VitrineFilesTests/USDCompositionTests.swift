import Testing
import VitrineFiles
import VitrineMath
import VitrineScene

/// Text layers, and layers that bring in others.
@Suite struct USDCompositionTests {
    private func load(_ text: String, files: [String: String] = [:], variants: [String: String] = [:]) throws -> LoadedScene {
        var options = ModelLoadOptions()
        options.usdVariants = variants
        return try SceneFile.read(Array(("#usda 1.0\n" + text).utf8), name: "a.usda", options: options) { (path) throws(FileError) in
            guard let text = files[path] else { throw FileError(path: path, reason: "no such file") }
            return Array(("#usda 1.0\n" + text).utf8)
        }
    }

    private func fails(_ text: String, files: [String: String] = [:], with reason: String) {
        #expect { try load(text, files: files) } throws: { "\($0)" == reason || "\($0)".hasSuffix(reason) }
    }

    private let metres = "( metersPerUnit = 1 )\n"

    @Test func errorsNameTheLine() {
        fails("def Xform \"a\"\n{\n  float x = ]\n}", with: "a.usda:4: a number expected")
        fails("def Xform \"a\"\n{\n  string s = \"b\n\"\n}", with: "a.usda:4: a string does not end in its line")
        fails("def Xform \"a\" {}\ndef \"a\" {}", with: "a.usda:3: /a occurs twice")
        fails("def \"a\" { rel r = </b/../c> }", with: "a.usda:2: </b/../c> is not a valid path here")
        fails("def \"a\" {\n float[] x = [1, 2\n", with: "a.usda:4: \"]\" expected, found the end")
        let deep = String(repeating: "def \"a\" {", count: 250)
        fails(deep, with: "a.usda:2: nested more than 200 deep")
    }

    @Test func theStrongestOpinionWins() throws {
        // Local, inherited, variant, referenced, payload, specialized; each layer has fewer opinions than the previous one.
        func layer(_ count: Int) -> String { (0..<count).map { "double size:\($0) = \(count)\n" }.joined() }
        let text =
            metres + """
                class "I" { double radius = 2 }
                class "S" { double radius = 6 custom double own = 6 }
                def Sphere "a" ( inherits = </I> specializes = </S> prepend variantSets = "v" variants = { string v = "x" }
                    references = @r.usda@ payload = @p.usda@</P> )
                {
                    variantSet "v" = { "x" { double radius = 3 } "y" { double radius = 3.5 token visibility = "invisible" } }
                }
                def Sphere "b" ( prepend variantSets = "v" references = @r.usda@ )
                {
                    variantSet "v" = { "x" { double radius = 3 } }
                }
                def Sphere "c" ( references = @r.usda@ ) { }
                def Sphere "d" ( payload = @p.usda@</P> specializes = </S> ) { }
                def Sphere "e" ( specializes = </S> ) { }
                """
        let files = ["r.usda": "( defaultPrim = \"R\" )\ndef \"R\" { double radius = 4 }", "p.usda": "def \"P\" { double radius = 5 }"]
        let loaded = try load(text, files: files)
        #expect(loaded.warnings == [])
        func radius(_ name: String, _ loaded: LoadedScene) -> Float { (loaded.scene[name]?.mesh?.bounds.size.y ?? 0) / 2 }
        #expect(["a", "b", "c", "d", "e"].map { radius($0, loaded) } == [2, 4, 4, 5, 6])
        // The inherited radius is stronger than any variant's, visibility comes from the variant.
        #expect(try load(text, files: files, variants: ["v": "y"]).scene["a"]?.isHidden == true)
        #expect(throws: ModelFileError.self) { try load(text, files: files, variants: ["v": "z"]) }
    }

    @Test func layersAreResolvedRelativeToTheirFiles() throws {
        let loaded = try load(
            metres + "def \"a\" ( references = @parts/b.usda@ ) { over \"leaf\" { double radius = 3 } }",
            files: [
                "parts/b.usda": "( defaultPrim = \"B\" subLayers = [@./more/c.usda@] )\ndef Xform \"B\" { }",
                "parts/more/c.usda": "over \"B\" { def Sphere \"leaf\" ( references = @../d.usda@</D> ) { double radius = 7 } }",
                "parts/d.usda":
                    "def \"D\" { double3 xformOp:translate = (0, 5, 0) uniform token[] xformOpOrder = [\"xformOp:translate\"] }",
            ])
        #expect(loaded.warnings == [])
        let leaf = try #require(loaded.scene["leaf"])
        #expect(leaf.mesh?.bounds.size.y == 6 && leaf.position == Vector3(0, 5, 0))
    }

    @Test func cyclesAreRefusedAndMissingLayersReported() throws {
        fails("def \"a\" ( references = </a> ) { }", with: "the references are cyclic: /a of a.usda")
        fails(
            "def \"a\" ( references = @b.usda@</b> ) { }",
            files: ["b.usda": "def \"b\" ( references = </c> ) { }\ndef \"c\" ( references = </b> ) { }"],
            with: "the references are cyclic: /b of b.usda")
        fails("( subLayers = [@b.usda@] )", files: ["b.usda": "( subLayers = [@b.usda@] )"], with: "the sublayers are cyclic: b.usda")
        // Each prim brings in the next layer above itself: no end.
        let endless = try? load(
            "def \"a\" ( references = @b.usda@</b> ) { }", files: ["b.usda": "def \"b\" { def \"c\" ( references = @b.usda@</b> ) { } }"])
        #expect(endless == nil)
        let loaded = try load("def \"a\" ( references = [@x.usda@, @../y.usda@, @b.usda@] ) { }", files: ["b.usda": "def \"b\" {"])
        #expect(loaded.warnings.count == 3 && loaded.scene["a"] != nil)
    }

    @Test func materialsAndTargetsFollowTheirPrims() throws {
        let part = """
            ( defaultPrim = "P" )
            def Xform "P"
            {
                def Mesh "m"
                {
                    rel material:binding = </P/red>
                    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
                    int[] faceVertexCounts = [3]
                    int[] faceVertexIndices = [0, 1, 2]
                    uniform token subdivisionScheme = "none"
                }
                def Material "red"
                {
                    color3f inputs:tint = (1, 0, 0)
                    token outputs:surface.connect = </P/red/s.outputs:surface>
                    def Shader "s"
                    {
                        uniform token info:id = "UsdPreviewSurface"
                        color3f inputs:diffuseColor.connect = </P/red.inputs:tint>
                        token outputs:surface
                    }
                }
            }
            """
        let text =
            metres + """
                def "one" ( instanceable = true references = @p.usda@ ) { }
                def "two" ( instanceable = true references = @p.usda@ ) { }
                def "three" ( references = @p.usda@ ) { over "red" { color3f inputs:tint = (0, 1, 0) } }
                """
        let loaded = try load(text, files: ["p.usda": part])
        #expect(loaded.warnings == [])
        let meshes = try ["one", "two", "three"].map { try #require(loaded.scene[$0]?.childNodes.first { $0.name == "m" }?.mesh) }
        #expect(meshes.map { $0.parts[0].material.baseColor.factor.xyz } == [Vector3(1, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0)])
    }

    @Test func listEditsAddUp() throws {
        let edited = try load(
            "( metersPerUnit = 1 subLayers = [@b.usda@] )\nover \"a\" ( prepend references = </x> delete references = </y> append references = </z> ) { }"
                + "\ndef \"x\" { def \"fromX\" { } }\ndef \"z\" { def \"fromZ\" { } }\ndef \"y\" { def \"fromY\" { } }\ndef \"w\" { def \"fromW\" { } }",
            files: ["b.usda": "def \"a\" ( references = [</y>, </w>] ) { }\nover \"x\" {}\nover \"y\" {}\nover \"w\" {}"])
        let names = Set(edited.scene["a"]?.childNodes.map(\.name) ?? [])
        #expect(names == ["fromX", "fromZ", "fromW"])
    }

    @Test func timeMovesNodes() throws {
        let loaded = try load(
            """
            ( metersPerUnit = 1 startTimeCode = 10 endTimeCode = 34 timeCodesPerSecond = 24 )
            def Xform "a"
            {
                double3 xformOp:translate.timeSamples = { 10: (0, 0, 0), 34: (2, 4, 6) }
                float xformOp:rotateY.timeSamples = { 10: 0, 34: 720 }
                uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateY"]
            }
            """)
        #expect(loaded.warnings == [])
        let clip = try #require(loaded.scene.animations.first)
        #expect(clip.duration == 1)
        clip.apply(at: 0.25)
        let node = try #require(loaded.scene["a"])
        #expect(length(node.position - Vector3(0.5, 1, 1.5)) < 1e-6)
        // 180° after a quarter, though the ends look alike.
        #expect(abs(abs(node.orientation.vector.y) - 1) < 1e-5)
    }

    @Test func concavePolygonsAndHoles() throws {
        let loaded = try load(
            metres + """
                def Mesh "m"
                {
                    point3f[] points = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (2, 1, 0), (0, 4, 0), (5, 0, 0), (6, 0, 0), (6, 1, 0)]
                    int[] faceVertexCounts = [5, 3]
                    int[] faceVertexIndices = [0, 1, 2, 3, 4, 5, 6, 7]
                    int[] holeIndices = [1]
                    uniform token subdivisionScheme = "none"
                }
                """)
        let geometry = try #require(loaded.scene["m"]?.mesh?.parts.first?.geometry)
        #expect(geometry.triangleCount == 3)
        let p = geometry.attribute(.position)?.values ?? []
        var area: Float = 0
        for triangle in 0..<3 {
            let (a, b, c) = geometry.corners(ofTriangle: triangle)
            func point(_ i: Int) -> Vector3 { Vector3(p[3 * i], p[3 * i + 1], p[3 * i + 2]) }
            let normal = cross(point(b) - point(a), point(c) - point(a))
            #expect(normal.z > 0)
            area += normal.z / 2
        }
        // Shoelace of the five corners.
        #expect(abs(area - 10) < 1e-5)
    }
}
