import VitrineMath
import VitrineVision

/// Depth measurements on a plane, accumulated in square cells of the plane's coordinates (x, z), with the mean height above the plane in each.
struct PlaneGrid: Equatable, Sendable {
    /// The side of a cell in metres.
    static let cellSize = 0.05
    /// Cells in each direction from the origin: measurements farther than 12.8 m away are ignored.
    static let reach = 256
    /// The maximum weight: about the number of frames that a cell averages.
    static let maximumWeight: Float = 12

    /// The column and row of the first cell.
    private(set) var left = 0, top = 0
    private(set) var width = 0, height = 0
    /// The number of frames that covered the whole cell, per cell; 0 if empty.
    private(set) var weights: [Float] = []
    /// Weight times height above the plane in metres.
    private(set) var sums: [Float] = []

    /// The column or row of a coordinate.
    static func index(_ value: Double) -> Int { Int((value / cellSize).rounded(.down)) }

    /// Adds a measurement.
    ///
    /// - Parameter weight: The share of the cell that it covers.
    mutating func add(_ x: Double, _ z: Double, height above: Double, weight: Float) {
        let limit = Double(Self.reach) * Self.cellSize
        guard abs(x) < limit, abs(z) < limit else { return }
        let (column, row) = (Self.index(x), Self.index(z))
        if column < left || row < top || column >= left + width || row >= top + height { grow(column, row) }
        let i = (row - top) * width + column - left
        weights[i] += weight
        sums[i] += weight * Float(above)
        if weights[i] > Self.maximumWeight {
            sums[i] *= Self.maximumWeight / weights[i]
            weights[i] = Self.maximumWeight
        }
    }

    /// Extends the grid to a cell and a margin around it.
    private mutating func grow(_ column: Int, _ row: Int) {
        let margin = 16
        var (right, bottom) = (left + width, top + height)
        if width == 0 { (left, top, right, bottom) = (column, row, column, row) }
        let newLeft = max(-Self.reach, column < left ? column - margin : left)
        let newTop = max(-Self.reach, row < top ? row - margin : top)
        right = min(Self.reach, column >= right ? column + 1 + margin : right)
        bottom = min(Self.reach, row >= bottom ? row + 1 + margin : bottom)
        let (newWidth, newHeight) = (right - newLeft, bottom - newTop)
        var (newWeights, newSums) = ([Float](repeating: 0, count: newWidth * newHeight), [Float](repeating: 0, count: newWidth * newHeight))
        for y in 0..<height {
            for x in 0..<width {
                let target = (y + top - newTop) * newWidth + x + left - newLeft
                newWeights[target] = weights[y * width + x]
                newSums[target] = sums[y * width + x]
            }
        }
        (left, top, width, height, weights, sums) = (newLeft, newTop, newWidth, newHeight, newWeights, newSums)
    }

    /// Reduces the weight of a cell where depth shows a surface behind the plane.
    mutating func fade(at index: Int, by amount: Float) {
        let rest = weights[index] - amount
        sums[index] = rest > 0 ? sums[index] * rest / weights[index] : 0
        weights[index] = max(0, rest)
    }

    /// The centre of the cell at an index of `weights`.
    func center(of index: Int) -> Vector2d {
        Vector2d((Double(index % width + left) + 0.5) * Self.cellSize, (Double(index / width + top) + 0.5) * Self.cellSize)
    }

    func isOccupied(_ index: Int) -> Bool { weights[index] >= 0.4 }

    /// The area of the occupied cells in m².
    var area: Double {
        var count = 0
        for i in weights.indices where isOccupied(i) { count += 1 }
        return Double(count) * Self.cellSize * Self.cellSize
    }

    /// Subtracts `offset + slope · (x, z)` from all heights, after the plane has moved up by as much.
    mutating func subtract(offset: Double, slope: Vector2d) {
        for i in weights.indices where weights[i] > 0 {
            let position = center(of: i)
            sums[i] -= weights[i] * Float(offset + (slope * position).sum())
        }
    }

    /// The boundary of the largest connected component, with gaps of up to `bridging` metres closed and holes filled; empty without occupied
    /// cells.
    ///
    /// The vertices are cell corners, counterclockwise as seen from the side of the plane's normal.
    func outline(bridging: Double) -> [Vector2d] {
        let radius = max(1, Int((bridging / 2 / Self.cellSize).rounded(.up)))
        var mask = BinaryMask(width: width + 2 * radius + 2, height: height + 2 * radius + 2)
        for i in weights.indices where isOccupied(i) {
            mask.values[(i / width + radius + 1) * mask.width + i % width + radius + 1] = true
        }
        mask.dilate(radius)
        mask.erode(radius)
        guard let start = mask.keepLargest() else { return [] }
        return mask.contour(from: start).map {
            Vector2d(Double($0.x + left - radius - 1), Double($0.y + top - radius - 1)) * Self.cellSize
        }
    }
}
