import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport

@Suite struct OBJTests {
    private func material() throws -> Material {
        let colour = try WriterScenes.image(4, 4) { x, y in [UInt8(60 * x), UInt8(60 * y), 128, 255] }
        let rough = try WriterScenes.image(4, 4) { x, y in [1, UInt8(50 * x + y), 3, 255] }
        let material = Material(name: "two words", baseColor: Color(linearRed: 0.5, green: 0.25, blue: 1), metalness: 0.25, roughness: 0.75)
        material.baseColor.map = TextureMap(Texture(colour, sampler: Sampler(wrapS: .clampToEdge, wrapT: .clampToEdge)))
        material.roughness = ScalarSlot(0.75, map: TextureMap(Texture(rough)), channel: .green)
        return material
    }

    @Test func aSceneRoundTrips() async throws {
        let scene = try WriterScenes.square(material())
        let node = scene.rootNode.childNodes[0]
        node.position = Vector3(1, 2, 3)
        node.scale = Vector3(-2, 1, 1)
        let second = Node(
            name: "other", mesh: Mesh(geometry: try WriterScenes.squareGeometry(), material: Material(name: "plain", roughness: 0.125)))
        scene.rootNode.addChildNode(second)
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("thing.obj")
            #expect(try ModelFile.write(scene, to: url).isEmpty)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names == ["thing.mtl", "thing.obj", "thing_0.png", "thing_1.png"])
            let loaded = try await SceneFile.load(url)
            #expect(loaded.warnings.isEmpty && loaded.format == .obj)
            let nodes = loaded.scene.rootNode.childNodes
            #expect(nodes.map(\.name) == ["square/square", "other"])
            let part = try #require(nodes.first?.mesh?.parts.first)
            // The node mirrors: corners come the other way round, normals point out still.
            #expect(part.geometry.attribute(.position)?.values == [1, 2, 3, -1, 3, 3, -1, 2, 3, 1, 3, 3.25])
            #expect(part.geometry.attribute(.textureCoordinate(set: 0))?.values == [0, 1, 1, 0, 1, 1, 0, 0.125])
            #expect(part.geometry.indices == [0, 1, 2, 0, 3, 1])
            let normals = try #require(part.geometry.attribute(.normal)?.values)
            #expect(normals[2] == 1 && normals[9] < 0 && abs(length(Vector3(normals[9], normals[10], normals[11])) - 1) < 1e-6)
            let read = part.material
            #expect(read.name == "two_words" && abs(read.roughness.factor - 0.75) < 1e-6 && read.metalness.factor == 0.25)
            #expect(length(read.baseColor.factor - Vector4(0.5, 0.25, 1, 1)) < 1e-5)
            #expect(read.baseColor.map?.texture.sampler.wrapS == .clampToEdge)
            guard case .image(let rough)? = read.roughness.map?.texture.content else { throw Missing() }
            // The green channel alone, in every channel.
            #expect(Array(rough.bytes[4..<7]) == [50, 50, 50])
            #expect(nodes[1].mesh?.parts[0].material.roughness.factor == 0.125)
        }
    }

    private struct Missing: Error {}

    private func load(_ text: String, mtl: String? = nil) async throws -> LoadedScene {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.obj")
            try Data(text.utf8).write(to: url)
            if let mtl { try Data(mtl.utf8).write(to: folder.appendingPathComponent("a.mtl")) }
            return try await SceneFile.load(url)
        }
    }

    @Test func polygonsIndicesAndColours() async throws {
        let text = """
            # a comment
            v 0 0 0 1 0 0
            v 1 0 0 0 1 0\\
             # joined
            v 1 1 0
            v 0 1e0 0
            v 0 2 0
            f -5 -4 -3 4 5
            l 1 2 3
            p 1
            curv 0 1 1 2
            """
        let loaded = try await load(text.replacingOccurrences(of: "\\\n # joined", with: "\\\n"))
        let parts = try #require(loaded.scene.rootNode.childNodes.first?.mesh?.parts)
        #expect(parts.map(\.geometry.topology) == [.triangles, .lines, .points])
        #expect(parts[0].geometry.triangleCount == 3)
        #expect(parts[1].geometry.elementCount == 4 && parts[2].geometry.elementCount == 1)
        #expect(parts[2].geometry.attribute(.color(set: 0))?.values == [1, 0, 0])
        // No normals: flat ones are made.
        #expect(parts[0].geometry.attribute(.normal)?.values.prefix(3) == [0, 0, 1])
        #expect(loaded.warnings.map(\.description) == ["line 11: statements \"curv\" are not supported"])
    }

    @Test func materialsOfOtherPrograms() async throws {
        let text = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl A b\nf 1 2 3\nusemtl none\nf 1 2 3\n"
        let mtl = "newmtl A b\nKd 1 0.5 0\nNs 0\nd 0.5\nmap_Kd -s 1 1 1 ../secret.png\nmap_Bump x.png\n"
        let loaded = try await load(text, mtl: mtl)
        let parts = try #require(loaded.scene.rootNode.childNodes.first?.mesh?.parts)
        #expect(parts[0].material.name == "A b" && parts[0].material.alphaMode == .blend && parts[0].material.baseColor.factor.w == 0.5)
        let warnings = loaded.warnings.map(\.description)
        #expect(warnings.count == 3 && warnings.first == "usemtl none: no readable library contains the material")
        #expect(warnings[1].hasPrefix("a.mtl:line 5: the texture \"../secret.png\" was omitted: lies in "))
        #expect(warnings[1].contains("outside the model's folder") && warnings[1].contains("--allow-folder"))
        #expect(warnings[2] == "a.mtl:line 6: the texture \"x.png\" was omitted: no such file or directory")
    }

    /// A round trip keeps highlights, opacity, normals, clearcoat and emission.
    @Test func everyStatementOfMaterials() async throws {
        let normals = try WriterScenes.image(4, 4) { x, y in [UInt8(120 + x), UInt8(120 + y), 250, 255] }
        let grey = try WriterScenes.image(4, 4) { x, y in [UInt8(40 * x), UInt8(40 * x), UInt8(40 * x), 255] }
        let mtl = """
            newmtl shiny
            Kd 0.5 0.5 0.5
            Ks 0.25 0.5 1
            Ns 96
            illum 2
            map_Bump -bm 0.5 n.png
            map_d g.png
            Ke 0.5 0 0
            Pc 0.75
            Pcr 0.125
            disp -mm -0.5 2 g.png
            newmtl bumpy
            bump g.png
            """
        let text = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl shiny\nf 1/1 2/1 3/1\nusemtl bumpy\nf 1/1 2/1 3/1\n"
        try await withTemporaryDirectory { folder in
            try Data(text.utf8).write(to: folder.appendingPathComponent("a.obj"))
            try Data(mtl.utf8).write(to: folder.appendingPathComponent("a.mtl"))
            try normals.write(to: folder.appendingPathComponent("n.png"))
            try grey.write(to: folder.appendingPathComponent("g.png"))
            let loaded = try await SceneFile.load(folder.appendingPathComponent("a.obj"))
            #expect(loaded.warnings.map(\.description) == ["a.mtl:line 13: a bump map of heights is not supported"])
            let first = try #require(loaded.scene.rootNode.childNodes[0].mesh?.parts[0].material)
            check(first)
            #expect(first.lightingModel == .physicallyBased && abs(first.highlight.color.factor.z - 1) < 1e-6)
            first.lightingModel = .blinn
            let warnings = try ModelFile.write(loaded.scene, to: folder.appendingPathComponent("b.obj"))
            #expect(warnings.isEmpty, "\(warnings)")
            let again = try await SceneFile.load(folder.appendingPathComponent("b.obj"))
            let second = try #require(again.scene.rootNode.childNodes[0].mesh?.parts[0].material)
            check(second)
            #expect(abs(second.highlight.color.factor.x - linearFromSRGB(0.25)) < 1e-5)
        }
    }

    /// Finite in the file, infinite as light.
    @Test func coloursOutOfRangeAreOmitted() async throws {
        let loaded = try await load(
            "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n", mtl: "newmtl m\nKd 99999999999999999999 0 0\nKe 1 0 0\n")
        let material = try #require(loaded.scene.rootNode.childNodes.first?.mesh?.parts[0].material)
        #expect(abs(material.baseColor.factor.x - 0.8) < 0.2 && material.emission.factor.x == 1)
    }

    private func check(_ material: Material) {
        #expect(material.highlight.shininess == 96 && material.normal.map != nil && material.normal.scale == 0.5)
        #expect(material.opacity.map != nil && material.opacity.channel == .red && material.alphaMode == .blend)
        #expect(abs(material.emission.factor.x - linearFromSRGB(0.5)) < 1e-6)
        #expect(material.clearcoat.factor.factor == 0.75 && material.clearcoat.roughness.factor == 0.125)
        #expect(material.displacement.map != nil && material.displacement.scale == 2 && material.displacement.bias == -0.5)
    }

    @Test(arguments: [
        ("v 0 0\n", "line 1: a number is missing"), ("v 0 0 x\n", "line 1: \"x\" is not a number"),
        ("v 0 0 0\nf 1 1 2\n", "line 2: vertex 2 of 1 does not exist"), ("v 0 0 0\nf 1 1 0\n", "line 2: vertex 0 of 1 does not exist"),
        ("v 0 0 0\nf 1 1 1/a\n", "line 2: \"a\" is not the number of a vertex"),
        ("v 0 0 0\nf 1 1 //1\n", "line 2: a corner has no position"),
    ])
    func whatIsWrongIsNamed(text: String, message: String) async throws {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.obj")
            try Data(text.utf8).write(to: url)
            await #expect { try await SceneFile.load(url) } throws: {
                "\($0)" == "\(url.path):\(message)"
            }
        }
    }

    @Test func facesOfTooManyCornersAreRefused() async throws {
        func text(_ corners: Int) -> String { "v 0 0 0\nf" + String(repeating: " 1", count: corners) + "\n" }
        let largest = try await load(text(65_536))
        #expect(largest.scene.rootNode.childNodes.first?.mesh?.parts.first?.geometry.triangleCount == 65_534)
        await #expect {
            try await load(text(65_537))
        } throws: {
            "\($0)".hasSuffix("a.obj:line 2: a face has more than 65536 corners")
        }
    }

    /// A comb of 4,094 corners took seconds, twenty of them minutes: the teeth are covered, and nothing outside.
    @Test func combsOfThousandsOfCornersAreSplit() async throws {
        let top = (0..<2047).map { (Float($0), Float($0 % 2 == 0 ? 1 : 0)) }
        let corners = top + top.reversed().map { ($0, $1 - 0.5) }
        let vertices = corners.map { "v \($0.0) \($0.1) 0\n" }.joined()
        let face = "f" + corners.indices.map { " \($0 + 1)" }.joined() + "\n"
        let loaded = try await load(vertices + String(repeating: face, count: 3))
        let geometry = try #require(loaded.scene.rootNode.childNodes.first?.mesh?.parts.first?.geometry)
        #expect(geometry.triangleCount == 3 * 4092)
        let points = try #require(geometry.attribute(.position)?.values)
        var (area, turned) = (Float(0), 0)
        let indices = geometry.indices ?? (0..<UInt32(geometry.vertexCount)).map { $0 }
        for first in stride(from: 0, to: indices.count, by: 3) {
            let p = (0..<3).map { SIMD2(points[3 * Int(indices[first + $0])], points[3 * Int(indices[first + $0]) + 1]) }
            let twice = (p[1] - p[0]).x * (p[2] - p[0]).y - (p[1] - p[0]).y * (p[2] - p[0]).x
            // The outline is clockwise.
            if twice > 0 { turned += 1 }
            area += abs(twice) / 2
        }
        #expect(turned == 0)
        #expect(abs(area - 3 * 0.5 * 2046) < 1, "\(area)")
    }

    /// 20,000 options on a line took a minute.
    @Test func anyNumberOfOptionsOfAMapIsRead() async throws {
        let options = String(repeating: "-a -s 2 ", count: 10_000) + "-clamp on"
        let loaded = try await load(
            "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n", mtl: "newmtl m\nmap_Kd \(options) my image.png\n")
        #expect(
            loaded.warnings.map(\.description).sorted() == [
                "a.mtl:line 2: the option -a is not supported",
                "a.mtl:line 2: the texture \"my image.png\" was omitted: no such file or directory",
            ])
    }

    @Test func numbersAreReadExactly() async throws {
        let values: [Float] = [
            0.1, 1e-7, 123456.79, 3.4028235e38, 1.1754944e-38, 0.333333343, 16_777_216, -Float.leastNonzeroMagnitude, 8.5899346e9,
        ]
        for value in values {
            let loaded = try await load("v \(value) 0 0\nv 0 0 0\np 1\n")
            #expect(loaded.scene.rootNode.childNodes[0].mesh?.parts[0].geometry.attribute(.position)?.values[0] == value)
        }
    }
}

@Suite struct PLYTests {
    @Test func aMeshRoundTrips() async throws {
        let image = try WriterScenes.image(2, 2) { x, y in [UInt8(255 * x), UInt8(255 * y), 0, 255] }
        let material = Material(name: "m")
        material.baseColor.map = TextureMap(Texture(image))
        let scene = try WriterScenes.square(material)
        scene.rootNode.childNodes[0].position = Vector3(0, 0, 5)
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.ply")
            let warnings = try ModelFile.write(scene, to: url)
            #expect(warnings.map(\.description) == ["material \"m\": the base colour's texture: kept as colours of vertices only"])
            let loaded = try await SceneFile.load(url)
            let geometry = try #require(loaded.scene.rootNode.childNodes.first?.mesh?.parts.first?.geometry)
            #expect(loaded.format == .ply && loaded.warnings.isEmpty && geometry.indices == [0, 1, 2, 0, 2, 3])
            #expect(geometry.attribute(.position)?.values == [0, 0, 5, 1, 0, 5, 1, 1, 5, 0, 1, 5.25])
            #expect(geometry.attribute(.normal)?.values.prefix(3) == [0, 0, 1])
            // Corners of the image: v goes down.
            let colours = try #require(geometry.attribute(.color(set: 0))?.values)
            #expect(colours[0..<3] == [0, 1, 0] && colours[4..<7] == [1, 1, 0] && colours[8..<11] == [1, 0, 0])
        }
    }

    @Test func pointsRoundTrip() async throws {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("cloud.ply")
            let positions = [Vector3(1, 2, 3), Vector3(-0.5, 0, 1e-3)]
            let normals = [Vector3(0, 1, 0), Vector3(1, 0, 0)]
            let colors = [SIMD4<UInt8>(1, 128, 255, 255), SIMD4<UInt8>(17, 0, 99, 255)]
            try PointCloudFile.write(positions: positions, normals: normals, colors: colors, to: url)
            let geometry = try #require(try await SceneFile.load(url).scene.rootNode.childNodes.first?.mesh?.parts.first?.geometry)
            #expect(geometry.topology == .points)
            #expect(geometry.attribute(.position)?.values == [1, 2, 3, -0.5, 0, 1e-3])
            #expect(geometry.attribute(.normal)?.values == [0, 1, 0, 1, 0, 0])
            let read = try #require(geometry.attribute(.color(set: 0))?.values)
            let bytes = read.enumerated().filter { $0.offset % 4 < 3 }.map { UInt8(sRGBFromLinear($0.element) * 255 + 0.5) }
            #expect(bytes == [1, 128, 255, 17, 0, 99])
            #expect(throws: ModelFileError.self) { try PointCloudFile.write(positions: positions, normals: [normals[0]], to: url) }
            #expect(throws: ModelFileError.self) { try PointCloudFile.write(positions: [Vector3(.nan, 0, 0)], to: url) }
        }
    }

    private static let text = """
        ply
        format ascii 1.0
        comment made by hand
        element vertex 5
        property double x
        property float y
        property float z
        property uchar quality
        element face 2
        property list uchar int vertex_index
        element edge 1
        property int vertex1
        property int vertex2
        end_header
        0 0 0 9
        1 0 0 9
        1 1 0 9
        0 1 0 9
        0.5 2 0 9
        3 0 1 2
        4 0 2 4 3
        0 1
        """

    @Test func textIsRead() async throws {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.ply")
            try Data(Self.text.utf8).write(to: url)
            let loaded = try await SceneFile.load(url)
            let geometry = try #require(loaded.scene.rootNode.childNodes.first?.mesh?.parts.first?.geometry)
            #expect(geometry.indices == [0, 1, 2, 0, 2, 4, 0, 4, 3] && geometry.attribute(.normal)?.values.prefix(3) == [0, 0, 1])
            #expect(loaded.warnings.map(\.description) == ["vertex/quality: is not supported", "edge: 1 elements are not supported"])
        }
    }

    @Test(arguments: [
        ("element vertex 5", "element vertex 5000000000", "line 15: 5000000000 elements \"vertex\" do not fit into the file"),
        ("element vertex 5", "element vertex -1", "line 4: must be: element NAME COUNT"),
        ("property double x", "property real x", "line 5: a property is invalid"),
        ("ascii", "utf8", "line 2: the format is unknown"),
        ("end_header", "comment", "line 15: \"0\" is not a statement of a PLY header"),
        ("3 0 1 2", "3 0 1 9", "face 0: vertex 9.0 of 5 does not exist"), ("4 0 2 4", "900 0 2 4", "line 21: a list has 900.0 numbers"),
        ("0.5 2 0 9", "0.5 2 x 9", "line 19: the row has fewer values than the header declares, or one is not a number"),
        ("property float z", "property float w", "line 15: the vertices have no x, y and z"),
        ("vertex_index", "corners", "line 20: the faces have no vertex_indices"),
    ])
    func whatIsWrongIsNamed(from: String, to: String, message: String) async throws {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.ply")
            try Data(Self.text.replacingOccurrences(of: from, with: to).utf8).write(to: url)
            do {
                _ = try await SceneFile.load(url)
                Issue.record("was read")
            } catch {
                #expect("\(error)" == "\(url.path):\(message)")
            }
        }
    }

    @Test func everyBinaryNumberIsRead() async throws {
        // Big endian: x as a short, y as a double, z as an unsigned byte.
        let header =
            "ply\nformat binary_big_endian 1.0\nelement vertex 2\nproperty short x\nproperty double y\nproperty uchar z\nend_header\n"
        let bytes =
            Array(header.utf8) + [0xFF, 0xFE] + [0x3F, 0xE0, 0, 0, 0, 0, 0, 0] + [7] + [0, 3] + [0xC0, 0, 0, 0, 0, 0, 0, 0] + [255]
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.ply")
            try AtomicFile.write(bytes, to: url)
            let geometry = try #require(try await SceneFile.load(url).scene.rootNode.childNodes.first?.mesh?.parts.first?.geometry)
            #expect(geometry.attribute(.position)?.values == [-2, 0.5, 7, 3, -2, 255])
        }
    }

    /// Cut anywhere, a file is an error and nothing worse.
    @Test func cutFilesAreErrors() async throws {
        let model = try ModelFile.encode(WriterScenes.square(Material()), as: .ply, name: "a.ply").files[0].bytes
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.ply")
            for length in stride(from: 4, to: model.count, by: 5) {
                try AtomicFile.write(Array(model[..<length]), to: url)
                await #expect(throws: ModelFileError.self) { try await SceneFile.load(url) }
            }
        }
    }
}
