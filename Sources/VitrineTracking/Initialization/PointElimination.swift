import VitrineMath
import VitrineVision

/// The Schur complement of the points in a least-squares problem: eliminates each point from the equations of the first `width` unknowns, and
/// substitutes back.
///
/// A point has its own 3×3 block V = L Lᵀ, the block W (3 × width) with the other unknowns, and the right side b. Y = L⁻¹ W and e = L⁻¹ b are
/// kept; YᵀY and Yᵀe are subtracted from the other unknowns' equations. Rows are padded to multiples of eight.
struct PointElimination: Sendable {
    typealias Lanes = SIMD8<Double>

    let width: Int
    /// Vectors of eight in a row.
    let lanes: Int
    /// Three rows of Y for each point.
    private var rows: [Lanes]
    private var roots: [Root]
    /// The upper triangle of the sum of YᵀY, by rows.
    private var sum: [Lanes]
    /// The sum of Yᵀe.
    private var right: [Double]

    private struct Root: Sendable {
        var a = 1.0, b = 0.0, c = 1.0, d = 0.0, e = 0.0, f = 1.0
        var right = Vector3d.zero
    }

    init(width: Int, count: Int) {
        self.width = width
        lanes = (width + 7) / 8
        rows = Array(repeating: .zero, count: 3 * lanes * count)
        roots = Array(repeating: Root(), count: count)
        sum = Array(repeating: .zero, count: width * lanes)
        right = Array(repeating: 0, count: width)
    }

    /// Eliminates a point from the equations.
    ///
    /// - Parameters:
    ///   - own: V.
    ///   - others: W, three rows of `8 * lanes` values.
    ///   - touched: The first unknown of each group of six with values in W; the last unknown always has values.
    /// - Returns: false if V is not positive definite.
    mutating func eliminate(_ index: Int, own: Matrix3d, right b: Vector3d, others: [Double], touched: [Int]) -> Bool {
        var root = Root()
        guard own.x.x > 0 else { return false }
        root.a = own.x.x.squareRoot()
        (root.b, root.d) = (own.x.y / root.a, own.x.z / root.a)
        let second = own.y.y - root.b * root.b
        guard second > 0 else { return false }
        root.c = second.squareRoot()
        root.e = (own.y.z - root.d * root.b) / root.c
        let third = own.z.z - root.d * root.d - root.e * root.e
        guard third > 0 else { return false }
        root.f = third.squareRoot()
        root.right.x = b.x / root.a
        root.right.y = (b.y - root.b * root.right.x) / root.c
        root.right.z = (b.z - root.d * root.right.x - root.e * root.right.y) / root.f
        roots[index] = root
        let (lanes, width) = (lanes, width)
        let start = 3 * lanes * index
        others.withUnsafeBufferPointer { others in
            guard let others = others.baseAddress else { return }
            for k in 0..<lanes {
                func lane(_ row: Int) -> Lanes { RowKernels.load(others + (row * lanes + k) * 8) }
                let x = lane(0) / root.a
                let y = (lane(1) - x * root.b) / root.c
                (rows[start + k], rows[start + lanes + k]) = (x, y)
                rows[start + 2 * lanes + k] = (lane(2) - x * root.d - y * root.e) / root.f
            }
        }
        rows.withUnsafeMutableBufferPointer { rows in
            sum.withUnsafeMutableBufferPointer { sum in
                func reduce(_ i: Int) {
                    let (at, part) = (i / 8, i % 8)
                    let (x, y, z) = (rows[start + at][part], rows[start + lanes + at][part], rows[start + 2 * lanes + at][part])
                    for k in at..<lanes {
                        let products: Lanes = rows[start + k] * x + rows[start + lanes + k] * y
                        sum[i * lanes + k] += products + rows[start + 2 * lanes + k] * z
                    }
                    right[i] += x * root.right.x + y * root.right.y + z * root.right.z
                }
                for first in touched { for i in first..<first + 6 { reduce(i) } }
                reduce(width - 1)
            }
        }
        return true
    }

    /// Subtracts the points' contribution from the other unknowns' equations.
    func reduce(_ system: inout SymmetricSystem) {
        let size = system.size
        for i in 0..<width {
            for j in i..<width {
                let value = sum[i * lanes + j / 8][j % 8]
                system.matrix[i * size + j] -= value
                if j > i { system.matrix[j * size + i] -= value }
            }
            system.right[i] -= right[i]
        }
    }

    /// Returns a point's step by back substitution from the step of the other unknowns.
    func step(of index: Int, after step: [Double]) -> Vector3d {
        let (root, start) = (roots[index], 3 * lanes * index)
        var (x, y, z) = (Lanes.zero, Lanes.zero, Lanes.zero)
        for k in 0..<lanes {
            var moved = Lanes.zero
            for i in 0..<min(8, width - 8 * k) { moved[i] = step[8 * k + i] }
            x += rows[start + k] * moved
            y += rows[start + lanes + k] * moved
            z += rows[start + 2 * lanes + k] * moved
        }
        let rest = root.right - Vector3d(x.sum(), y.sum(), z.sum())
        let third = rest.z / root.f
        let second = (rest.y - root.e * third) / root.c
        return Vector3d((rest.x - root.b * second - root.d * third) / root.a, second, third)
    }
}
