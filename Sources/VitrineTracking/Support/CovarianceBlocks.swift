import VitrineVision

/// Covariance matrices of 3×3 blocks, in row order.
enum CovarianceBlocks {
    /// The covariance after a change of axes.
    /// - Parameters:
    ///   - rotation: New axes from old ones.
    ///   - blocks: Blocks in a row.
    ///   - rotating: The number of them, from the first, that are vectors on the axes that change.
    static func rotated(_ covariance: [Double], by rotation: Matrix3d, blocks: Int, rotating: Int) -> [Double] {
        let size = 3 * blocks
        guard covariance.count == size * size else { return covariance }
        var result = covariance
        for row in 0..<blocks {
            for column in 0..<blocks where row < rotating || column < rotating {
                func at(_ i: Int, _ j: Int) -> Double { covariance[(3 * row + i) * size + 3 * column + j] }
                var block = Matrix3d(
                    rows: Vector3d(at(0, 0), at(0, 1), at(0, 2)), Vector3d(at(1, 0), at(1, 1), at(1, 2)),
                    Vector3d(at(2, 0), at(2, 1), at(2, 2)))
                if row < rotating { block = rotation * block }
                if column < rotating { block = block * rotation.transpose }
                for i in 0..<3 { for j in 0..<3 { result[(3 * row + i) * size + 3 * column + j] = block.column(j)[i] } }
            }
        }
        return result
    }

    /// A matrix whose rows belong to the blocks, after a change of axes.
    /// - Parameters:
    ///   - matrix: In row order.
    ///   - rotation: New axes from old ones.
    ///   - blocks: Blocks in a column.
    ///   - rotating: The number of them, from the first, that are vectors on the axes that change.
    static func rotated(rows matrix: [Double], by rotation: Matrix3d, blocks: Int, rotating: Int) -> [Double] {
        let count = matrix.count / (3 * blocks)
        var result = matrix
        for block in 0..<rotating {
            for column in 0..<count {
                let first = 3 * block * count + column
                let turned = rotation * Vector3d(matrix[first], matrix[first + count], matrix[first + 2 * count])
                for k in 0..<3 { result[first + k * count] = turned[k] }
            }
        }
        return result
    }
}
