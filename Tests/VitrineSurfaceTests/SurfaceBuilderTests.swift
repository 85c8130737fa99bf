import Synchronization
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineSurface

@Suite struct SurfaceBuilderTests {
    @Test func noisySphereGivesOneClosedSphere() throws {
        let result = try SurfaceBuilder().build(points: Clouds.sphere(20_000, noise: 0.01))
        let report = MeshReport(result.mesh)
        #expect(report.isClosedManifold)
        #expect(report.eulerCharacteristic == 2)
        #expect(result.mesh.components().count == 1)
        #expect(abs(result.mesh.volume - 4.18879) < 0.02)
        let errors = result.mesh.positions.map { abs(length($0) - 1) }
        // More accurate than the points, because their noise averages out.
        #expect(errors.reduce(0, +) / Float(errors.count) < 0.006)
        #expect(errors.max()! < 0.04)
        #expect(result.statistics.inputPoints == 20_000)
        #expect(result.warnings.isEmpty)
    }

    @Test func torusKeepsItsHole() throws {
        let result = try SurfaceBuilder().build(points: Clouds.torus(20_000))
        let report = MeshReport(result.mesh)
        #expect(report.isClosedManifold)
        #expect(report.eulerCharacteristic == 0)
        let errors = result.mesh.positions.map { point in
            abs(length(Vector2(length(Vector2(point.x, point.y)) - 1, point.z)) - 0.35)
        }
        #expect(errors.max()! < 0.03)
    }

    @Test func boxHasTheRightVolumeAndOutwardNormals() throws {
        let result = try SurfaceBuilder().build(points: Clouds.box(20_000))
        #expect(MeshReport(result.mesh).isClosedManifold)
        #expect(abs(result.mesh.volume - 1.92) < 0.03)
        #expect(zip(result.mesh.positions, result.mesh.vertexNormals()).allSatisfy { dot($0, $1) > 0 })
    }

    @Test(arguments: [64, 500, 2_000, 10_000])
    func meshStaysWithinTheLimit(_ cap: Int) throws {
        let result = try SurfaceBuilder(options: .init(maximumTriangles: cap)).build(points: Clouds.torus(10_000))
        #expect(result.mesh.triangles.count < cap)
        #expect(result.mesh.triangles.count > cap * 9 / 10 || result.fullMesh.triangles.count < cap)
        #expect(MeshReport(result.mesh).isClosedManifold)
        #expect(MeshReport(result.mesh).eulerCharacteristic == 0)
    }

    /// Many pieces of one size, none of them debris, with a limit that is too small for all of them.
    @Test(arguments: [(16, 1), (40, 1), (300, 4)])
    func smallLimitDropsPieces(_ cap: Int, _ pieces: Int) throws {
        let ball = try SurfaceBuilder().build(points: Clouds.sphere(600)).mesh
        var mesh = TriangleMesh()
        for number in 0..<27 {
            let (center, first) = (Vector3(Float(number % 3), Float(number / 3 % 3), Float(number / 9)) * 4, UInt32(mesh.positions.count))
            mesh.positions += ball.positions.map { $0 + center }
            mesh.triangles += ball.triangles.map { $0 &+ SIMD3(repeating: first) }
        }
        var (statistics, warnings): (SurfaceStatistics, [SurfaceWarning]) = (SurfaceStatistics(), [])
        let reduced = try SurfaceBuilder(options: .init(maximumTriangles: cap)).reduce(mesh, &statistics, &warnings)
        #expect(reduced.triangles.count < cap && reduced.triangles.count > cap / 2)
        #expect(reduced.components().count == pieces)
        #expect(statistics.removedPieces == 27 - pieces)
        #expect(warnings == [.topologySimplified])
        #expect(MeshReport(reduced).isClosedManifold)
    }

    /// The limit is too small for any surface.
    @Test func irreducibleMeshGivesAnError() {
        // Folded onto itself: no triangle remains.
        let mesh = TriangleMesh(
            positions: [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0)],
            triangles: Array(repeating: [SIMD3(0, 1, 2), SIMD3(0, 2, 1)], count: 10).flatMap { $0 })
        var (statistics, warnings): (SurfaceStatistics, [SurfaceWarning]) = (SurfaceStatistics(), [])
        #expect(throws: SurfaceError.emptySurface) {
            try SurfaceBuilder(options: .init(maximumTriangles: 16)).reduce(mesh, &statistics, &warnings)
        }
    }

    @Test func threadCountDoesNotChangeTheMesh() throws {
        let builder = SurfaceBuilder(options: .init(maximumTriangles: 5_000))
        let cloud = Clouds.sphere(30_000, noise: 0.01)
        let one = try builder.build(points: cloud, in: StageContext(parallel: Parallel(threads: 1)))
        let three = try builder.build(points: cloud, in: StageContext(parallel: Parallel(threads: 3)))
        #expect(one.mesh == three.mesh)
        #expect(one.fullMesh == three.fullMesh)
        #expect(one.statistics == three.statistics)
    }

    @Test func outliersAndDebrisAreRemoved() throws {
        var random = SplitMix64(seed: 7)
        let outliers = Clouds.make(300, area: 0.1) { _ in
            (Vector3(4 * random.even() - 2, 4 * random.even() - 2, 4 * random.even() - 2), random.direction())
        }
        var clump = Clouds.sphere(400)
        for index in clump.positions.indices {
            clump.positions[index] = clump.positions[index] * 0.1 + Vector3(1.5, 0, 0)
            clump.spacings[index] = 0.025
        }
        let result = try SurfaceBuilder().build(points: Clouds.joined([Clouds.sphere(20_000), outliers, clump]))
        #expect(result.statistics.outlierPoints > 200)
        #expect(result.mesh.components().count == 1)
        #expect(result.statistics.removedPieces >= 1)
        #expect(MeshReport(result.mesh).isClosedManifold)
        #expect(result.mesh.positions.allSatisfy { point in abs(length(point) - 1) < 0.05 })
    }

    @Test func baseIsClosedFlatOnTheSupportPlane() throws {
        let plane = Plane3<Float>(normal: Vector3(0, 1, 0), offset: -0.6)
        var cloud = Clouds.box(30_000, isOpen: true)
        // The points include the table around it.
        var random = SplitMix64(seed: 3)
        let table = Clouds.make(5_000, area: 8) { _ in (Vector3(3 * random.even() - 1.5, -0.6, 3 * random.even() - 1.5), Vector3(0, 1, 0)) }
        cloud = Clouds.joined([cloud, table])
        let result = try SurfaceBuilder().build(points: cloud, supportPlane: plane)
        #expect(MeshReport(result.mesh).isClosedManifold)
        #expect(MeshReport(result.mesh).eulerCharacteristic == 2)
        #expect(abs(result.mesh.volume - 1.92) < 0.04)
        #expect(result.mesh.positions.allSatisfy { $0.y > -0.6 - 1e-4 })
        let flat = result.mesh.triangles.indices.filter { triangle in
            let t = result.mesh.triangles[triangle]
            return (0..<3).allSatisfy { result.mesh.positions[Int(t[$0])].y < -0.6 + 1e-3 }
        }
        let area = flat.reduce(0) { $0 + length(result.mesh.areaVector($1)) / 2 }
        #expect(abs(area - 1.6) < 0.1)
    }

    @Test func openSheetStaysOpen() throws {
        // A shallow dish: Poisson reconstruction closes it with a surface that no point supports.
        let cloud = Clouds.make(20_000, area: 4) { random in
            let (x, y) = (2 * random.even() - 1, 2 * random.even() - 1)
            return (Vector3(x, y, 0.1 * (x * x + y * y)), normalize(Vector3(-0.2 * x, -0.2 * y, 1)))
        }
        let result = try SurfaceBuilder().build(points: cloud)
        let report = MeshReport(result.mesh)
        #expect(report.boundaryEdges > 0)
        #expect(result.statistics.openHoles >= 1)
        #expect(result.warnings.contains(.openHoles(result.statistics.openHoles)))
        #expect(result.statistics.trimmedTriangles > 0)
        #expect(result.mesh.positions.allSatisfy { abs($0.x) < 1.1 && abs($0.y) < 1.1 })
        let errors = result.mesh.positions.map { abs($0.z - 0.1 * ($0.x * $0.x + $0.y * $0.y)) }
        #expect(errors.max()! < 0.06)
    }

    /// A wall with a notch in its outline, cut by bounds: the sides on the bounds are straight, and the notch is removed.
    @Test func wallIsCutStraightAtTheBounds() throws {
        let cloud = Clouds.make(30_000, area: 4) { random in
            while true {
                let (x, y) = (2.4 * random.even() - 1.2, 2.4 * random.even() - 1.2)
                // With a notch at the left; ends within the bounds at the right.
                if x < -0.85, abs(y) < 0.03 { continue }
                if x > 0.7 { continue }
                return (Vector3(x, y, 0.05 * sin(3 * x)), normalize(Vector3(-0.15 * cos(3 * x), 0, 1)))
            }
        }
        let bounds = OrientedBox(center: .zero, axes: .identity, halfExtents: Vector3d(1, 1, 0.5))
        var options = SurfaceBuilder.Options()
        options.outlineRadius = 0.05
        let mesh = try SurfaceBuilder(options: options).build(points: cloud, bounds: bounds).mesh
        #expect(mesh.components().count == 1)
        #expect(mesh.positions.allSatisfy { abs($0.x) < 1 + 1e-5 && abs($0.y) < 1 + 1e-5 })
        #expect(mesh.bounds.maximum.x < 0.8)
        // Three sides are on the bounds for most of their length.
        let across = MeshAdjacency(mesh).across
        var lengths = Vector3.zero
        for halfEdge in across.indices where across[halfEdge] < 0 {
            let t = mesh.triangles[halfEdge / 3]
            let (a, b) = (mesh.positions[Int(t[halfEdge % 3])], mesh.positions[Int(t[(halfEdge % 3 + 1) % 3])])
            if abs(a.x + 1) < 1e-4, abs(b.x + 1) < 1e-4 { lengths.x += distance(a, b) }
            if abs(a.y + 1) < 1e-4, abs(b.y + 1) < 1e-4 { lengths.y += distance(a, b) }
            if abs(a.y - 1) < 1e-4, abs(b.y - 1) < 1e-4 { lengths.z += distance(a, b) }
        }
        #expect(lengths.x > 1.95 && lengths.y > 1.6 && lengths.z > 1.6)
    }

    @Test func clippedPlaneHasTheRightArea() {
        let square = TriangleMesh(
            positions: [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(1, 1, 0), Vector3(0, 1, 0)],
            triangles: [SIMD3(0, 1, 2), SIMD3(0, 2, 3)])
        let cut = square.clipped(normal: normalize(Vector3d(1, 1, 0)), offset: 0.5 * 1.5 / 2.0.squareRoot())
        // A corner triangle of legs 0.75.
        #expect(abs(cut.area - 0.28125) < 1e-6)
        #expect(square.clipped(normal: Vector3d(0, 0, 1), offset: 0) == square)
        #expect(square.clipped(normal: Vector3d(0, 0, 1), offset: -1).triangles.isEmpty)
    }

    @Test func smallHolesAreClosed() throws {
        let whole = Clouds.sphere(30_000)
        var cloud = OrientedPoints()
        let holes = [Vector3(0, 0, 1), normalize(Vector3(1, 1, 0))]
        for index in 0..<whole.count where holes.allSatisfy({ distance($0, whole.positions[index]) > 0.2 }) {
            cloud.positions.append(whole.positions[index])
            cloud.normals.append(whole.normals[index])
            cloud.spacings.append(whole.spacings[index])
        }
        let result = try SurfaceBuilder().build(points: cloud)
        #expect(MeshReport(result.mesh).isClosedManifold)
        #expect(result.statistics.closedHoles >= 2)
        #expect(result.mesh.positions.allSatisfy { point in abs(length(point) - 1) < 0.06 })
    }

    @Test func cancellationThrows() {
        #expect(throws: SurfaceError.cancelled) {
            try SurfaceBuilder().build(points: Clouds.sphere(5_000), in: StageContext(isCancelled: { true }))
        }
    }

    @Test func progressIncreasesToOne() throws {
        let reported = Mutex<[Double]>([])
        let context = StageContext(progress: { value in reported.withLock { $0.append(value) } })
        _ = try SurfaceBuilder().build(points: Clouds.sphere(5_000), in: context)
        let values = reported.withLock { $0 }
        #expect(values == values.sorted())
        #expect(values.last == 1)
        #expect(values.count > 8)
    }
}
