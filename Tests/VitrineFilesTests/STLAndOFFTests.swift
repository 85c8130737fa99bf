import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport

@Suite struct STLAndOFFTests {
    private func read(_ text: String) throws -> LoadedScene { try read(Array(text.utf8)) }

    private func read(_ bytes: [UInt8]) throws -> LoadedScene {
        try SceneFile.read(bytes, name: "a.model") { path throws(FileError) in throw FileError(path: path, reason: "none") }
    }

    private func positions(_ loaded: LoadedScene, _ node: Int = 0) -> [Float]? {
        loaded.scene.rootNode.childNodes[node].mesh?.parts[0].geometry.attribute(.position)?.values
    }

    @Test func textWithOddBlanksAndSeveralSolids() throws {
        let loaded = try read(
            "  SOLID first part\r\n facet normal 0 0 1\r\n\touter  loop\r\n vertex 0 0 0 vertex 1 0 0\r\n\r\nVERTEX 0\n1e0\n0\n endloop endfacet\n"
                + "endsolid first part\nsolid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid"
        )
        #expect(loaded.format == .stl && loaded.scene.rootNode.childNodes.map(\.name) == ["first part", "a"])
        #expect(positions(loaded) == [0, 0, 0, 1, 0, 0, 0, 1, 0] && loaded.warnings.isEmpty)
        let normal = loaded.scene.rootNode.childNodes[1].mesh?.parts[0].geometry.attribute(.normal)?.values
        #expect(normal == [1, 0, 0, 1, 0, 0, 1, 0, 0])
        #expect { try read("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 zero\n") } throws: { "\($0)".contains("line 4") }
        #expect { try read("solid a\nfacet x\nouter loop\nvertex 0 0 0\nendloop") } throws: { "\($0)".contains("a triangle has 1 corners") }
    }

    private func binary(header: String, triangles: [(corners: [Float], attribute: UInt16)]) -> [UInt8] {
        var bytes = Array(header.utf8.prefix(80))
        bytes += Array(repeating: 0x20, count: 80 - bytes.count)
        func append<Number>(_ value: Number) { withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) } }
        append(UInt32(triangles.count).littleEndian)
        for triangle in triangles {
            for value in [0, 0, 0] + triangle.corners { append(value.bitPattern.littleEndian) }
            append(triangle.attribute.littleEndian)
        }
        return bytes
    }

    private let corner: [Float] = [0, 0, 0, 2, 0, 0, 0, 2, 0]

    /// Many programs begin binary files as text begins.
    @Test func binaryThatBeginsWithSolid() throws {
        let loaded = try read(binary(header: "solid facet of a program", triangles: [(corner, 0), (corner, 0)]))
        #expect(loaded.format == .stl && positions(loaded)?.count == 18 && loaded.warnings.isEmpty)
        let longer = try read(binary(header: "made by hand", triangles: [(corner, 0)]) + [1, 2, 3])
        #expect(longer.warnings.map(\.message) == ["3 bytes follow the last triangle"])
    }

    @Test func coloursOfTwoPrograms() throws {
        // VisCAM: marked, blue lowest: red 31.
        let viscam = try read(binary(header: "x", triangles: [(corner, 0x8000 | 31 << 10), (corner, 0)]))
        let colours = viscam.scene.rootNode.childNodes[0].mesh?.parts[0].geometry.attribute(.color(set: 0))?.values
        #expect(colours?.prefix(4) == [1, 0, 0, 1] && colours?.suffix(4) == [1, 1, 1, 1])
        // Magics: not marked, red lowest; marked ones have the header's colour.
        let header = binary(header: "COLOR=", triangles: [(corner, 31), (corner, 0x8000)])
        var magics = header
        magics.replaceSubrange(6..<10, with: [0, 255, 0, 255])
        let others = try read(magics).scene.rootNode.childNodes[0].mesh?.parts[0].geometry.attribute(.color(set: 0))?.values
        #expect(others?.prefix(4) == [1, 0, 0, 1] && others?.suffix(4) == [0, 1, 0, 1])
    }

    @Test func writtenContentsRoundTrip() throws {
        let scene = try WriterScenes.square(Material())
        scene.rootNode.childNodes[0].position = Vector3(1, 2, 3)
        let model = try ModelFile.encode(scene, as: .stl, name: "a.stl")
        #expect(model.warnings.map(\.message) == ["1 materials: not written", "texture coordinates: not written"])
        let back = try read(model.files[0].bytes)
        #expect(positions(back) == [1, 2, 3, 2, 2, 3, 2, 3, 3, 1, 2, 3, 2, 3, 3, 1, 3, 3.25])
    }

    @Test func polygonsColoursAndComments() throws {
        let loaded = try read(
            "COFF # colours\n4 1 0\n0 0 0 255 0 0 255\n1 0 0 255 0 0 255\n1 1 0 255 0 0 255\n0 1 0 0 0 255 128\n4 0 1 2 3\n")
        let geometry = try #require(loaded.scene.rootNode.childNodes.first?.mesh?.parts[0].geometry)
        #expect(loaded.format == .off && geometry.triangleCount == 2 && loaded.warnings.isEmpty)
        #expect(geometry.attribute(.color(set: 0))?.values.prefix(4) == [1, 0, 0, 1])
        #expect { try read("OFF\n1 1 0\n0 0 0\n3 0 1 2\n") } throws: { "\($0)".contains("vertex 1 of 1 does not exist") }
        #expect { try read("OFF\n99999999 1 0\n") } throws: { "\($0)".contains("do not fit into the file") }
        #expect { try read("OFF BINARY\n") } throws: { "\($0)".contains("binary form of OFF") }
    }

    /// An arrow head: split from its first corner it would have a triangle outside of itself.
    @Test func concavePolygonsKeepTheirShape() throws {
        for text in [
            "OFF\n4 1 0\n0 0 0\n2 0 0\n0.5 0.5 0\n0 2 0\n4 1 2 3 0\n",
            "v 0 0 0\nv 2 0 0\nv .5 .5 0\nv 0 2 0\nf 2 3 4 1\n",
            "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
                + "property list uchar int vertex_indices\nend_header\n0 0 0\n2 0 0\n.5 .5 0\n0 2 0\n4 1 2 3 0\n",
        ] {
            let geometry = try #require(try read(text).scene.rootNode.childNodes.first?.mesh?.parts[0].geometry)
            let values = try #require(geometry.attribute(.position)).values
            let corners = geometry.triangleIndices
            var area: Float = 0
            for first in stride(from: 0, to: corners.count, by: 3) {
                let points = (0..<3).map { corner -> Vector3 in
                    let start = Int(corners[first + corner]) * 3
                    return Vector3(values[start], values[start + 1], values[start + 2])
                }
                let normal = cross(points[1] - points[0], points[2] - points[0])
                #expect(normal.z > 0)
                area += length(normal) / 2
            }
            #expect(abs(area - 1) < 1e-6)
        }
    }

    @Test func smoothingGroupsShareNormals() throws {
        let roof = "v 0 0 0\nv 1 0 0\nv 1 1 1\nv 0 1 1\nv 1 2 0\nv 0 2 0\n"
        func normals(_ text: String) throws -> [Vector3] {
            let values = try read(text).scene.rootNode.childNodes[0].mesh?.parts[0].geometry.attribute(.normal)?.values ?? []
            return stride(from: 0, to: values.count, by: 3).map { Vector3(values[$0], values[$0 + 1], values[$0 + 2]) }
        }
        let smooth = try normals(roof + "s 1\nf 1 2 3 4\nf 4 3 5 6\n")
        #expect(smooth.contains { length($0 - Vector3(0, 0, 1)) < 1e-6 })
        let sharp = try normals(roof + "s 1\nf 1 2 3 4\ns 2\nf 4 3 5 6\n")
        #expect(!sharp.contains { length($0 - Vector3(0, 0, 1)) < 1e-3 })
        #expect(try normals(roof + "s off\nf 1 2 3 4\nf 4 3 5 6\n").allSatisfy { abs($0.z) < 0.8 })
    }
}
