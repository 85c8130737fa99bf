import Foundation
import Testing
import VitrineFiles
import VitrineGLTF
import VitrineMath
import VitrineScene
import VitrineTestSupport

/// The rule for all readers: files that violate the format but have one obvious interpretation are repaired with a warning, and refused where because
/// of --strict.
@Suite struct RepairTests {
    private func read(_ bytes: [UInt8], _ name: String = "a", isStrict: Bool = false) throws -> LoadedScene {
        var options = ModelLoadOptions()
        options.isStrict = isStrict
        return try SceneFile.read(bytes, name: name, options: options) { (path) throws(FileError) in
            throw FileError(path: path, reason: "no files here")
        }
    }

    private func read(_ text: String, isStrict: Bool = false) throws -> LoadedScene { try read(Array(text.utf8), isStrict: isStrict) }

    private func geometry(_ scene: Scene) -> Geometry? { scene.rootNode.childNodes.first?.mesh?.parts.first?.geometry }

    /// Reads the text, compares the warnings, and makes sure that reading strictly refuses it.
    private func repaired(_ text: String, _ warnings: [String], location: SourceLocation = #_sourceLocation) throws -> Scene {
        let loaded = try read(text)
        #expect(loaded.warnings.map(\.description) == warnings, sourceLocation: location)
        #expect(sourceLocation: location) {
            try read(text, isStrict: true)
        } throws: {
            guard let error = $0 as? ModelFileError, case .strict(_, let others) = error.reason else { return false }
            return others == warnings.count - 1 && "\(error)".hasPrefix("a:\(error.location): ")
                && "\(error)".contains("because of --strict")
        }
        return loaded.scene
    }

    private static let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

    // MARK: OBJ

    @Test func soundFilesAreReadStrictly() throws {
        #expect(try read(Self.corners + "f 1 2 3\n", isStrict: true).warnings.isEmpty)
    }

    @Test func cornersOfMissingStreams() throws {
        let scene = try repaired(
            Self.corners + "f 1/1/1 2/2/2 3/3/3\n",
            [
                "line 4: a corner refers to a texture coordinate that does not exist; it was ignored (3 times)",
                "line 4: a corner refers to a normal that does not exist; it was ignored (3 times)",
            ])
        let geometry = try #require(self.geometry(scene))
        #expect(geometry.triangleCount == 1 && geometry.attribute(.textureCoordinate(set: 0)) == nil)
        #expect(geometry.attribute(.normal)?.values.prefix(3) == [0, 0, 1])
        // A position that does not exist cannot be repaired.
        #expect { try read(Self.corners + "f 1 2 4\n") } throws: { "\($0)" == "a:line 4: vertex 4 of 3 does not exist" }
    }

    @Test func smallFacesAndCommentsBehindStatements() throws {
        let scene = try repaired(
            Self.corners + "f 1 2 # an edge\nf 1\nf 1 2 3 # whole\nv 0 0 1 # last\n",
            ["line 4: a face of fewer than three corners was ignored (2 times)"])
        #expect(geometry(scene)?.triangleCount == 1)
    }

    @Test func numbersThatAreNotFinite() throws {
        let scene = try repaired(
            "v 0 0 0 nan NaN -nan(ind)\nv 1 -inf 0 0 0 0\nv 0 1 1e999 1 1 1\nvt 1.#QNAN 1.#INF\nf 1/1 2/1 3/1\n",
            [
                "line 1: the colour is infinite or not a number and was set to 1 (3 times)",
                "line 2: the number is infinite or not a number and was set to 0 (4 times)",
            ])
        let geometry = try #require(self.geometry(scene))
        #expect(geometry.attribute(.position)?.values == [0, 0, 0, 1, 0, 0, 0, 1, 0])
        #expect(geometry.attribute(.color(set: 0))?.values == [1, 1, 1, 0, 0, 0, 1, 1, 1])
        #expect(geometry.attribute(.textureCoordinate(set: 0))?.values.prefix(2) == [0, 1])
        #expect { try read("v 1 2 east\n") } throws: { "\($0)" == "a:line 1: \"east\" is not a number" }
        #expect { try read("v 1 2\n") } throws: { "\($0)" == "a:line 1: a number is missing" }
    }

    // MARK: OFF, STL

    @Test func offBehindBlanksAndComments() throws {
        let body = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
        for start in ["", "  \n\t ", String(repeating: " \n", count: 10_000), "# by hand\n\n  # twice\n "] {
            let loaded = try read(start + body)
            #expect(loaded.format == .off && loaded.warnings.isEmpty && geometry(loaded.scene)?.triangleCount == 1)
        }
        _ = try repaired(
            "OFF\n3 2 0\n0 0 nan\n1 0 0\n0 1 0\n3 0 1 2\n2 0 1\n",
            [
                "line 3: the number is infinite or not a number and was set to 0",
                "line 7: a face of fewer than three corners was ignored",
            ])
    }

    @Test func stlWithNumbersThatAreNotFinite() throws {
        let text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 nan\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"
        let scene = try repaired(text, ["line 5: the number is infinite or not a number and was set to 0"])
        #expect(geometry(scene)?.attribute(.position)?.values == [0, 0, 0, 1, 0, 0, 0, 1, 0])
        let numbers: [Float] = [0, 0, 1, 0, 0, 0, 1, 0, .infinity, 0, 1, 0]
        let binary = [UInt8](repeating: 0, count: 80) + [1, 0, 0, 0] + numbers.flatMap { Self.bytes($0.bitPattern) } + [0, 0]
        #expect(try read(binary).warnings.map(\.location) == ["triangle 0"])
    }

    private static func bytes(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    // MARK: PLY

    private static func ply(_ rows: String, vertices: Int = 3, faces: Int = 1, format: String = "ascii") -> String {
        """
        ply
        format \(format) 1.0
        element vertex \(vertices)
        property float x
        property float y
        property float z
        element face \(faces)
        property list uchar int vertex_indices
        end_header

        """ + rows
    }

    @Test func rowsOfPLY() throws {
        let sound = Self.ply("0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
        #expect(try read(sound, isStrict: true).warnings.isEmpty)
        let scene = try repaired(
            Self.ply("0 0 0 9 9\n\n1 0 0 9\n0 1 0\n3 0 1 2 255 0 0\n"),
            ["line 10: the row has more values than the header declares; the rest was ignored (3 times)"])
        #expect(geometry(scene)?.attribute(.position)?.values == [0, 0, 0, 1, 0, 0, 0, 1, 0])
        let short = "the row has fewer values than the header declares, or one is not a number"
        #expect { try read(Self.ply("0 0\n1 0 0\n0 1 0\n3 0 1 2\n")) } throws: { "\($0)" == "a:line 10: \(short)" }
        #expect { try read(Self.ply("0 0 0\n1 0 0\n0 1 0\n3 0 1\n2\n")) } throws: { "\($0)" == "a:line 13: \(short)" }
        #expect { try read(Self.ply("0 0 0\n1 0 0\n0 1 0\n")) } throws: {
            "\($0)" == "a:line 13: 1 elements \"face\" do not fit into the file"
        }
    }

    @Test func verticesOfPLYThatAreNotFinite() throws {
        let scene = try repaired(
            Self.ply("0 0 0\n1 nan 0\n0 1 inf\n3 0 1 2\n"),
            ["vertex 1: the number is infinite or not a number and was set to 0 (2 times)"])
        #expect(geometry(scene)?.attribute(.position)?.values == [0, 0, 0, 1, 0, 0, 0, 1, 0])
        let numbers: [Float] = [0, 0, 0, 1, .nan, 0, 0, 1, 0]
        let binary = Array(Self.ply("", faces: 0, format: "binary_little_endian").utf8) + numbers.flatMap { Self.bytes($0.bitPattern) }
        #expect(try read(binary).warnings.map(\.location) == ["vertex 1"])
    }

    // MARK: Encodings

    @Test func textsInUTF16() throws {
        let usda = """
            #usda 1.0
            def Mesh "é" {
                point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)] int[] faceVertexCounts = [3] int[] faceVertexIndices = [0, 1, 2]
                uniform token subdivisionScheme = "none"
            }
            """
        let stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"
        let texts: [(String, ModelFormat)] = [
            ("o é🙂\n" + Self.corners + "f 1 2 3\n", .obj), (Self.ply("0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"), .ply), (usda, .usda), (stl, .stl),
            ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", .off),
        ]
        for (text, format) in texts {
            let little = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
            let big = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
            // UTF-8 with a mark; UTF-16 with a mark, in both orders of bytes; and without.
            var kinds = [[0xEF, 0xBB, 0xBF] + Array(text.utf8), [0xFF, 0xFE] + little, [0xFE, 0xFF] + big]
            if format != .obj { kinds += [little, big] }
            for bytes in kinds {
                let loaded = try read(bytes, isStrict: true)
                #expect(loaded.format == format)
                var triangles = 0
                loaded.scene.rootNode.forSubtree { triangles += $0.mesh?.parts[0].geometry.triangleCount ?? 0 }
                #expect(triangles == 1, "\(format)")
            }
            if format == .obj {
                #expect(try read([0xFF, 0xFE] + little).scene.rootNode.childNodes.map(\.name) == ["é🙂"])
            }
        }
        let wide = [UInt8]([0xFF, 0xFE, 0, 0]) + Self.corners.utf8.flatMap { [$0, 0, 0, 0] as [UInt8] }
        #expect { try read(wide) } throws: { "\($0)" == "a: the text is UTF-32, which is not supported: save it as UTF-8" }
        let json = [UInt8]([0xFF, 0xFE]) + "{}".utf8.flatMap { [$0, 0] as [UInt8] }
        #expect { try read(json) } throws: { "\($0)" == "a: is UTF-16 text, but glTF requires UTF-8: save it as UTF-8" }
    }

    @Test func materialsInUTF16() async throws {
        try await withTemporaryDirectory { folder in
            let mtl = "newmtl m\nKd 1 0 0\n".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
            try Data([0xFF, 0xFE] + mtl).write(to: folder.appendingPathComponent("a.mtl"))
            try Data(("mtllib a.mtl\n" + Self.corners + "usemtl m\nf 1 2 3\n").utf8).write(to: folder.appendingPathComponent("a.obj"))
            let loaded = try await SceneFile.load(folder.appendingPathComponent("a.obj"))
            #expect(loaded.warnings.isEmpty)
            #expect(loaded.scene.rootNode.childNodes.first?.mesh?.parts.first?.material.baseColor.factor == Vector4(1, 0, 0, 1))
        }
    }

    /// A model and its materials whose names are not UTF-8, written and read through the same functions.
    @Test func fileNamesThatAreNotUTF8() async throws {
        try await withTemporaryDirectory { folder in
            let library = Array("mtllib caf".utf8) + [0xE9] + Array(".mtl\n".utf8)
            let model = library + Array((Self.corners + "usemtl m\nf 1 2 3\n").utf8)
            let name = FileNameText.text(Array("m".utf8) + [0xFF] + Array(".obj".utf8))
            let url = folder.appendingPathComponent(name)
            try AtomicFile.write(model, to: url)
            let mtl = folder.appendingPathComponent(FileNameText.text(Array("caf".utf8) + [0xE9] + Array(".mtl".utf8)))
            try AtomicFile.write(Array("newmtl m\nKd 1 0 0\n".utf8), to: mtl)
            let loaded = try await SceneFile.load(url)
            #expect(loaded.warnings.isEmpty)
            #expect(loaded.scene.rootNode.childNodes.first?.mesh?.parts.first?.material.name == "m")
            // On the disk the names have their bytes.
            let stored = try #require(opendir(folder.path))
            defer { closedir(stored) }
            var names: Set<[UInt8]> = []
            while let entry = readdir(stored) {
                names.insert(withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) })
            }
            #expect(names.contains(Array("m".utf8) + [0xFF] + Array(".obj".utf8)))
            #expect { try FileBytes.read(folder.appendingPathComponent(FileNameText.text([0xFE]))) } throws: {
                "\($0)".hasSuffix("/\\xFE: no such file or directory")
            }
        }
    }
}
