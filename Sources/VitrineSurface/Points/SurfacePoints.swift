import VitrineMath
import VitrineVision

/// The points of a surface reconstruction.
struct SurfacePoints: Sendable {
    var positions: [Vector3] = []
    /// Unit, outward.
    var normals: [Vector3] = []
    /// The weight of each point, 0.05…1.
    var weights: [Float] = []
    /// The distance to the next point according to the pixels of the photos.
    var spacings: [Float] = []
    /// The points' indices in the source cloud; −1 for synthetic points.
    var sources: [Int32] = []

    private(set) var bounds = BoundingBox.empty
    var count: Int { positions.count }
    var extent: Float { bounds.size.max() }
    static let needed = 16

    /// The points of `cloud` that are finite, have a normal and are inside `bounds`.
    init(_ cloud: OrientedPoints, bounds wanted: OrientedBox?) throws(SurfaceError) {
        try Self.check(cloud)
        for index in 0..<cloud.count {
            let (position, normal) = (cloud.positions[index], cloud.normals[index])
            // Beyond this, squares exceed the range of the numbers.
            guard position.isFinite, position.magnitudes.max() < 1e15, normal.isFinite, lengthSquared(normal) > 1e-12 else { continue }
            if let wanted, !wanted.contains(Vector3d(Double(position.x), Double(position.y), Double(position.z))) { continue }
            var weight: Float = 1
            if index < cloud.confidences.count, cloud.confidences[index].isFinite { weight = min(1, max(0.05, cloud.confidences[index])) }
            append(
                position, normalize(normal), weight: weight, spacing: index < cloud.spacings.count ? cloud.spacings[index] : 0,
                source: index)
        }
        try checkExtent()
        fillSpacings()
    }

    mutating func append(_ position: Vector3, _ normal: Vector3, weight: Float, spacing: Float, source: Int) {
        positions.append(position)
        normals.append(normal)
        weights.append(weight)
        spacings.append(spacing)
        sources.append(Int32(source))
        bounds.formUnion(position)
    }

    /// Keeps the points for which `isKept` is true; at least `needed` must remain.
    mutating func keep(_ isKept: (Int) -> Bool) throws(SurfaceError) {
        var count = 0
        bounds = .empty
        for index in 0..<self.count where isKept(index) {
            (positions[count], normals[count]) = (positions[index], normals[index])
            (weights[count], spacings[count], sources[count]) = (weights[index], spacings[index], sources[index])
            bounds.formUnion(positions[count])
            count += 1
        }
        positions.removeLast(self.count - count)
        normals.removeLast(normals.count - count)
        weights.removeLast(weights.count - count)
        spacings.removeLast(spacings.count - count)
        sources.removeLast(sources.count - count)
        try checkExtent()
    }

    /// Frees the memory.
    mutating func removeAll() { (positions, normals, weights, spacings, sources, bounds) = ([], [], [], [], [], .empty) }

    var medianSpacing: Float { spacings.sorted()[count / 2] }

    private func checkExtent() throws(SurfaceError) {
        guard count >= Self.needed else { throw .tooFewPoints(count: count, needed: Self.needed) }
        // Cells must differ from each other in single precision.
        let largest = max(bounds.minimum.magnitudes.max(), bounds.maximum.magnitudes.max())
        guard extent > 1e-4 * largest, extent > 1e-15 else { throw .degenerateExtent }
    }

    /// The default spacing: that of points distributed evenly over an area of the box's largest side.
    private mutating func fillSpacings() {
        let fallback = extent * 1.5 / Float(count).squareRoot()
        for index in spacings.indices where !(spacings[index].isFinite && spacings[index] > 0) { spacings[index] = fallback }
    }

    private static func check(_ cloud: OrientedPoints) throws(SurfaceError) {
        let count = cloud.count
        guard count < Int(Int32.max) / 32 else { throw .inconsistentPoints("positions") }
        guard cloud.normals.count == count else { throw .inconsistentPoints("normals") }
        guard cloud.spacings.isEmpty || cloud.spacings.count == count else { throw .inconsistentPoints("spacings") }
        guard cloud.confidences.isEmpty || cloud.confidences.count == count else { throw .inconsistentPoints("confidences") }
        let offsets = cloud.viewOffsets
        guard offsets.count <= 1 || offsets.count == count + 1 else { throw .inconsistentPoints("viewOffsets") }
        guard offsets.first ?? 0 >= 0, offsets.last ?? 0 <= cloud.viewIndices.count,
            zip(offsets, offsets.dropFirst()).allSatisfy({ $0 <= $1 })
        else { throw .inconsistentPoints("viewOffsets") }
    }
}

extension SurfacePoints {
    /// The support plane, fitted to the dense points of the support if there are enough: they determine it better than the
    /// sparse points from which it was detected.
    ///
    /// - Returns: `plane` unchanged if the points have no plane near it.
    func refined(_ plane: Plane3<Float>) -> Plane3<Float> {
        let reach = 0.03 * extent
        let facing = positions.indices.filter {
            abs(plane.signedDistance(to: positions[$0])) < reach && dot(normals[$0], plane.normal) > 0.9
        }
        guard facing.count >= Self.neededOnPlane else { return plane }
        // The most frequent height.
        let bins = 64
        var counts = [Int](repeating: 0, count: bins)
        for point in facing {
            counts[min(bins - 1, max(0, Int((plane.signedDistance(to: positions[point]) / reach + 1) / 2 * Float(bins))))] += 1
        }
        let best = counts.indices.max { counts[$0] < counts[$1] }!
        var result = plane
        result.offset += ((Float(best) + 0.5) / Float(bins) * 2 - 1) * reach
        for step in 0..<3 {
            let band = reach / Float(8 << step)
            let near = facing.filter { abs(result.signedDistance(to: positions[$0])) < max(band, 2 * spacings[$0]) }
            guard near.count >= Self.neededOnPlane, let fitted = Self.fit(near.map { positions[$0] }, beside: result) else { return plane }
            result = fitted
        }
        // With a larger tilt it is another surface.
        return dot(result.normal, plane.normal) > 0.996 ? result : plane
    }

    private static let neededOnPlane = 500

    /// The least-squares plane of points near `plane`, from their heights above it.
    private static func fit(_ points: [Vector3], beside plane: Plane3<Float>) -> Plane3<Float>? {
        let u = anyPerpendicular(plane.normal)
        let v = cross(plane.normal, u)
        let middle = points.reduce(Vector3.zero, +) / Float(points.count)
        var (uu, uv, vv, uh, vh) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for point in points {
            let offset = point - middle
            let (x, y, h) = (Double(dot(offset, u)), Double(dot(offset, v)), Double(dot(offset, plane.normal)))
            uu += x * x
            uv += x * y
            vv += y * y
            uh += x * h
            vh += y * h
        }
        let determinant = uu * vv - uv * uv
        guard determinant > 1e-6 * uu * vv else { return nil }
        let (a, b) = (Float((uh * vv - vh * uv) / determinant), Float((vh * uu - uh * uv) / determinant))
        let normal = normalize(plane.normal - u * a - v * b)
        return Plane3<Float>(normal: normal, offset: dot(normal, middle))
    }

    /// Drops the points of the support: those in the plane or below, and those near it that face up.
    mutating func dropSupport(_ plane: Plane3<Float>) throws(SurfaceError) {
        let (spacing, positions, normals) = (medianSpacing, positions, normals)
        try keep {
            let height = plane.signedDistance(to: positions[$0])
            return height > spacing && (height > 4 * spacing || dot(normals[$0], plane.normal) < 0.7)
        }
    }
}

extension SurfacePoints {
    /// Drops points with far fewer neighbours than their spacing implies.
    ///
    /// Counts points in the cells of level `depth` of the octree; drops a point if its neighbourhood has fewer than an eighth of the points that a
    /// surface with its spacing would have, or no other point.
    mutating func dropOutliers(depth: Int, edge: Float) throws(SurfaceError) {
        let samples = PoissonSamples(self, depth: depth, edge: edge)
        var octree = Octree(samples)
        while octree.depth < depth { octree.refine { _ in true } }
        let density = octree.density(depth: depth)
        let cell = samples.scale / Float(1 << depth)
        // An isolated point has a smaller weight than this.
        let alone: Float = 0.7
        let spacings = self.spacings
        try keep { point in
            let expected = (cell / spacings[point]) * (cell / spacings[point])
            return density[Int(samples.owners[point])].x >= max(alone, min(expected, 64) / 8)
        }
    }

    /// Drops points whose normal points away from their photo: observed surfaces face the camera.
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

    /// Drops points that lie in front of surfaces that other photos observe.
    ///
    /// Each camera gets a small depth image of the points that it observes. A point that is clearly nearer than all points of a
    /// pixel and its neighbours would have occluded them: one contradiction. Drops the point if there are at least two, and more than photos that
    /// observe it.
    mutating func dropFloating(_ cloud: OrientedPoints, cameras: [PosedCamera?], parallel: Parallel) throws(SurfaceError) {
        guard cloud.viewOffsets.count == cloud.count + 1, !cloud.viewIndices.isEmpty else { return }
        let points = self
        let observed = ObservedPoints(cloud, photos: cameras.count)
        let images = parallel.map(cameras.count) { photo in cameras[photo].flatMap { SeenDepths($0, points: observed[photo], cloud: cloud) }
        }
        .compactMap { $0 }
        var against = [UInt32](repeating: 0, count: count)
        against.withUnsafeMutableBufferPointer { buffer in
            // Each chunk writes its own points only.
            nonisolated(unsafe) let against = buffer
            // Successive points are near each other: most photos show none of a chunk.
            parallel.forEachChunk(of: count, size: 1 << 12) { chunk in
                let bounds = chunk.reduce(into: BoundingBox.empty) { $0.formUnion(points.positions[$1]) }
                for image in images where image.mayShow(bounds) {
                    for point in chunk where image.isInFront(points, point) { against[point] += 1 }
                }
            }
        }
        try keep { point in
            guard points.sources[point] >= 0 else { return true }
            let source = Int(points.sources[point])
            let seeing = cloud.viewOffsets[source + 1] - cloud.viewOffsets[source]
            return against[point] < max(2, seeing + 1)
        }
    }
}

/// The points of a cloud by the photos that observe them.
private struct ObservedPoints: Sendable {
    private var starts: [Int]
    private var points: [Int32]

    /// - Parameter photos: The number of photos; others are omitted.
    init(_ cloud: OrientedPoints, photos: Int) {
        starts = [Int](repeating: 0, count: photos + 1)
        for photo in cloud.viewIndices where photo < photos { starts[Int(photo) + 1] += 1 }
        for photo in 0..<photos { starts[photo + 1] += starts[photo] }
        points = [Int32](repeating: 0, count: starts[photos])
        var next = starts
        for point in 0..<cloud.count {
            for photo in cloud.viewIndices[cloud.viewOffsets[point]..<cloud.viewOffsets[point + 1]] where photo < photos {
                // A photo may be named twice.
                let slot = next[Int(photo)]
                if slot > starts[Int(photo)], points[slot - 1] == Int32(point) { continue }
                points[slot] = Int32(point)
                next[Int(photo)] += 1
            }
        }
        ends = Array(next.dropLast())
    }

    private let ends: [Int]

    /// In ascending order.
    subscript(photo: Int) -> ArraySlice<Int32> { points[starts[photo]..<ends[photo]] }
}

/// The nearest points that a photo observes, in an image of few pixels.
private struct SeenDepths {
    private let camera: PosedCamera
    private var depths: GrayPlane
    private let farthest: Float
    private let outline: (minimum: Vector2d, maximum: Vector2d)?
    /// Pixels are so coarse that an observed surface has several points in each.
    private static let pointsPerPixel = 4.0

    /// - Parameter points: Those that the photo observes: of the whole cloud, including points outside the bounds, as the background proves that the space
    ///   in front of it is free.
    init?(_ camera: PosedCamera, points: ArraySlice<Int32>, cloud: OrientedPoints) {
        var observed: [(depth: Float, pixel: Vector2d)] = []
        for point in points {
            let position = cloud.positions[Int(point)]
            guard position.isFinite, let (pixel, depth) = Self.project(position, camera) else { continue }
            observed.append((depth, pixel))
        }
        guard observed.count >= 64 else { return nil }
        farthest = observed.reduce(0) { max($0, $1.depth) }
        outline = Self.outline(camera.intrinsics)
        let pixels = Double(camera.intrinsics.width * camera.intrinsics.height)
        let factor = min(1, max(0.02, (Double(observed.count) / Self.pointsPerPixel / pixels).squareRoot()))
        var small = camera
        small.intrinsics = camera.intrinsics.resized(
            width: max(8, Int(Double(camera.intrinsics.width) * factor)), height: max(8, Int(Double(camera.intrinsics.height) * factor)))
        self.camera = small
        depths = GrayPlane(width: small.intrinsics.width, height: small.intrinsics.height, repeating: .infinity)
        let scale = Vector2d(
            Double(depths.width) / Double(camera.intrinsics.width), Double(depths.height) / Double(camera.intrinsics.height))
        for (depth, pixel) in observed {
            let (x, y) = (Int(pixel.x * scale.x), Int(pixel.y * scale.y))
            depths[min(x, depths.width - 1), min(y, depths.height - 1)] = min(
                depths[min(x, depths.width - 1), min(y, depths.height - 1)], depth)
        }
    }

    /// Pixel and depth of a point within the image.
    private static func project(_ point: Vector3, _ camera: PosedCamera) -> (Vector2d, Float)? {
        let inCamera = camera.cameraFromWorld * Vector3d(Double(point.x), Double(point.y), Double(point.z))
        guard inCamera.z > 1e-9 else { return nil }
        let pixel = camera.intrinsics.project(inCamera)
        guard pixel.x >= 0, pixel.y >= 0, pixel.x < Double(camera.intrinsics.width), pixel.y < Double(camera.intrinsics.height) else {
            return nil
        }
        return (pixel, Float(inCamera.z))
    }

    /// Whether the photo may show a point of a box in front of a surface; false only if it shows none.
    func mayShow(_ box: BoundingBox) -> Bool {
        let pose = camera.cameraFromWorld
        let corners = (0..<8).map { corner in
            pose
                * Vector3d(
                    Double(corner & 1 == 0 ? box.minimum.x : box.maximum.x), Double(corner & 2 == 0 ? box.minimum.y : box.maximum.y),
                    Double(corner & 4 == 0 ? box.minimum.z : box.maximum.z))
        }
        guard corners.contains(where: { $0.z > 0 }), corners.contains(where: { $0.z < Double(farthest) * 1.001 }) else { return false }
        guard let outline else { return true }
        // All corners on the outer side of one side of the pyramid: no point of the box is inside.
        return corners.contains { $0.x > outline.minimum.x * $0.z } && corners.contains { $0.x < outline.maximum.x * $0.z }
            && corners.contains { $0.y > outline.minimum.y * $0.z } && corners.contains { $0.y < outline.maximum.y * $0.z }
    }

    /// The range of x/z and y/z in the camera's frame that a photo shows, with some room; nil if it shows more than a pyramid.
    private static func outline(_ intrinsics: CameraIntrinsics) -> (minimum: Vector2d, maximum: Vector2d)? {
        let (width, height, steps) = (Double(intrinsics.width), Double(intrinsics.height), 32)
        var (minimum, maximum) = (Vector2d(repeating: .infinity), Vector2d(repeating: -.infinity))
        for step in 0...steps {
            let part = Double(step) / Double(steps)
            for pixel in [
                Vector2d(part * width, 0), Vector2d(part * width, height), Vector2d(0, part * height), Vector2d(width, part * height),
            ] {
                let ray = intrinsics.direction(pixel)
                guard ray.z > 0.05 * length(ray) else { return nil }
                let normalized = Vector2d(ray.x, ray.y) / ray.z
                (minimum, maximum) = (pointwiseMin(minimum, normalized), pointwiseMax(maximum, normalized))
            }
        }
        let room = 0.05 * (maximum - minimum)
        return (minimum - room, maximum + room)
    }

    func isInFront(_ points: SurfacePoints, _ point: Int) -> Bool {
        guard let (pixel, depth) = Self.project(points.positions[point], camera) else { return false }
        let (x, y) = (Int(pixel.x), Int(pixel.y))
        var nearest = Float.infinity
        for row in max(0, y - 1)...min(depths.height - 1, y + 1) {
            for column in max(0, x - 1)...min(depths.width - 1, x + 1) { nearest = min(nearest, depths[column, row]) }
        }
        // The noise is up to a few spacings.
        return nearest.isFinite && depth < nearest - 3 * points.spacings[point]
    }
}
