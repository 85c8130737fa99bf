import Testing
import VitrineFiles
import VitrineMath
import VitrineScene

@Suite struct COLLADAReaderTests {
    static let square = "0 0 0 1 0 0 1 1 0 0 1 0"

    private func refusal(_ text: String) -> String {
        do {
            _ = try COLLADAText.load(text)
            return "none"
        } catch { return "\(error)" }
    }

    @Test func encodings() throws {
        let text = COLLADAText.document(nodes: "<node name=\"Zürich\"/>")
        #expect(try COLLADAText.load([0xEF, 0xBB, 0xBF] + Array(text.utf8)).scene.rootNode.childNodes[0].name == "Zürich")
        let wide = text.replacing("utf-8", with: "utf-16")
        var bytes: [UInt8] = [0xFF, 0xFE]
        for unit in wide.utf16 { bytes += [UInt8(unit & 255), UInt8(unit >> 8)] }
        #expect(try COLLADAText.load(bytes).scene.rootNode.childNodes[0].name == "Zürich")
    }

    @Test func hostileDocumentsAreRefusedWithTheirLocation() throws {
        let entity = "<?xml version=\"1.0\"?>\n<!DOCTYPE x [<!ENTITY a \"b\">]>\n<COLLADA>&a;</COLLADA>"
        #expect(refusal(entity) == "a.dae:line 2: entity declarations are not allowed")
        #expect(refusal("<?xml version=\"1.0\"?>\n<COLLADA>\n<a></b></COLLADA>").hasPrefix("a.dae:line 3: XML: "))
        #expect(refusal("<COLLADA>" + String(repeating: "<a>", count: 600)).contains("elements are nested more than 512 deep"))
        // A node that contains itself.
        let cycle = "<library_nodes><node id=\"n\"><instance_node url=\"#n\"/></node></library_nodes>"
        #expect(
            refusal(COLLADAText.document(cycle, nodes: "<node><instance_node url=\"#n\"/></node>")).contains(
                "nodes are nested more than 512 deep"))
        let bad = COLLADAText.geometry(Self.square, "<triangles count=\"1\">\(COLLADAText.vertexInput)<p>0 1 9</p></triangles>")
        #expect(
            refusal(COLLADAText.document(bad, nodes: "<node><instance_geometry url=\"#g\"/></node>")).contains(
                "position 9 of 4 does not exist"))
        let word = COLLADAText.geometry("0 0 x", "<triangles count=\"1\">\(COLLADAText.vertexInput)<p>0 1 2</p></triangles>")
        #expect(
            refusal(COLLADAText.document(word, nodes: "<node><instance_geometry url=\"#g\"/></node>")).contains(
                "\"x\" is not a valid number"))
    }

    /// Numbers that promise more than is there, or lead to infinity.
    @Test func brokenNumbers() throws {
        let short = COLLADAText.document(
            COLLADAText.geometry("0 0", "<triangles count=\"1\">\(COLLADAText.vertexInput)<p>0 0 0</p></triangles>"),
            nodes: "<node><instance_geometry url=\"#g\"/></node>")
        #expect(refusal(short).contains("position 0 of 0 does not exist"))
        let motion =
            "<library_animations><animation>" + COLLADAText.source("i", "0 1", ["TIME"]) + COLLADAText.source("o", "1e38 -3e38", ["ANGLE"])
            + "<sampler id=\"s\"><input semantic=\"INPUT\" source=\"#i\"/><input semantic=\"OUTPUT\" source=\"#o\"/></sampler>"
            + "<channel source=\"#s\" target=\"n/r.ANGLE\"/><channel source=\"#s\" target=\"n/t.X\"/></animation></library_animations>"
        let node = "<node id=\"n\"><scale>1e30 1 1</scale><translate sid=\"t\">0 0 0</translate><rotate sid=\"r\">0 1 0 0</rotate></node>"
        let loaded = try COLLADAText.load(COLLADAText.document(motion, nodes: node))
        #expect(loaded.scene.animations.isEmpty && loaded.warnings.contains { $0.message.contains("infinite values") })
    }

    @Test func unitsAndAxes() throws {
        let libraries = COLLADAText.geometry(
            "1 2 3 0 0 0 0 1 0", "<triangles count=\"1\">\(COLLADAText.vertexInput)<p>0 1 2</p></triangles>")
        for (axis, expected) in [
            ("Z_UP", Vector3(0.01, 0.03, -0.02)), ("Y_UP", Vector3(0.01, 0.02, 0.03)), ("X_UP", Vector3(-0.02, 0.01, 0.03)),
        ] {
            let text = COLLADAText.document(
                libraries, nodes: "<node><instance_geometry url=\"#g\"/></node>", asset: "<unit meter=\"0.01\"/><up_axis>\(axis)</up_axis>")
            let corners = WorldTriangles(try COLLADAText.load(text).scene).corners
            #expect(length(corners[0].position - expected) < 1e-7, "\(axis)")
        }
    }

    /// A geometry, and a node, that count otherwise than the document.
    @Test func unitsOfParts() throws {
        let own = "<asset><unit meter=\"2\"/><up_axis>Z_UP</up_axis></asset>"
        let mesh = COLLADAText.geometry("1 2 3 0 0 0 0 1 0", "<triangles count=\"1\">\(COLLADAText.vertexInput)<p>0 1 2</p></triangles>")
        let inMesh = mesh.replacing("<mesh>", with: own + "<mesh>")
        for (library, node) in [(inMesh, "<node>"), (mesh, "<node>" + own)] {
            let text = COLLADAText.document(
                library, nodes: node + "<instance_geometry url=\"#g\"/></node>", asset: "<unit meter=\"0.5\"/><up_axis>Y_UP</up_axis>")
            let corners = WorldTriangles(try COLLADAText.load(text).scene).corners
            #expect(length(corners[0].position - Vector3(2, 6, -4)) < 1e-5)
        }
    }

    /// A visual scene whose asset has a unit only: the axes are the document's. Another document is converted from its own unit.
    @Test func unitsOfScenesAndOtherDocuments() throws {
        let mesh = COLLADAText.mesh("1 2 3 0 0 0 0 1 0", "<triangles count=\"1\">\(COLLADAText.vertexInput)<p>0 1 2</p></triangles>")
        let own = "<asset><unit meter=\"2\"/></asset>"
        func first(_ asset: String, _ url: String, other: String = "") throws -> Vector3 {
            let text = COLLADAText.document(
                "<library_geometries>\(mesh)</library_geometries>", nodes: asset + "<node><instance_geometry url=\"\(url)\"/></node>",
                asset: "<unit meter=\"0.5\"/><up_axis>Z_UP</up_axis>")
            let library = "<COLLADA>\(other)<library_geometries>\(mesh)</library_geometries></COLLADA>"
            return WorldTriangles(try COLLADAText.load(text, files: ["b.dae": Array(library.utf8)]).scene).corners[0].position
        }
        #expect(length(try first("", "#g") - Vector3(0.5, 1.5, -1)) < 1e-5)
        #expect(length(try first(own, "#g") - Vector3(2, 6, -4)) < 1e-5)
        #expect(length(try first("", "b.dae#g") - Vector3(0.5, 1.5, -1)) < 1e-5)
        #expect(
            length(try first("", "b.dae#g", other: "<asset><unit meter=\"1\"/><up_axis>Y_UP</up_axis></asset>") - Vector3(1, 2, 3)) < 1e-5)
    }

    @Test func transformsInTheirOrder() throws {
        let node = """
            <node><translate>1 0 0</translate><rotate>0 0 1 90</rotate><scale>2 1 1</scale>
            <skew>45 1 0 0 0 1 0</skew><matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</matrix></node>
            """
        let matrix = try COLLADAText.load(COLLADAText.document(nodes: node)).scene.rootNode.childNodes[0].transform
        // The innermost first: moved by 5, sheared (y grows by x), widened, turned, moved.
        #expect(length(matrix.transform(point: Vector3(1, 0, 0)) - Vector3(1 - 6, 12, 0)) < 1e-5)
        let look = "<node><lookat>0 0 5 1 0 5 0 0 1</lookat></node>"
        let camera = try COLLADAText.load(COLLADAText.document(nodes: look)).scene.rootNode.childNodes[0].transform
        #expect(length(camera.transform(direction: Vector3(0, 0, -1)) - Vector3(1, 0, 0)) < 1e-6)
    }

    @Test(arguments: [
        ("<triangles>IN<p>0 1 2 0 2 3</p></triangles>", 2), ("<polylist>IN<vcount>4</vcount><p>0 1 2 3</p></polylist>", 2),
        ("<polygons>IN<p>0 1 2 3</p></polygons>", 2), ("<trifans>IN<p>0 1 2 3</p></trifans>", 2),
        ("<tristrips>IN<p>1 2 0 3</p></tristrips>", 2),
    ])
    func primitives(_ primitive: String, _ triangles: Int) throws {
        let library = COLLADAText.geometry(Self.square, primitive.replacing("IN", with: COLLADAText.vertexInput))
        let scene = try COLLADAText.load(COLLADAText.document(library, nodes: "<node><instance_geometry url=\"#g\"/></node>")).scene
        let corners = WorldTriangles(scene).corners
        #expect(corners.count == triangles * 3)
        #expect(abs(Self.area(corners) - 1) < 1e-6)
        #expect(corners.allSatisfy { length($0.normal - Vector3(0, 0, 1)) < 1e-6 })
    }

    /// Twice the signed areas about z, halved.
    private static func area(_ corners: [WorldTriangles.Corner]) -> Float {
        stride(from: 0, to: corners.count, by: 3).reduce(0) { sum, first in
            sum + cross(corners[first + 1].position - corners[first].position, corners[first + 2].position - corners[first].position).z / 2
        }
    }

    @Test func concavePolygonsAndHoles() throws {
        // An arrow head, and a square of 4 × 4 with two holes of 1 × 1.
        let arrow = COLLADAText.geometry("0 0 0 2 -2 0 0 2 0 -2 -2 0", "<polygons>\(COLLADAText.vertexInput)<p>0 1 2 3</p></polygons>")
        let points = "0 0 0 4 0 0 4 4 0 0 4 0 1 1 0 2 1 0 2 2 0 1 2 0 3 3 0 3 2 0 2.5 2 0 2.5 3 0"
        let holes = COLLADAText.geometry(
            points, "<polygons>\(COLLADAText.vertexInput)<ph><p>0 1 2 3</p><h>4 5 6 7</h><h>8 9 10 11</h></ph></polygons>")
        for (library, expected) in [(arrow, Float(4)), (holes, 16 - 1 - 0.5)] {
            let scene = try COLLADAText.load(COLLADAText.document(library, nodes: "<node><instance_geometry url=\"#g\"/></node>")).scene
            let corners = WorldTriangles(scene).corners
            #expect(abs(Self.area(corners) - expected) < 1e-5)
            for first in stride(from: 0, to: corners.count, by: 3) { #expect(Self.area(Array(corners[first..<first + 3])) > -1e-6) }
        }
    }

    @Test func lines() throws {
        let library = COLLADAText.geometry(Self.square, "<linestrips count=\"1\">\(COLLADAText.vertexInput)<p>0 1 2 3</p></linestrips>")
        let scene = try COLLADAText.load(COLLADAText.document(library, nodes: "<node><instance_geometry url=\"#g\"/></node>")).scene
        let geometry = try #require(scene.rootNode.childNodes[0].mesh?.parts[0].geometry)
        #expect(geometry.topology == .lines && geometry.indices == [0, 1, 1, 2, 2, 3])
    }

    @Test func camerasAndLights() throws {
        let libraries = """
            <library_cameras><camera id="c"><optics><technique_common><perspective><xfov>90</xfov><aspect_ratio>2</aspect_ratio>
            <znear>10</znear><zfar>100</zfar></perspective></technique_common></optics></camera></library_cameras>
            <library_lights><light id="l"><technique_common><point><color>1 0.5 0</color><constant_attenuation>0</constant_attenuation>
            <quadratic_attenuation>0.25</quadratic_attenuation></point></technique_common></light></library_lights>
            """
        let text = COLLADAText.document(
            libraries, nodes: "<node><instance_camera url=\"#c\"/><instance_light url=\"#l\"/></node>", asset: "<unit meter=\"0.1\"/>")
        let loaded = try COLLADAText.load(text)
        let node = try #require(loaded.scene.rootNode.childNodes.first?.childNodes.first)
        let camera = try #require(node.camera)
        #expect(abs(camera.near - 1) < 1e-6 && abs(camera.far - 10) < 1e-5 && camera.aspectRatio == nil)
        guard case .perspective(let angle) = camera.projection else {
            Issue.record("not perspective")
            return
        }
        #expect(abs(tan(angle.radians / 2) - 0.5) < 1e-5)
        // At distance d the file's light has 1 / (0.25 d²) and d counts tenths of a metre; π candela at 1 m show 1.
        #expect(abs((node.light?.intensity ?? 0) - .pi * 0.01 / 0.25) < 1e-5)
        #expect(loaded.warnings.isEmpty)
    }

    /// Per metre, where the file has it per tenth of one; and back.
    @Test func attenuationIsTheFiles() throws {
        let library = """
            <library_lights><light id="l"><technique_common><point><color>1 1 1</color><constant_attenuation>2</constant_attenuation>
            <linear_attenuation>0.5</linear_attenuation></point></technique_common></light></library_lights>
            """
        let text = COLLADAText.document(library, nodes: "<node><instance_light url=\"#l\"/></node>", asset: "<unit meter=\"0.1\"/>")
        let loaded = try COLLADAText.load(text)
        let light = try #require(loaded.scene.rootNode.childNodes.first?.childNodes.first?.light)
        #expect(light.attenuation == .polynomial(constant: 2, linear: 5, quadratic: 0) && light.intensity == .pi && loaded.warnings.isEmpty)
        let written = try ModelFile.encode(loaded.scene, as: .collada, name: "a.dae")
        let again = try COLLADAText.load(String(decoding: written.files[0].bytes, as: UTF8.self)).scene
        var found: Light?
        again.rootNode.forSubtree { found = $0.light ?? found }
        #expect(found?.attenuation == light.attenuation && found?.intensity == .pi)
        let glb = try ModelFile.encode(loaded.scene, as: .glb, name: "a.glb")
        #expect(glb.warnings.map(\.message) == ["a light's attenuation other than 1/d²: not written"])
    }

    /// As in the conformance file `unitandup_axis`: +Z up is a quarter turn about x, inches are the camera's own.
    @Test func aCameraMayHaveUnitsAndAxesOfItsOwn() throws {
        let library = """
            <library_cameras><camera id="c"><asset><unit meter="0.0254"/><up_axis>Z_UP</up_axis></asset><optics><technique_common>
            <orthographic><ymag>100</ymag><znear>39.3701</znear><zfar>3937.01</zfar></orthographic></technique_common></optics></camera>
            </library_cameras>
            """
        let loaded = try COLLADAText.load(COLLADAText.document(library, nodes: "<node name=\"n\"><instance_camera url=\"#c\"/></node>"))
        let node = try #require(loaded.scene.rootNode.childNodes.first?.childNodes.first)
        let camera = try #require(node.camera)
        #expect(abs(camera.near - 1) < 1e-5 && abs(camera.far - 100) < 1e-3 && camera.projection == .orthographic(scale: 2.54))
        #expect(length(node.transform.transform(direction: Vector3(0, 0, -1)) - Vector3(0, 1, 0)) < 1e-6)
    }

    @Test func otherDocuments() throws {
        let other =
            "<COLLADA><library_geometries>" + COLLADAText.mesh(Self.square, "<triangles>\(COLLADAText.vertexInput)<p>0 1 2</p></triangles>")
            + "</library_geometries></COLLADA>"
        let text = COLLADAText.document(
            nodes: "<node><instance_geometry url=\"parts/b%20c.dae#g\"/></node><node><instance_geometry url=\"no.dae#g\"/></node>")
        let loaded = try COLLADAText.load(text, files: ["parts/b c.dae": Array(other.utf8)])
        #expect(WorldTriangles(loaded.scene).corners.count == 3)
        #expect(loaded.warnings.contains { $0.message.contains("no.dae") })
    }
}
