import Testing
import VitrineMath
import VitrineVision

@testable import VitrineSurface

@Suite struct CubePolygonsTests {
    private let table = CubePolygons()

    @Test func everyCutEdgeIsUsedOnce() {
        for inside in 0..<256 {
            let cut = table.edgeCorners.indices.filter { edge in
                let (low, high, _) = table.edgeCorners[edge]
                return inside >> low & 1 != inside >> high & 1
            }
            #expect(table.polygons[inside].flatMap(\.edges).sorted() == cut)
        }
    }

    @Test func trianglesLieCounterClockwiseFromOutside() {
        // One inside corner, the origin: the triangle faces away from it.
        let polygon = table.polygons[1][0]
        let corners = polygon.edges.map { edge -> Vector3 in
            var middle = Vector3.zero
            middle[table.edgeCorners[edge].axis] = 0.5
            return middle
        }
        #expect(dot(cross(corners[1] - corners[0], corners[2] - corners[0]), Vector3(1, 1, 1)) > 0)
    }

    @Test func triangulationsCoverThePolygons() {
        for polygon in table.polygons.flatMap({ $0 }) where !polygon.triangles.isEmpty {
            #expect(polygon.triangles.count == polygon.edges.count - 2)
        }
    }
}

@Suite struct TrilinearTests {
    /// The integral over the unit cell by Gauss points (2 per side: exact for these products).
    private func integral(_ body: (Vector3) -> Float) -> Float {
        let abscissas: [Float] = [0.5 - 0.5 / Float(3).squareRoot(), 0.5 + 0.5 / Float(3).squareRoot()]
        var sum: Float = 0
        for x in abscissas { for y in abscissas { for z in abscissas { sum += body(Vector3(x, y, z)) / 8 } } }
        return sum
    }

    private func gradient(_ corner: Int, _ p: Vector3) -> Vector3 {
        var result = Vector3.zero
        for axis in 0..<3 {
            var (low, high) = (p, p)
            (low[axis], high[axis]) = (0, 1)
            result[axis] = Trilinear.values(high)[corner] - Trilinear.values(low)[corner]
        }
        return result
    }

    @Test func stiffnessIsTheIntegralOfGradients() {
        for b in 0..<8 {
            var unit = SIMD8<Float>.zero
            unit[b] = 1
            let column = Trilinear.stiffness(unit)
            for a in 0..<8 { #expect(abs(column[a] - integral { dot(gradient(a, $0), gradient(b, $0)) }) < 1e-5) }
        }
    }

    @Test func divergenceIsTheIntegralAgainstGradients() {
        for b in 0..<8 {
            for axis in 0..<3 {
                var unit = [SIMD8<Float>](repeating: .zero, count: 3)
                unit[axis][b] = 1
                let column = Trilinear.divergence(unit[0], unit[1], unit[2])
                for a in 0..<8 { #expect(abs(column[a] - integral { Trilinear.values($0)[b] * gradient(a, $0)[axis] }) < 1e-5) }
            }
        }
    }
}

@Suite struct OctreeTests {
    private func octree(_ depth: Int) throws -> Octree {
        let points = try SurfacePoints(Clouds.sphere(3_000), bounds: nil)
        var octree = Octree(PoissonSamples(points, depth: depth, edge: 4))
        while octree.depth < depth { octree.refine { _ in true } }
        return octree
    }

    @Test func cellsWithSamplesHaveAllNeighboursAndFreeCorners() throws {
        let octree = try octree(6)
        for level in octree.levels.dropFirst(2) {
            for sample in 0..<octree.samples.count {
                let cell = octree.sampleCells[level.depth - 1][sample]
                try #require(cell >= 0)
                for offset in 0..<27 {
                    try #require(level.neighbor(Int(cell), offset % 3 - 1, offset / 3 % 3 - 1, offset / 9 - 1) >= 0)
                }
            }
        }
    }

    @Test func cornersAreNumberedOnceByPosition() throws {
        let level = try octree(6).level(6)
        var numbers: [SIMD3<Int>: Int32] = [:]
        for octet in 0..<level.octetCount {
            let origin = level.origins[octet]
            for slot in 0..<27 {
                let position = SIMD3(Int(origin.x) + slot % 3, Int(origin.y) + slot / 3 % 3, Int(origin.z) + slot / 9)
                let number = level.corners[27 * octet + slot]
                #expect(numbers[position] == nil || numbers[position] == number)
                numbers[position] = number
            }
        }
        #expect(numbers.count == level.cornerCount)
        #expect(Set(numbers.values).count == level.cornerCount)
    }

    @Test func theOperatorIsSymmetricAndConstantsHaveNoGradient() throws {
        let octree = try octree(5)
        let level = PoissonLevel(octree.level(5), tables: octree.tables, parallel: Parallel(threads: 2))
        let count = octree.level(5).cornerCount
        var random = SplitMix64(seed: 5)
        let screen = Buffer<Vector4>(count: octree.level(5).cellCount, repeating: .zero)
        for cell in 0..<screen.count { screen[cell] = Vector4(random.even(), random.even(), random.even(), random.even()) }
        let (x, y) = (Buffer<Float>(count: count, repeating: 0), Buffer<Float>(count: count, repeating: 0))
        for octet in 0..<octree.level(5).octetCount {
            for slot in 0..<27 where octree.level(5).free[octet] >> UInt32(slot) & 1 == 1 {
                let corner = octree.level(5).corners[27 * octet + slot]
                (x[corner], y[corner]) = (random.even(), random.even())
            }
        }
        let (ax, ay) = (Buffer<Float>(count: count, repeating: 0), Buffer<Float>(count: count, repeating: 0))
        _ = level.apply(x, screen: screen, to: ax)
        _ = level.apply(y, screen: screen, to: ay)
        let (xay, yax) = (0..<count).reduce((0.0, 0.0)) { ($0.0 + Double(x[$1] * ay[$1]), $0.1 + Double(y[$1] * ax[$1])) }
        #expect(abs(xay - yax) < 1e-4 * abs(xay))
        let ones = Buffer<Float>(count: count, repeating: 1)
        let none = Buffer<Vector4>(count: screen.count, repeating: .zero)
        _ = level.apply(ones, screen: none, to: ax)
        #expect((0..<count).allSatisfy { abs(ax[$0]) < 1e-4 || x[$0] == 0 })
    }
}

@Suite struct MeshTests {
    /// A tetrahedron with corners at the given places of `positions`.
    private func tetrahedron(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> [SIMD3<UInt32>] {
        [SIMD3(a, c, b), SIMD3(a, b, d), SIMD3(b, c, d), SIMD3(c, a, d)]
    }

    @Test func solidsThatShareAnEdgeAreSeparated() {
        let positions: [Vector3] = [
            Vector3(0, 0, 0), Vector3(0, 0, 1), Vector3(1, 0, 0), Vector3(1, 1, 0), Vector3(-1, 0, 0), Vector3(-1, -1, 0),
        ]
        // (a, b, c, d) is positively oriented when dot(cross(b − a, c − a), d − a) > 0.
        let mesh = TriangleMesh(positions: positions, triangles: tetrahedron(0, 2, 3, 1) + tetrahedron(0, 4, 5, 1))
        #expect(mesh.volume > 0)
        #expect(!MeshReport(mesh).isClosedManifold)
        let repaired = mesh.repaired()
        #expect(MeshReport(repaired).isClosedManifold)
        #expect(repaired.components().count == 2)
        #expect(repaired.triangles.count == 8)
        #expect(abs(repaired.volume - mesh.volume) < 0.01)
    }

    @Test func foldedPairsAndDegenerateTrianglesAreRemoved() {
        let positions: [Vector3] = [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1), Vector3(2, 2, 2)]
        let solid = tetrahedron(0, 1, 2, 3)
        let mesh = TriangleMesh(positions: positions, triangles: solid + [SIMD3(1, 2, 4), SIMD3(2, 1, 4), SIMD3(1, 1, 3)])
        let repaired = mesh.repaired()
        #expect(repaired.triangles == solid)
        #expect(repaired.positions.count == 4)
        #expect(MeshReport(repaired).isClosedManifold)
    }

    @Test func boundariesAreLoops() {
        let positions: [Vector3] = [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)]
        let mesh = TriangleMesh(positions: positions, triangles: Array(tetrahedron(0, 1, 2, 3).dropLast()))
        let loops = MeshAdjacency(mesh).boundaryLoops(mesh)
        #expect(loops.count == 1)
        #expect(loops[0].count == 3)
    }
}
