import VitrineMath
import VitrineVision

extension SurfacePoints {
    /// Drops points with far fewer others around them than their spacing promises.
    ///
    /// The cells of `depth` (of the octree around the points) count; a point goes when fewer than an eighth of the points are there that a
    /// surface with its spacing would have, or no other at all.
    mutating func dropOutliers(depth: Int, edge: Float) throws(SurfaceError) {
        let samples = PoissonSamples(self, depth: depth, edge: edge)
        var octree = Octree(samples)
        while octree.depth < depth { octree.refine { _ in true } }
        let density = octree.density(depth: depth)
        let cell = samples.scale / Float(1 << depth)
        // A point alone counts for less than this.
        let alone: Float = 0.7
        let spacings = self.spacings
        try keep { point in
            let expected = (cell / spacings[point]) * (cell / spacings[point])
            return density[Int(samples.owners[point])].x >= max(alone, min(expected, 64) / 8)
        }
    }

    /// Drops points whose normal looks away from the photo they come from: what is seen faces the camera.
    mutating func dropTurnedAway(_ cloud: OrientedPoints, cameras: [PosedCamera?]) throws(SurfaceError) {
        guard cloud.viewOffsets.count == cloud.count + 1, !cloud.viewIndices.isEmpty else { return }
        let centers = cameras.map { $0.map { Vector3($0.centerInWorld) } }
        let points = self
        try keep { point in
            guard points.sources[point] >= 0 else { return true }
            let views = cloud.viewOffsets[Int(points.sources[point])]..<cloud.viewOffsets[Int(points.sources[point]) + 1]
            guard let first = views.first, Int(cloud.viewIndices[first]) < centers.count,
                let center = centers[Int(cloud.viewIndices[first])]
            else { return true }
            return dot(points.normals[point], center - points.positions[point]) > 0
        }
    }

    /// Drops points that lie in front of what other photos see.
    ///
    /// Each camera gets a small depth picture of the points that it is known to see. A point that is clearly nearer than all of them in a
    /// pixel and those around it would have hidden them: one vote against it. It goes when there are at least two, and more than photos that
    /// see it.
    mutating func dropFloating(_ cloud: OrientedPoints, cameras: [PosedCamera?], parallel: Parallel) throws(SurfaceError) {
        guard cloud.viewOffsets.count == cloud.count + 1, !cloud.viewIndices.isEmpty else { return }
        let points = self
        let votes = parallel.map(cameras.count) { photo -> [Bool] in
            guard let camera = cameras[photo] else { return [] }
            return SeenDepths(camera, photo: photo, cloud: cloud)?.isInFront(points) ?? []
        }
        let against = points.counts(votes)
        try keep { point in
            guard points.sources[point] >= 0 else { return true }
            let source = Int(points.sources[point])
            let seeing = cloud.viewOffsets[source + 1] - cloud.viewOffsets[source]
            return against[point] < max(2, seeing + 1)
        }
    }

    private func counts(_ votes: [[Bool]]) -> [Int] {
        var counts = [Int](repeating: 0, count: count)
        for vote in votes where !vote.isEmpty { for point in 0..<count where vote[point] { counts[point] += 1 } }
        return counts
    }
}

/// The nearest of the points that one photo sees, in a picture of few pixels.
private struct SeenDepths {
    private let camera: PosedCamera
    private var depths: GrayPlane
    /// Pixels are so coarse that each surface that is seen has several points in one.
    private static let pointsPerPixel = 4.0

    init?(_ camera: PosedCamera, photo: Int, cloud: OrientedPoints) {
        guard let wanted = UInt16(exactly: photo) else { return nil }
        var seen: [(depth: Float, pixel: Vector2d)] = []
        // All of the cloud, also what lies outside the bounds: the background tells where nothing stands before it.
        for point in 0..<cloud.count where cloud.viewIndices[cloud.viewOffsets[point]..<cloud.viewOffsets[point + 1]].contains(wanted) {
            guard cloud.positions[point].isFinite, let (pixel, depth) = Self.project(cloud.positions[point], camera) else { continue }
            seen.append((depth, pixel))
        }
        guard seen.count >= 64 else { return nil }
        let pixels = Double(camera.intrinsics.width * camera.intrinsics.height)
        let factor = min(1, max(0.02, (Double(seen.count) / Self.pointsPerPixel / pixels).squareRoot()))
        var small = camera
        small.intrinsics = camera.intrinsics.resized(
            width: max(8, Int(Double(camera.intrinsics.width) * factor)), height: max(8, Int(Double(camera.intrinsics.height) * factor)))
        self.camera = small
        depths = GrayPlane(width: small.intrinsics.width, height: small.intrinsics.height, repeating: .infinity)
        let scale = Vector2d(
            Double(depths.width) / Double(camera.intrinsics.width), Double(depths.height) / Double(camera.intrinsics.height))
        for (depth, pixel) in seen {
            let (x, y) = (Int(pixel.x * scale.x), Int(pixel.y * scale.y))
            depths[min(x, depths.width - 1), min(y, depths.height - 1)] = min(
                depths[min(x, depths.width - 1), min(y, depths.height - 1)], depth)
        }
    }

    /// Pixel and depth of a point within the picture.
    private static func project(_ point: Vector3, _ camera: PosedCamera) -> (Vector2d, Float)? {
        let inCamera = camera.cameraFromWorld * Vector3d(Double(point.x), Double(point.y), Double(point.z))
        guard inCamera.z > 1e-9 else { return nil }
        let pixel = camera.intrinsics.project(inCamera)
        guard pixel.x >= 0, pixel.y >= 0, pixel.x < Double(camera.intrinsics.width), pixel.y < Double(camera.intrinsics.height) else {
            return nil
        }
        return (pixel, Float(inCamera.z))
    }

    func isInFront(_ points: SurfacePoints) -> [Bool] {
        (0..<points.count).map { point in
            guard let (pixel, depth) = Self.project(points.positions[point], camera) else { return false }
            let (x, y) = (Int(pixel.x), Int(pixel.y))
            var nearest = Float.infinity
            for row in max(0, y - 1)...min(depths.height - 1, y + 1) {
                for column in max(0, x - 1)...min(depths.width - 1, x + 1) { nearest = min(nearest, depths[column, row]) }
            }
            // Noise reaches a few spacings.
            return nearest.isFinite && depth < nearest - 3 * points.spacings[point]
        }
    }
}
