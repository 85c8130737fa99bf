import Testing
import VitrineMath
import VitrineScene

@testable import VitrineFiles

/// Levels of detail of meshes that only cast shadows.
struct CasterLevelTests {
    /// The triangles of a sphere without shared vertices, and all of them again, facing inwards.
    private static func shells() throws -> (positions: [Float], triangles: [UInt32], single: Int) {
        let ball = Geometry.sphere(radius: 2, segments: 64)
        let values = try #require(ball.attribute(.position)).values
        var positions: [Float] = []
        let outside = ball.triangleIndices
        for index in outside { positions += values[Int(index) * 3..<Int(index) * 3 + 3] }
        let count = UInt32(outside.count)
        let inside = stride(from: 0, to: count, by: 3).flatMap { [$0 + count + 2, $0 + count + 1, $0 + count] }
        return (positions + positions, Array(0..<count) + inside, outside.count / 3)
    }

    @Test func eachTriangleIsLeftOnce() throws {
        let (positions, triangles, single) = try Self.shells()
        let levels = GeometryLevel.casters(positions: positions, triangles: triangles)
        let first = try #require(levels.first)
        // The triangles at the poles have no area.
        #expect(first.error == 0 && first.indices.count / 3 <= single && first.indices.count / 3 > single * 9 / 10)
        // Half as many vertices as triangles, and those of a seam, where rounding parts them.
        let vertices = Set(first.indices).count
        #expect(abs(first.indices.count / 3 - 2 * vertices) < 100 && vertices < triangles.count / 10, "\(vertices)")
    }

    @Test func levelsStayAtTheSurface() throws {
        let (positions, triangles, _) = try Self.shells()
        let levels = GeometryLevel.casters(positions: positions, triangles: triangles)
        #expect(levels.count >= 4)
        for (finer, level) in zip(levels, levels.dropFirst()) {
            #expect(level.indices.count < finer.indices.count * 3 / 4 && level.error >= finer.error)
            for first in stride(from: 0, to: level.indices.count, by: 3) {
                let corners = level.indices[first..<first + 3].map { index -> Vector3 in
                    let base = Int(index) * 3
                    return Vector3(positions[base], positions[base + 1], positions[base + 2])
                }
                #expect(abs(2 - length((corners[0] + corners[1] + corners[2]) / 3)) < 0.004 + 3 * level.error)
            }
        }
    }

    @Test func smallMeshesHaveNone() throws {
        let box = Geometry.box(size: Vector3(repeating: 1))
        let positions = try #require(box.attribute(.position)).values
        #expect(GeometryLevel.casters(positions: positions, triangles: box.triangleIndices) == [])
        #expect(GeometryLevel.casters(positions: [], triangles: []) == [])
    }

    @Test func damagedMeshesAreNoReasonToEnd() throws {
        let flat = [[UInt32]](repeating: [0, 1, 1], count: 2000).flatMap { $0 }
        #expect(GeometryLevel.casters(positions: [0, 0, 0, 1, 1, 1], triangles: flat) == [])

        let (intact, triangles, _) = try Self.shells()
        var positions = intact
        let values = [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude]
        for index in stride(from: 0, to: positions.count, by: 97) { positions[index] = values[index % 4] }
        for level in GeometryLevel.casters(positions: positions, triangles: triangles) {
            #expect(level.indices.count % 3 == 0 && level.indices.allSatisfy { Int($0) < positions.count / 3 })
        }
    }
}
