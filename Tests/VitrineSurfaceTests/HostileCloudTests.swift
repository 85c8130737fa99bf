import Testing
import VitrineMath
import VitrineVision

@testable import VitrineSurface

/// Clouds without a surface: an error or a valid mesh, never a trap.
@Suite struct HostileCloudTests {
    private func build(_ cloud: OrientedPoints, _ options: SurfaceBuilder.Options = .init()) throws(SurfaceError) -> SurfaceResult {
        try SurfaceBuilder(options: options).build(points: cloud)
    }

    @Test func fewPointsGiveAnError() {
        #expect(throws: SurfaceError.tooFewPoints(count: 0, needed: 16)) { try build(OrientedPoints()) }
        #expect(throws: SurfaceError.tooFewPoints(count: 10, needed: 16)) { try build(Clouds.sphere(10)) }
        var invalid = Clouds.sphere(100)
        for index in 0..<90 { invalid.positions[index].x = index % 2 == 0 ? .nan : .infinity }
        #expect(throws: SurfaceError.tooFewPoints(count: 10, needed: 16)) { try build(invalid) }
    }

    @Test func pointsWithoutExtentGiveAnError() {
        let cloud = Clouds.make(1_000, area: 1) { _ in (Vector3(3, 4, 5), Vector3(0, 0, 1)) }
        #expect(throws: SurfaceError.degenerateExtent) { try build(cloud) }
    }

    @Test func inconsistentArraysGiveErrors() {
        var cloud = Clouds.sphere(100)
        cloud.normals.removeLast()
        #expect(throws: SurfaceError.inconsistentPoints("normals")) { try build(cloud) }
        cloud = Clouds.sphere(100)
        cloud.spacings.removeLast()
        #expect(throws: SurfaceError.inconsistentPoints("spacings")) { try build(cloud) }
        cloud = Clouds.sphere(100)
        cloud.viewOffsets = Array(repeating: 5, count: 101)
        #expect(throws: SurfaceError.inconsistentPoints("viewOffsets")) { try build(cloud) }
    }

    @Test func invalidOptionsGiveErrors() {
        var options = SurfaceBuilder.Options()
        options.cellSize = .nan
        #expect(throws: SurfaceError.invalidOption("cellSize")) { try build(Clouds.sphere(100), options) }
        #expect(throws: SurfaceError.invalidOption("maximumTriangles")) { try build(Clouds.sphere(100), .init(maximumTriangles: 3)) }
    }

    @Test func pointsThatAreNotFiniteAreDropped() throws {
        var cloud = Clouds.sphere(20_000)
        for index in stride(from: 0, to: 20_000, by: 50) {
            switch index / 50 % 5 {
            case 0: cloud.positions[index] = Vector3(.nan, 0, 0)
            case 1: cloud.positions[index] = Vector3(0, .infinity, 0)
            case 2: cloud.normals[index] = .zero
            case 3: cloud.normals[index].z = .nan
            default: cloud.positions[index] = Vector3(repeating: 3e38)
            }
            cloud.spacings[index + 1] = index % 100 == 0 ? -1 : .nan
            cloud.confidences[index + 2] = .nan
        }
        let result = try build(cloud)
        #expect(result.statistics.unusablePoints == 400)
        #expect(MeshReport(result.mesh).isClosedManifold)
        #expect(result.mesh.positions.allSatisfy { point in abs(length(point) - 1) < 0.05 })
    }

    /// Each either throws a `SurfaceError` or gives finite vertices and indices in range.
    @Test(arguments: 0..<7)
    func degenerateCloudsDoNotTrap(_ kind: Int) {
        var random = SplitMix64(seed: UInt64(kind))
        let cloud = Clouds.make(3_000, area: 1) { _ in
            switch kind {
            case 0: (Vector3(random.even(), 0, 0), Vector3(0, 0, 1))  // a line
            case 1: (Vector3(random.even(), random.even(), 0), Vector3(0, 0, 1))  // a plane
            case 2: (Vector3(random.even(), random.even(), random.even()), random.direction())  // fog
            case 3: (random.even() < 0.5 ? Vector3(0, 0, 0) : Vector3(1, 1, 1), random.direction())  // two places
            case 4: (random.direction(), Vector3(1, 0, 0))  // a sphere with one normal
            case 5: (random.direction() * (random.even() < 0.001 ? 1e6 : 1), random.direction())  // far outliers
            default: (random.direction() + Vector3(9_000, 9_000, 9_000), random.direction())  // far from the origin
            }
        }
        do {
            let result = try build(cloud, .init(maximumTriangles: 1_000))
            #expect(result.mesh.positions.allSatisfy { $0.isFinite })
            #expect(result.mesh.triangles.allSatisfy { $0.max() < UInt32(result.mesh.positions.count) })
            #expect(result.mesh.triangles.count < 1_000)
            #expect(!result.mesh.triangles.isEmpty)
        } catch {
            // Neither an invalid option nor a cancellation.
            switch error {
            case .tooFewPoints, .degenerateExtent, .emptySurface: break
            default: Issue.record(error)
            }
        }
    }
}
