import VitrineMath
import VitrineVision

/// What one map sees through: the space before it that is surely free.
private struct FreeSpace: Sendable {
    let width, height: Int
    /// Pixels and depth of a point in the world: x and y still times the depth.
    private let across, down, forward: SIMD4<Float>
    /// For each pixel the nearest depth within `reach` pixels; 0 where one of them is not sure.
    private let depths: [Float]
    /// Beside an edge a point falls on the wrong side of it by a pixel or two: only what the whole neighbourhood sees through counts.
    private static let reach = 2

    init(_ map: DepthMap, minimumConfidence: UInt8) {
        let (intrinsics, pose) = (map.camera.intrinsics, map.camera.cameraFromWorld)
        (width, height) = (map.width, map.height)
        let rows = pose.rotation.transpose
        let axes = [rows.x, rows.y, rows.z]
        let lines = (0..<3).map { SIMD4(axes[$0].x, axes[$0].y, axes[$0].z, pose.translation[$0]) }
        across = SIMD4<Float>(lines[0] * intrinsics.focal.x + lines[2] * intrinsics.center.x)
        down = SIMD4<Float>(lines[1] * intrinsics.focal.y + lines[2] * intrinsics.center.y)
        forward = SIMD4<Float>(lines[2])
        let sure = zip(map.depths, map.confidences).map { $1 >= minimumConfidence ? $0 : 0 }
        depths = FreeSpace.smallest(of: FreeSpace.smallest(of: sure, step: 1), step: width)
    }

    /// The smallest value within `reach` steps before and after. At the rows' ends other rows' pixels are asked too, which only makes it smaller.
    private static func smallest(of values: [Float], step: Int) -> [Float] {
        var result = values
        result.withUnsafeMutableBufferPointer { result in
            values.withUnsafeBufferPointer { values in
                for offset in Swift.stride(from: step, through: min(reach * step, values.count - 1), by: step) {
                    for index in offset..<values.count { result[index] = min(result[index], values[index - offset]) }
                    for index in 0..<values.count - offset { result[index] = min(result[index], values[index + offset]) }
                }
            }
        }
        return result
    }

    /// Whether the map sees something behind a point: were the point there, it would hide it.
    func contains(_ point: Vector3, tolerance: Float) -> Bool {
        let place = SIMD4(point, 1)
        let z = (forward * place).sum()
        guard z > 0 else { return false }
        let (x, y) = ((across * place).sum() / z, (down * place).sum() / z)
        guard x >= 0, y >= 0, x < Float(width), y < Float(height) else { return false }
        return depths[Int(y) * width + Int(x)] > z * (1 + 2 * tolerance)
    }
}

extension DepthFusion {
    /// More maps than this are not asked: then every n-th is.
    private static let mostWitnesses = 64

    /// The cloud without the points that `minimumContradictions` maps see through.
    func withoutContradicted(
        _ points: OrientedPoints, count: Int, store: FusionStore, in context: StageContext
    ) throws -> OrientedPoints {
        guard options.minimumContradictions > 0 else { return points }
        var counts = [UInt8](repeating: 0, count: points.count)
        let stride = max(1, (count + DepthFusion.mostWitnesses - 1) / DepthFusion.mostWitnesses)
        for index in Swift.stride(from: 0, to: count, by: stride) {
            try context.checkCancellation()
            context.report(Double(index) / Double(count))
            guard let map = try store.map(at: index) else { continue }
            let space = FreeSpace(map, minimumConfidence: options.witnessConfidence)
            counts.withUnsafeMutableBufferPointer { buffer in
                // Each chunk writes its own points only.
                nonisolated(unsafe) let counts = buffer
                context.parallel.forEachChunk(of: points.count, size: 1 << 14) { chunk in
                    for point in chunk where space.contains(points.positions[point], tolerance: options.maximumDepthDifference) {
                        counts[point] &+= 1
                    }
                }
            }
        }
        return points.filtered { counts[$0] < options.minimumContradictions }
    }
}

extension OrientedPoints {
    /// The points, by their index, that are wanted.
    fileprivate func filtered(_ isWanted: (Int) -> Bool) -> OrientedPoints {
        var result = OrientedPoints()
        for index in 0..<count where isWanted(index) {
            result.positions.append(positions[index])
            result.normals.append(normals[index])
            result.colors.append(colors[index])
            result.spacings.append(spacings[index])
            result.confidences.append(confidences[index])
            result.viewIndices += viewIndices[viewOffsets[index]..<viewOffsets[index + 1]]
            result.viewOffsets.append(result.viewIndices.count)
        }
        return result
    }
}
