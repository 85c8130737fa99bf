import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineVision

@testable import VitrineSurface

/// The memory of a surface is bounded by the number of points and the limit of triangles: the figures of `MemoryPlan`.
@Suite(.serialized) struct SurfaceGrowthTests {
    /// The cells are a constant number of cells for each triangle of the limit, or for each point.
    @Test func cellsAreBoundedByTrianglesAndPoints() throws {
        for (count, triangles) in [(50_000, 1_000), (50_000, 4_000), (200_000, 4_000), (30_000, 1_000_000)] {
            let statistics = try SurfaceBuilder(options: .init(maximumTriangles: triangles)).build(points: Clouds.ground(count)).statistics
            #expect(statistics.cells < 32 * triangles + 10_000)
            #expect(statistics.cells < 4 * count + 10_000)
        }
    }

    /// Prints the processor seconds and the peak memory by the number of points and the level of detail: VITRINE_SURFACE_POINTS="1000000 3000000". With
    /// VITRINE_SURFACE_TRIANGLES=50000, only for this limit: the first surface of a process has the true peak, later ones use memory that earlier ones freed.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["VITRINE_SURFACE_POINTS"] != nil))
    func growthOfASurface() throws {
        let counts = ProcessInfo.processInfo.environment["VITRINE_SURFACE_POINTS"]!.split(separator: " ").compactMap { Int($0) }
        let only = ProcessInfo.processInfo.environment["VITRINE_SURFACE_TRIANGLES"].flatMap { Int($0) }
        for count in counts {
            // The limits of reduced, medium, full and raw.
            for (triangles, depth) in [(50_000, 10), (100_000, 10), (250_000, 10), (30_000_000, 11)]
            where only == nil || only == triangles {
                var options = SurfaceBuilder.Options(maximumTriangles: triangles)
                options.maximumDepth = depth
                let before = ProcessMemory.resident ?? 0
                let cloud = Clouds.ground(count)
                ProcessMemory.resetPeak()
                let start = clock()
                let result = try SurfaceBuilder(options: options).build(
                    points: consume cloud, in: StageContext(parallel: Parallel(threads: 2)))
                let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
                let bytes = (ProcessMemory.peak ?? 0) - before
                print(
                    "\(count) points, \(triangles) triangles: \(result.statistics.cells) cells, \(result.fullMesh.triangles.count) -> "
                        + "\(result.mesh.triangles.count) triangles, \(seconds) s, \(bytes / 1_000_000) MB")
                #expect(result.mesh.triangles.count < triangles)
            }
        }
    }
}
