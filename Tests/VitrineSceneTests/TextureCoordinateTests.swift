import Testing
import VitrineGeometry

@testable import VitrineScene

@Suite struct TextureCoordinateTests {
    /// The example of `Geometry.init(positions:…)`, with the results of its comments.
    @Test func geometryFromArrays() throws {
        let corners: [Vector3] = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
        let coordinates: [Vector2] = [[0, 1], [1, 1], [1, 0], [0, 0]]
        let square = try Geometry(positions: corners, textureCoordinates: coordinates, indices: [0, 1, 2, 0, 2, 3])
        #expect(square.triangleCount == 2)
        #expect(square.attribute(.normal)?.values == [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1])
        #expect(square.attribute(.tangent)?.values == [1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1])
        let bare = try Geometry(positions: corners, normals: Array(repeating: .up, count: 4), colors: [[1, 0, 0, 1], .zero, .zero, .zero])
        #expect(bare.triangleCount == 1 && bare.attribute(.tangent) == nil && bare.attribute(.normal)!.vector3(at: 2) == .up)
        #expect(try Geometry(positions: corners, topology: .points).attribute(.normal) == nil)
    }

    @Test func arraysOfUnequalLengthThrow() {
        #expect(throws: GeometryError.missingPositions) { try Geometry(positions: []) }
        #expect(throws: GeometryError.indexOutOfRange(index: 3, vertexCount: 3)) {
            try Geometry(positions: [.zero, .up, .right], indices: [0, 1, 3])
        }
        #expect(throws: GeometryError.unequalVertexCounts(.normal, expected: 3, actual: 1)) {
            try Geometry(positions: [.zero, .up, .right], normals: [.up])
        }
    }

    /// The examples of `mapTextureCoordinates`.
    @Test func textureCoordinatesCanBeEdited() throws {
        let tiled = try Geometry.box().mapTextureCoordinates { $0 * 2 }
        #expect(tiled.attribute(.textureCoordinate(set: 0))!.values.max() == 2 && tiled.vertexCount == 24)
        #expect(tiled.attribute(.tangent) == (try Geometry.box().withTangents()).attribute(.tangent))
        let turned = try Geometry.plane().mapTextureCoordinates { [$0.y, 1 - $0.x] }
        // u grows downwards now.
        #expect(distance(turned.attribute(.tangent)!.vector3(at: 0), -.up) < 1e-6)
        #expect(throws: GeometryError.missing(.textureCoordinate(set: 1))) { try Geometry.box().mapTextureCoordinates(set: 1) { $0 } }
        let made = try Geometry.plane().makeTextureCoordinates(set: 1) { position, normal in [position.x, normal.z] }
        #expect(made.attribute(.textureCoordinate(set: 1))!.values == [-0.5, 1, 0.5, 1, -0.5, 1, 0.5, 1])
    }

    @Test func aBoxProjectedOntoABoxIsTheBox() throws {
        let box = Geometry.box(size: [1, 2, 3])
        let projected = try box.projectingTexture(.box)
        let (positions, coordinates) = (box.attribute(.position)!, box.attribute(.textureCoordinate(set: 0))!)
        #expect(projected.vertexCount == 24)
        for vertex in 0..<24 {
            let (position, normal) = (positions.vector3(at: vertex), box.attribute(.normal)!.vector3(at: vertex))
            let twin = try #require(
                (0..<24).first {
                    projected.attribute(.position)!.vector3(at: $0) == position && projected.attribute(.normal)!.vector3(at: $0) == normal
                })
            #expect(distance(projected.attribute(.textureCoordinate(set: 0))!.vector2(at: twin), coordinates.vector2(at: vertex)) < 1e-6)
        }
        // Without normals vertices are shared by the faces: they are split.
        let corners = (0..<8).map { Vector3($0 & 1 == 0 ? -1 : 1, $0 & 2 == 0 ? -1 : 1, $0 & 4 == 0 ? -1 : 1) }
        let shared = try Geometry(positions: corners, indices: [4, 5, 7, 4, 7, 6, 5, 1, 3, 5, 3, 7])
        #expect(try shared.projectingTexture(.box).vertexCount == 8)
    }

    /// A projection onto a sphere returns the sphere's own coordinates.
    @Test(arguments: [TextureProjection.spherical, .cylindrical])
    func projectionsAroundTheAxisCloseBehind(_ projection: TextureProjection) throws {
        let sphere = Geometry.sphere(radius: 1, segments: 24)
        let projected = try sphere.projectingTexture(projection)
        let (positions, coordinates) = (projected.attribute(.position)!, projected.attribute(.textureCoordinate(set: 0))!)
        #expect(projected.triangleCount == sphere.triangleCount)
        projected.forEachTriangle { _, a, b, c in
            let u = [a, b, c].map { coordinates.vector2(at: $0).x }
            #expect(u.max()! - u.min()! < 1.0 / 24 + 1e-4)
        }
        for vertex in 0..<projected.vertexCount {
            let (p, uv) = (positions.vector3(at: vertex), coordinates.vector2(at: vertex))
            #expect(uv.y >= -1e-6 && uv.y <= 1 + 1e-6 && uv.x >= 0 && uv.x <= 1.05)
            if projection == .cylindrical { #expect(abs(uv.y - (0.5 - p.y / 2)) < 1e-6) }
        }
    }

    @Test func planarProjectionsLieUpright() throws {
        let front = try Geometry.box(size: [4, 2, 1]).projectingTexture(
            .planar(facing: [0, 0, 1]), within: BoundingBox(minimum: [-2, -1, 0], maximum: [2, 3, 0]))
        let (positions, coordinates) = (front.attribute(.position)!, front.attribute(.textureCoordinate(set: 0))!)
        for vertex in 0..<front.vertexCount {
            let p = positions.vector3(at: vertex)
            #expect(distance(coordinates.vector2(at: vertex), Vector2(p.x / 4 + 0.5, 0.5 - (p.y - 1) / 4)) < 1e-6)
        }
        #expect(throws: GeometryError.notTriangles) {
            try Geometry(positions: [.zero, .up], topology: .lines).projectingTexture(.box)
        }
    }
}
