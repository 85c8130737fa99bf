import VitrineMath
import VitrineVision

extension DepthFusion {
    /// A part of space whose points are fused on their own: a box along the axes without its upper sides.
    ///
    /// Each point of a scene is in one of the blocks that fill the space. A block also fuses the surface just outside of it, whose points it drops:
    /// they cover the pixels that they cover in the neighbouring block.
    package struct Block: Equatable, Sendable {
        /// Infinite at the outside of a scene.
        package let lower, upper: Vector3d

        package init(lower: Vector3d, upper: Vector3d) { (self.lower, self.upper) = (lower, upper) }

        /// The block that contains all of space.
        package static let everything = Block(lower: Vector3d(repeating: -.infinity), upper: Vector3d(repeating: .infinity))

        package func contains(_ point: Vector3d) -> Bool { all(point .>= lower) && all(point .< upper) }

        /// Whether a point is inside or within a distance of the box.
        package func isNear(_ point: Vector3d, within reach: Double) -> Bool {
            all(point .>= lower - reach) && all(point .< upper + reach)
        }

        /// Whether the photo may observe a part of the box between two depths: false only if it doesn't.
        package func mayBeObserved(by camera: PosedCamera, depths: ClosedRange<Double>) -> Bool {
            let (intrinsics, worldFromCamera) = (camera.intrinsics, camera.cameraFromWorld.inverse)
            let (width, height) = (Double(intrinsics.width), Double(intrinsics.height))
            var (low, high) = (Vector2d(repeating: .infinity), Vector2d(repeating: -.infinity))
            for y in [0, height / 2, height] {
                for x in [0, width / 2, width] {
                    let ray = intrinsics.direction(Vector2d(x, y))
                    // Fisheye lenses observe more than a pyramid.
                    guard ray.z > 0.05 * length(ray) else { return true }
                    let normalized = Vector2d(ray.x, ray.y) / ray.z
                    (low, high) = (pointwiseMin(low, normalized), pointwiseMax(high, normalized))
                }
            }
            // The undistorted photo may show more than the borders of the distorted one.
            let room = 0.25 * (high - low)
            (low, high) = (low - room, high + room)
            var (minimum, maximum) = (Vector3d(repeating: .infinity), Vector3d(repeating: -.infinity))
            for depth in [depths.lowerBound, depths.upperBound] {
                for normalized in [low, high, Vector2d(low.x, high.y), Vector2d(high.x, low.y)] {
                    let corner = worldFromCamera * Vector3d(normalized.x * depth, normalized.y * depth, depth)
                    (minimum, maximum) = (pointwiseMin(minimum, corner), pointwiseMax(maximum, corner))
                }
            }
            let reach = Block.reach * depths.upperBound
            return all(maximum .>= lower - reach) && all(minimum .< upper + reach)
        }

        /// The width of the surface around a block that is fused with it, as a fraction of its depth in the photo: several times the error of a depth that
        /// another map confirms.
        static let reach = 0.04
    }

    /// Divides space into blocks with about as many of the points each, by planes at quantiles of the longest extent.
    ///
    /// - Parameters:
    ///   - points: World frame; finite.
    ///   - count: The number of blocks, fewer if there are not enough points.
    package static func blocks(_ points: [Vector3d], count: Int) -> [Block] {
        /// The smallest number of points of a block, which is placed by them.
        let least = 16
        func divide(_ points: [Vector3d], _ count: Int, _ block: Block) -> [Block] {
            let count = min(count, points.count / least)
            guard count > 1 else { return [block] }
            let sorted = (0..<3).map { axis in points.map { $0[axis] }.sorted() }
            // Without the outermost points, which are often wrong.
            let extents = sorted.map { $0[$0.count * 19 / 20] - $0[$0.count / 20] }
            let axis = (0..<3).max { extents[$0] < extents[$1] } ?? 0
            let first = count / 2
            let split = sorted[axis][points.count * first / count]
            guard extents[axis] > 0, split > sorted[axis][0] else { return [block] }
            var (upper, lower) = (block.upper, block.lower)
            (upper[axis], lower[axis]) = (split, split)
            return divide(points.filter { $0[axis] < split }, first, Block(lower: block.lower, upper: upper))
                + divide(points.filter { $0[axis] >= split }, count - first, Block(lower: lower, upper: block.upper))
        }
        return divide(points, count, .everything)
    }
}

extension OrientedPoints {
    /// Reserves memory for points that observations of photos belong to.
    package mutating func reserveCapacity(_ count: Int, views: Int) {
        positions.reserveCapacity(count)
        normals.reserveCapacity(count)
        colors.reserveCapacity(count)
        spacings.reserveCapacity(count)
        confidences.reserveCapacity(count)
        viewOffsets.reserveCapacity(count + 1)
        viewIndices.reserveCapacity(views)
    }

    /// At most `count` points, evenly thinned: of each cell of a grid, and of each of six directions of normals in it, the point of the highest confidence.
    /// The spacing of a point is at least the edge of the cells.
    package func thinned(to count: Int) -> OrientedPoints {
        guard self.count > count, count > 0 else { return self }
        var edge = max(spacings.sorted()[self.count / 2], .leastNormalMagnitude)
        while true {
            let kept = mostConfident(edge: edge)
            if kept.count <= count {
                var isKept = [Bool](repeating: false, count: self.count)
                for index in kept { isKept[index] = true }
                var result = filtered { isKept[$0] }
                result.spacings = result.spacings.map { max($0, edge) }
                return result
            }
            // The number of cells on a surface grows with the inverse square of their edge.
            edge *= max(1.05, 1.02 * (Float(kept.count) / Float(count)).squareRoot())
        }
    }

    private struct Cell: Hashable {
        let coordinates: SIMD3<Int32>
        let direction: Int8
    }

    /// The indices of the most confident points of all cells, in no order.
    private func mostConfident(edge: Float) -> [Int] {
        var best: [Cell: Int] = [:]
        let range: Float = 1e9
        for index in 0..<count {
            let scaled = (positions[index] / edge).rounded(.down)
            let normal = normals[index]
            let sizes = SIMD3(abs(normal.x), abs(normal.y), abs(normal.z))
            let axis = sizes.x >= sizes.y && sizes.x >= sizes.z ? 0 : sizes.y >= sizes.z ? 1 : 2
            let cell = Cell(
                coordinates: SIMD3<Int32>(scaled.clamped(lowerBound: Vector3(repeating: -range), upperBound: Vector3(repeating: range))),
                direction: Int8(2 * axis + (normal[axis] < 0 ? 1 : 0)))
            if let other = best[cell], confidences[other] >= confidences[index] { continue }
            best[cell] = index
        }
        return Array(best.values)
    }
}
