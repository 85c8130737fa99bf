import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTexture

@Suite struct ChartTests {
    private func atlas(_ mesh: TriangleMesh, size: Int = 1024, padding: Int = 4, threads: Int = 1) throws -> (SurfaceTopology, Atlas) {
        let surface = try SurfaceTopology(mesh)
        let parallel = Parallel(threads: threads)
        let charts = try ChartBuilder(surface).charts(in: StageContext(parallel: parallel))
        let packing = try ChartPacking(charts: charts, size: size, padding: padding).pack(in: StageContext(parallel: parallel))
        return (surface, Atlas(charts, packing, surface, size: size))
    }

    /// The number of triangles that cover each texel's centre.
    private func coverage(_ atlas: Atlas) -> [Int32] {
        var counts = [Int32](repeating: 0, count: atlas.size * atlas.size)
        for t in atlas.triangles {
            TriangleRaster.scan(
                atlas.texels[Int(t.x)], atlas.texels[Int(t.y)], atlas.texels[Int(t.z)], width: atlas.size, height: atlas.size
            ) { y, xs in
                for x in xs { counts[y * atlas.size + x] += 1 }
            }
        }
        return counts
    }

    /// A ball with deep bumps.
    private static func bumpy(rings: Int) -> TriangleMesh {
        var mesh = SyntheticScene.ball(rings: rings)
        mesh.positions = mesh.positions.map { p in
            p * (1 + 0.25 * sin(7 * p.x) * sin(6 * p.y + 1) * sin(8 * p.z) + 0.02 * sin(40 * p.x + 30 * p.y))
        }
        return mesh
    }

    /// Two parts of a chart that no edge connects: one of them far away would make all charts tiny.
    @Test func partsThatDriftApartAreDetected() throws {
        let surface = try SurfaceTopology(SyntheticScene.box(divisions: 4))
        var chart = FlatChart([0, 1, 30, 31], surface)
        chart.project(surface)
        #expect(!chart.isScattered(surface))
        let corner = Int(chart.corners[3].x)
        chart.coordinates[corner] += Vector2(0, 130)
        #expect(chart.isScattered(surface))
        chart.coordinates[corner].y = .nan
        #expect(chart.isScattered(surface))
    }

    @Test(arguments: [SyntheticScene.ball(rings: 24), SyntheticScene.box(divisions: 8), bumpy(rings: 40)])
    func chartsAreInsideTheTextureAndDoNotOverlap(_ mesh: TriangleMesh) throws {
        let (surface, atlas) = try atlas(mesh)
        for t in atlas.texels { #expect(t.min() >= 0 && t.max() <= 1024) }
        let counts = coverage(atlas)
        let covered = counts.count { $0 > 0 }
        let twice = counts.count { $0 > 1 }
        // Slivers may overlap in a few texels.
        #expect(twice * 10_000 <= covered)
        #expect(covered * 2 > counts.count)
        #expect(atlas.meanStretch < 1.15)
        // The texel density is uniform within a factor.
        var deviation: Float = 0
        for (number, t) in atlas.triangles.enumerated() {
            let (a, b, c) = (atlas.texels[Int(t.x)], atlas.texels[Int(t.y)], atlas.texels[Int(t.z)])
            let area = ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)) / -2
            // Charts are not mirrored.
            #expect(area > 0)
            deviation += abs(area / (atlas.density * atlas.density) - surface.areas[number])
        }
        #expect(deviation < 0.2 * surface.totalArea)
    }

    @Test func boxHasFewCharts() throws {
        let (_, atlas) = try atlas(SyntheticScene.box(divisions: 8))
        #expect((3...8).contains(atlas.chartCount))
        #expect(atlas.meanStretch < 1.02)
    }

    /// Texels of different charts are at least the padding apart.
    @Test(arguments: [4, 16]) func chartsKeepThePadding(_ padding: Int) throws {
        let surface = try SurfaceTopology(SyntheticScene.ball(rings: 16))
        let charts = try ChartBuilder(surface).charts(in: StageContext(parallel: Parallel(threads: 1)))
        let packing = try ChartPacking(charts: charts, size: 1024, padding: padding).pack(in: StageContext(parallel: Parallel(threads: 1)))
        let atlas = Atlas(charts, packing, surface, size: 1024)
        var chartOf = [Int](repeating: -1, count: surface.triangleCount)
        for (number, chart) in charts.enumerated() { for t in chart.triangles { chartOf[Int(t)] = number } }
        var owner = [Int](repeating: -1, count: 1024 * 1024)
        for (number, t) in atlas.triangles.enumerated() {
            TriangleRaster.scan(atlas.texels[Int(t.x)], atlas.texels[Int(t.y)], atlas.texels[Int(t.z)], width: 1024, height: 1024) {
                y, xs in
                for x in xs { owner[y * 1024 + x] = chartOf[number] }
            }
        }
        var closest = Int.max
        for y in 0..<1024 {
            var last = (x: -1000, owner: -1)
            for x in 0..<1024 where owner[y * 1024 + x] >= 0 {
                if last.owner >= 0, last.owner != owner[y * 1024 + x] { closest = min(closest, x - last.x - 1) }
                last = (x, owner[y * 1024 + x])
            }
        }
        #expect(closest >= padding)
        #expect(charts.count > 1)
    }

    @Test func threadCountDoesNotChangeTheResult() throws {
        let one = try atlas(Self.bumpy(rings: 20)).1
        let three = try atlas(Self.bumpy(rings: 20), threads: 3).1
        #expect(one.texels == three.texels)
        #expect(one.triangles == three.triangles)
    }

    @Test func rasterSharesEdgesExactly() {
        // A fan around a point: each pixel inside belongs to exactly one triangle.
        var counts = [Int](repeating: 0, count: 64 * 64)
        let center = Vector2(31.3, 30.9)
        let rim = (0..<7).map { Vector2(32 + 28 * cos(Float($0) * 2 * .pi / 7), 32 + 28 * sin(Float($0) * 2 * .pi / 7)) }
        for k in 0..<7 {
            TriangleRaster.scan(center, rim[k], rim[(k + 1) % 7], width: 64, height: 64) { y, xs in for x in xs { counts[y * 64 + x] += 1 }
            }
        }
        #expect(counts.max() == 1)
        // The heptagon's inscribed circle has a radius of 28 cos(π/7) = 25.2.
        for y in 0..<64 {
            for x in 0..<64 {
                let offset = Vector2(Float(x) - 31.5, Float(y) - 31.5)
                if lengthSquared(offset) < 25 * 25 { #expect(counts[y * 64 + x] == 1) }
            }
        }
    }
}
