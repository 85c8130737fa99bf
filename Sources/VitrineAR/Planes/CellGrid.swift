import VitrineMath
import VitrineVision

/// What was measured on a plane, summed up in square cells of its own coordinates (x, z), with the mean height above it in each.
struct CellGrid: Equatable, Sendable {
    /// Metres.
    static let cell = 0.05
    /// Cells each way from the origin: what lies farther than 12.8 m away isn't kept.
    static let reach = 256
    /// About how many pictures a cell remembers.
    static let memory: Float = 12

    /// The first cell's column and row.
    private(set) var left = 0, top = 0
    private(set) var width = 0, height = 0
    /// In pictures that showed the whole cell; 0 where empty.
    private(set) var weights: [Float] = []
    /// Weight times metres above the plane.
    private(set) var sums: [Float] = []

    static func index(_ value: Double) -> Int { Int((value / cell).rounded(.down)) }

    /// - Parameter weight: the share of the cell that the sample covers.
    mutating func add(_ x: Double, _ z: Double, height above: Double, weight: Float) {
        let limit = Double(Self.reach) * Self.cell
        guard abs(x) < limit, abs(z) < limit else { return }
        let (column, row) = (Self.index(x), Self.index(z))
        if column < left || row < top || column >= left + width || row >= top + height { grow(column, row) }
        let i = (row - top) * width + column - left
        weights[i] += weight
        sums[i] += weight * Float(above)
        if weights[i] > Self.memory {
            sums[i] *= Self.memory / weights[i]
            weights[i] = Self.memory
        }
    }

    /// Makes room for a cell and some around it, so that growing stays rare.
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

    /// Takes away from a cell that was seen through.
    mutating func fade(at index: Int, by amount: Float) {
        let rest = weights[index] - amount
        sums[index] = rest > 0 ? sums[index] * rest / weights[index] : 0
        weights[index] = max(0, rest)
    }

    /// The middle of the cell at an index of `weights`.
    func middle(_ index: Int) -> Vector2d {
        Vector2d((Double(index % width + left) + 0.5) * Self.cell, (Double(index / width + top) + 0.5) * Self.cell)
    }

    func isOccupied(_ index: Int) -> Bool { weights[index] >= 0.4 }

    /// Square metres.
    var area: Double {
        var count = 0
        for i in weights.indices where isOccupied(i) { count += 1 }
        return Double(count) * Self.cell * Self.cell
    }

    /// After the plane has moved: heights are counted from where it is now, `offset + slope · (x, z)` above where it was.
    mutating func lower(by offset: Double, slope: Vector2d) {
        for i in weights.indices where weights[i] > 0 {
            let place = middle(i)
            sums[i] -= weights[i] * Float(offset + (slope * place).sum())
        }
    }
}
