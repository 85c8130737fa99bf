import Testing
import VitrineMath
import VitrineVision

@testable import VitrineDense

struct DepthFusionTests {
    private static let scene = SyntheticScene()
    private static let cameras = [-16.0, -8, 0, 8, 16].map { SyntheticScene.camera(angle: $0, width: 96, height: 72, focal: 110) }
    private static let views = cameras.enumerated().map { scene.view($1, photo: $0 + 10) }
    private static let maps = cameras.enumerated().map { scene.perfectMap($1, photo: $0 + 10) }
    private static let sources = cameras.indices.map { index in cameras.indices.filter { $0 != index } }

    private func fuse(_ maps: [DepthMap?] = maps, views: [PhotoView] = views, _ change: (inout DepthFusion.Options) -> Void = { _ in })
        throws
        -> OrientedPoints
    {
        var options = DepthFusion.Options()
        change(&options)
        return try DepthFusion(options: options).fuse(count: maps.count, sources: Self.sources, map: { maps[$0] }, view: { views[$0] })
    }

    private func distanceToSurface(_ point: Vector3) -> Double {
        min(abs(length(Vector3d(point)) - 1), abs(Double(point.z) - 1.5))
    }

    @Test func perfectMapsGiveEachSurfacePointOnce() throws {
        let points = try fuse()
        let pixels = 96 * 72
        // Each pixel of the first map gives a point; the others add the surface that the first one doesn't observe.
        #expect(points.count > pixels * 8 / 10 && points.count < pixels * 2)
        #expect(points.viewOffsets.count == points.count + 1 && points.viewOffsets.last == points.viewIndices.count)
        var worst = 0.0
        for index in 0..<points.count {
            worst = max(worst, distanceToSurface(points.positions[index]))
            let views = points.viewIndices[points.viewOffsets[index]..<points.viewOffsets[index + 1]]
            #expect(views.count >= 3 && views.allSatisfy { (10..<15).contains($0) } && Set(views).count == views.count)
        }
        #expect(worst < 0.01)
        for (position, normal) in zip(points.positions, points.normals) where length(position) < 1.02 {
            #expect(dot(normalize(position), normal) > 0.98)
        }
        // A pixel at depth 4…6.5 of a camera of focal length 110.
        #expect(points.spacings.allSatisfy { $0 > 0.03 && $0 < 0.07 })
        #expect(points.confidences.allSatisfy { $0 > 0 && $0 <= 1 })
    }

    @Test func pointsHaveTheColoursOfThePhotos() throws {
        let points = try fuse()
        var sum = 0.0
        for (position, color) in zip(points.positions, points.colors) {
            sum += abs(Double(color.y) - 255 * SyntheticScene.texture(Vector3d(position)))
        }
        #expect(sum / Double(points.count) < 12)
    }

    @Test func pointsOfASingleMapAreRemoved() throws {
        var maps = Self.maps
        for y in 20..<40 { for x in 20..<40 { maps[2].depths[y * 96 + x] *= 0.8 } }
        let points = try fuse(maps)
        #expect(points.positions.allSatisfy { distanceToSurface($0) < 0.02 })
        #expect(points.count > 96 * 72 * 8 / 10)
    }

    /// Three maps agree on a square that floats in front of the ball; the two others contradict it.
    @Test func contradictedPointsAreRemoved() throws {
        var maps = Self.maps
        for index in 0..<3 {
            let camera = maps[index].camera
            let worldFromCamera = camera.cameraFromWorld.inverse
            for pixel in 0..<96 * 72 {
                let ray = camera.intrinsics.normalized(Vector2d(Double(pixel % 96) + 0.5, Double(pixel / 96) + 0.5))
                let direction = worldFromCamera.rotation * Vector3d(ray.x, ray.y, 1)
                let depth = (-1.5 - camera.centerInWorld.z) / direction.z
                let point = camera.centerInWorld + direction * depth
                guard abs(point.x) < 0.2, abs(point.y) < 0.2 else { continue }
                maps[index].depths[pixel] = Float(depth)
                let normal = camera.cameraFromWorld.rotation * Vector3d(0, 0, -1)
                maps[index].normals[pixel] = DepthMap.packNormal(Vector3(normal))
            }
        }
        func floating(_ points: OrientedPoints) -> Int { points.positions.count { $0.z < -1.3 } }
        #expect(floating(try fuse(maps) { $0.minimumContradictions = 0 }) > 50)
        let points = try fuse(maps)
        // Its rim is within two pixels of the surface that the others observe beside it.
        #expect(floating(points) == 0)
        #expect(points.count > 96 * 72 * 8 / 10)
        // Correct points remain.
        #expect(try fuse().count == fuse { $0.minimumContradictions = 0 }.count)
    }

    @Test func boundsAndMasksLimitThePoints() throws {
        let box = OrientedBox(boxFromWorld: .identity, halfExtents: Vector3d(1.2, 0.5, 1.2))
        let inside = try fuse { $0.bounds = box }
        #expect(inside.count > 100 && inside.positions.allSatisfy { abs($0.y) <= 0.5 && $0.z < 1.3 })
        let masked = Self.views.map { view in
            var mask = MaskPlane(width: 96, height: 72, repeating: 0)
            for y in 0..<72 { for x in 0..<96 where Self.scene.seesBall(view.camera, x, y) { mask[x, y] = 1 } }
            return PhotoView(photo: view.photo, camera: view.camera, color: view.color, mask: mask, depthRange: view.depthRange)
        }
        let ball = try fuse(views: masked)
        #expect(ball.count > 500 && ball.positions.allSatisfy { length($0) < 1.02 })
    }

    /// Two photos show that the space beside the ball is free, the other three confirm the wall there.
    @Test func pointsOutsideOfMasksAreRemoved() throws {
        let views = Self.views.enumerated().map { index, view in
            guard index == 0 || index == 4 else { return view }
            var mask = MaskPlane(width: 96, height: 72, repeating: 0)
            for y in 0..<72 { for x in 0..<96 where Self.scene.seesBall(view.camera, x, y) { mask[x, y] = 255 } }
            return PhotoView(photo: view.photo, camera: view.camera, color: view.color, mask: mask, depthRange: view.depthRange)
        }
        func counts(_ points: OrientedPoints) -> (ball: Int, wall: Int) {
            (points.positions.count { length($0) < 1.02 }, points.positions.count { $0.z > 1.4 })
        }
        /// Whether both photos show a point on the wall more than a pixel outside of the mask.
        func isFree(_ point: Vector3) -> Bool {
            point.z > 1.4
                && [0, 4].allSatisfy { index in
                    let camera = Self.views[index].camera
                    let inCamera = camera.cameraFromWorld * Vector3d(point)
                    guard inCamera.z > 0 else { return false }
                    let pixel = camera.intrinsics.project(inCamera)
                    guard 2..<94 ~= pixel.x, 2..<70 ~= pixel.y else { return false }
                    let (x, y) = (Int(pixel.x), Int(pixel.y))
                    return !(x - 2...x + 2).contains { i in (y - 2...y + 2).contains { Self.scene.seesBall(camera, i, $0) } }
                }
        }
        let all = counts(try fuse(views: views))
        let carved = counts(try fuse(views: views) { $0.maskMargin = 1.0 / 200 })
        #expect(carved.wall < all.wall)
        #expect(try fuse(views: views).positions.count(where: isFree) > 300)
        #expect(try !fuse(views: views, { $0.maskMargin = 1.0 / 200 }).positions.contains(where: isFree))
        // Masks that grow by a pixel keep the ball; those that shrink by two don't keep its edge.
        #expect(carved.ball == all.ball)
        let shrunk = counts(try fuse(views: views) { $0.maskMargin = -2.0 / 96 })
        #expect(shrunk.ball < all.ball && 10 * shrunk.ball > 8 * all.ball)
    }

    /// Of the photos that observe a point, most must show the background there.
    @Test(arguments: [(2, false), (5, true)]) func pointsOnAKnownBackgroundAreRemoved(_ photos: Int, _ isRemoved: Bool) throws {
        let foregrounds = Self.views.enumerated().map { index, view -> MaskPlane? in
            guard index < photos else { return nil }
            var mask = MaskPlane(width: 48, height: 36, repeating: 255)
            for y in 0..<36 { for x in 0..<24 { mask[x, y] = 0 } }
            return mask
        }
        func fuse(_ foregrounds: [MaskPlane?]) throws -> OrientedPoints {
            try DepthFusion().fuse(
                count: 5, sources: Self.sources, map: { Self.maps[$0] }, view: { Self.views[$0] }, foregrounds: foregrounds)
        }
        let (all, rest) = (try fuse([]), try fuse(foregrounds))
        /// How many of the photos that observe a point show it in their left half, and all that observe it.
        func counts(_ points: OrientedPoints, _ point: Int) -> (left: Int, all: Int) {
            let observers = points.viewIndices[points.viewOffsets[point]..<points.viewOffsets[point + 1]].map { Int($0) - 10 }
            let left = observers.count { observer in
                let camera = Self.views[observer].camera
                return observer < photos && camera.project(Vector3d(points.positions[point])).x < 48
            }
            return (left, observers.count)
        }
        let isKept = all.positions.indices.map { index in
            let (left, observers) = counts(all, index)
            return left < 2 || 2 * left <= observers
        }
        #expect(rest.count == isKept.count { $0 })
        #expect((4 * rest.count < 3 * all.count) == isRemoved)
    }

    @Test func memoryLimitDoesNotChangeThePoints() throws {
        let all = try fuse()
        let tight = try fuse { $0.memory = 100_000 }
        #expect(all.positions == tight.positions && all.viewIndices == tight.viewIndices && all.colors == tight.colors)
        let single = try DepthFusion().fuse(
            count: 5, sources: Self.sources, map: { Self.maps[$0] }, view: { Self.views[$0] },
            in: StageContext(parallel: Parallel(threads: 1)))
        #expect(all.positions == single.positions && all.normals == single.normals)
    }

    @Test func missingMapsAreSkipped() throws {
        #expect(try fuse([nil, nil, nil, nil, nil]).count == 0)
        #expect(try fuse([Self.maps[0], nil, Self.maps[2], nil, Self.maps[4]]).count > 1000)
        #expect(throws: DenseError.self) { try fuse([Self.maps[1], nil, nil, nil, nil]) }
        #expect(throws: CancellationError.self) {
            try DepthFusion().fuse(
                count: 5, sources: Self.sources, map: { Self.maps[$0] }, view: { Self.views[$0] }, in: StageContext(isCancelled: { true }))
        }
    }

    // MARK: Blocks

    @Test func blocksFillSpace() {
        var random = SplitMix64(seed: 5)
        func unit() -> Double { Double(random.next() >> 11) / Double(1 << 53) }
        let points = (0..<4000).map { _ in Vector3d(40 * unit(), 3 * unit(), 15 * unit() * unit()) }
        for count in [1, 2, 3, 7, 16] {
            let blocks = DepthFusion.blocks(points, count: count)
            #expect(blocks.count == count)
            var members = [Int](repeating: 0, count: count)
            for point in points + [Vector3d(-900, 4, 2), Vector3d(80, -70, 60)] {
                let owners = blocks.indices.filter { blocks[$0].contains(point) }
                #expect(owners.count == 1)
                if let owner = owners.first { members[owner] += 1 }
            }
            #expect(members.allSatisfy { abs($0 - 4000 / count) < 400 / count + 4 }, "\(members)")
        }
        #expect(DepthFusion.blocks([], count: 4) == [.everything])
        #expect(DepthFusion.blocks([Vector3d](repeating: .one, count: 500), count: 4) == [.everything])
    }

    @Test func blocksGiveThePointsOfOneFusion() throws {
        let whole = try fuse()
        let blocks = DepthFusion.blocks(whole.positions.map { Vector3d($0) }, count: 5)
        var (joined, loaded) = (OrientedPoints(), 0)
        for block in blocks {
            let points = try fuse { $0.block = block }
            for position in points.positions {
                #expect(block.contains(Vector3d(position)) || block.isNear(Vector3d(position), within: 1e-6))
            }
            joined.append(points)
            // Maps that can't observe the block are not loaded.
            var options = DepthFusion.Options()
            options.block = block
            let same = try DepthFusion(options: options).fuse(
                count: 5, sources: Self.sources,
                map: { index in
                    loaded += 1
                    return Self.maps[index]
                }, view: { Self.views[$0] },
                isObserved: { block.mayBeObserved(by: Self.cameras[$0], depths: 3...8) })
            #expect(same.positions == points.positions)
        }
        #expect(loaded > 0)
        // Only at the sides of blocks may a point differ.
        let (expected, found) = (Set(whole.positions), Set(joined.positions))
        #expect(found.count == joined.count)
        #expect(abs(whole.count - joined.count) * 100 < whole.count, "\(whole.count), \(joined.count)")
        #expect(
            expected.symmetricDifference(found).count * 50 < whole.count, "\(expected.symmetricDifference(found).count) of \(whole.count)")
        let far = DepthFusion.Block(lower: Vector3d(50, -1, -1), upper: Vector3d(60, 1, 1))
        #expect(!Self.cameras.contains { far.mayBeObserved(by: $0, depths: 3...8) })
    }

    @Test func thinningKeepsTheBestPointsEverywhere() throws {
        let whole = try fuse()
        for count in [whole.count / 2, whole.count / 10, 40] {
            let thin = whole.thinned(to: count)
            #expect(thin.count <= count && thin.count > count / 3, "\(thin.count) of \(count)")
            #expect(thin.viewOffsets.count == thin.count + 1 && thin.viewOffsets.last == thin.viewIndices.count)
            #expect(thin.positions == whole.thinned(to: count).positions)
        }
        let thin = whole.thinned(to: whole.count / 10)
        func mean(_ values: [Float]) -> Float { values.reduce(0, +) / Float(values.count) }
        #expect(mean(thin.confidences) >= mean(whole.confidences))
        // A surface from thinned points has coarser cells.
        #expect(mean(thin.spacings) > 1.5 * mean(whole.spacings))
        // No hole is wider than a few of the new spacings.
        for position in stride(from: 0, to: whole.count, by: 37).map({ whole.positions[$0] }) {
            #expect(thin.positions.map { length($0 - position) }.min() ?? .infinity < 0.4)
        }
        #expect(whole.thinned(to: whole.count).positions == whole.positions)
    }
}
