import Testing
import VitrineMath
import VitrineVision

@testable import VitrineSurface

/// Cameras in a row are aimed along +z at a wall; some of them observe patches in front of it.
private struct Stage {
    /// Photos 0…3, at z = 0, their upper edge towards −y.
    let cameras: [PosedCamera] = (0..<4).map { number in
        PosedCamera(
            intrinsics: CameraIntrinsics(width: 400, height: 400, focal: Vector2d(400, 400), center: Vector2d(200, 200)),
            cameraFromWorld: RigidTransform(rotation: .identity, translation: Vector3d(0.15 - 0.1 * Double(number), 0, 0)))
    }
    var cloud = OrientedPoints()

    /// A square that faces the cameras, with points at intervals of `step`.
    mutating func add(at depth: Float, half: Float, step: Float = 0.02, normal: Vector3 = Vector3(0, 0, -1), seenBy photos: [UInt16]) {
        let count = Int((2 * half / step).rounded())
        for y in 0..<count {
            for x in 0..<count {
                cloud.positions.append(Vector3((Float(x) + 0.5) * step - half, (Float(y) + 0.5) * step - half, depth))
                cloud.normals.append(normal)
                cloud.spacings.append(step)
                cloud.viewIndices += photos
                cloud.viewOffsets.append(cloud.viewIndices.count)
            }
        }
    }

    /// The numbers of remaining points nearer and farther than a depth.
    func before(_ depth: Float, _ filter: (inout SurfacePoints) throws -> Void) throws -> (near: Int, far: Int) {
        var points = try SurfacePoints(cloud, bounds: nil)
        try filter(&points)
        let near = points.positions.count { $0.z < depth }
        return (near, points.count - near)
    }
}

@Suite struct PointFilterTests {
    /// Three photos observe a wall behind a patch that only one photo observes: they contradict the patch.
    @Test func contradictedPatchIsRemoved() throws {
        var stage = Stage()
        stage.add(at: 2, half: 0.8, seenBy: [1, 2, 3])
        let wall = stage.cloud.count
        stage.add(at: 1, half: 0.1, seenBy: [0])
        let left = try stage.before(1.5) { try $0.dropFloating(stage.cloud, cameras: stage.cameras, parallel: Parallel(threads: 2)) }
        #expect(left.near == 0)
        #expect(left.far == wall)
    }

    /// A single contradicting photo is not enough, nor as many as observe the patch.
    @Test(arguments: [([UInt16(1)], [UInt16(0)]), ([2, 3], [0, 1]), ([], [0])])
    func patchWithAsManyObservationsIsKept(_ wall: [UInt16], _ patch: [UInt16]) throws {
        var stage = Stage()
        stage.add(at: 2, half: 0.8, seenBy: wall)
        stage.add(at: 1, half: 0.1, seenBy: patch)
        let left = try stage.before(1.5) { try $0.dropFloating(stage.cloud, cameras: stage.cameras, parallel: Parallel(threads: 2)) }
        #expect(left.near == 100)
        #expect(left.far == stage.cloud.count - 100)
    }

    /// Points of a noisy wall don't contradict each other: they are less than three spacings apart.
    @Test func noisyWallIsKept() throws {
        var stage = Stage()
        stage.add(at: 2, half: 0.8, seenBy: [1, 2, 3])
        stage.add(at: 1.95, half: 0.8, seenBy: [0])
        let left = try stage.before(1) { try $0.dropFloating(stage.cloud, cameras: stage.cameras, parallel: Parallel(threads: 2)) }
        #expect(left.far == stage.cloud.count)
    }

    @Test func withoutCamerasNothingIsRemoved() throws {
        var stage = Stage()
        stage.add(at: 2, half: 0.8, seenBy: [1, 2, 3])
        stage.add(at: 1, half: 0.1, seenBy: [0])
        for cameras in [[], [nil, nil, nil, nil]] as [[PosedCamera?]] {
            let left = try stage.before(1.5) { try $0.dropFloating(stage.cloud, cameras: cameras, parallel: Parallel(threads: 2)) }
            #expect(left.near == 100)
        }
    }

    @Test func normalsFaceTheObservingPhotos() throws {
        var stage = Stage()
        stage.add(at: 2, half: 0.8, seenBy: [1, 2, 3])
        stage.add(at: 1, half: 0.1, normal: Vector3(0, 0, 1), seenBy: [0])
        // The camera of this photo is not known: the normal stays.
        stage.add(at: 0.5, half: 0.1, normal: Vector3(0, 0, 1), seenBy: [9])
        let left = try stage.before(1.5) { try $0.dropTurnedAway(stage.cloud, cameras: stage.cameras) }
        #expect(left.near == 100)
        #expect(left.far == stage.cloud.count - 200)
    }

    /// Removes isolated points independent of their normals; keeps those of a surface, dense or sparse according to their spacing.
    @Test func isolatedPointsAreRemoved() throws {
        var stage = Stage()
        stage.add(at: 2, half: 0.8, seenBy: [0])
        stage.add(at: 1, half: 0.4, step: 0.08, seenBy: [0])
        let sheets = stage.cloud.count
        for number in 0..<12 {
            stage.cloud.positions.append(Vector3(Float(number % 4) * 0.4 - 0.6, Float(number / 4) * 0.5 - 0.5, 0.3))
            stage.cloud.normals.append(Vector3(0, 0, -1))
            stage.cloud.spacings.append(0.02)
            stage.cloud.viewOffsets.append(stage.cloud.viewIndices.count)
        }
        let left = try stage.before(0.5) { try $0.dropOutliers(depth: 4, edge: 2) }
        #expect(left.near == 0)
        #expect(left.far == sheets)
    }

    @Test func tooFewRemainingPointsGiveAnError() throws {
        var stage = Stage()
        stage.add(at: 1, half: 0.1, normal: Vector3(0, 0, 1), seenBy: [0])
        #expect(throws: SurfaceError.tooFewPoints(count: 0, needed: 16)) {
            _ = try stage.before(1.5) { try $0.dropTurnedAway(stage.cloud, cameras: stage.cameras) }
        }
    }
}
