import VitrineMath
import VitrineVision

/// Decodes the cells between four corners.
struct MarkerDecoder {
    /// Rows of bits from the upper left, most significant first; 1 is white.
    private(set) var code: UInt64 = 0

    /// nil if the border is not black on white.
    /// - Parameter corners: The corners of the black square, clockwise in the image.
    init?(_ corners: [Vector2d], _ sampler: BilinearSampler, cells: Int, contrast: Double) {
        let map = SquareHomography(square: corners)
        let across = Double(cells + 2)
        /// The mean grey value at a cell's centre; the border is row or column 0 and cells + 1.
        func grey(_ row: Int, _ column: Int) -> Double {
            var sum = 0.0
            for y in -1...1 {
                for x in -1...1 {
                    let position = Vector2d(Double(column) + 0.5 + 0.2 * Double(x), Double(row) + 0.5 + 0.2 * Double(y))
                    sum += sampler(map * (position / across))
                }
            }
            return sum / 9
        }
        // Uneven lighting: black and white levels are planes fitted to the border and its surroundings.
        var (black, white) = (GrayPlane(), GrayPlane())
        var border: [(position: Vector2d, grey: Double)] = []
        let last = cells + 1
        for k in -1...last + 1 {
            for (row, column) in [(-1, k), (last + 1, k), (k, -1), (k, last + 1)] {
                white.add(Vector2d(Double(column), Double(row)), grey(row, column))
            }
            guard (0...last).contains(k) else { continue }
            for (row, column) in [(0, k), (last, k), (k, 0), (k, last)] {
                let position = Vector2d(Double(column), Double(row))
                border.append((position, grey(row, column)))
                black.add(position, border.last!.grey)
            }
        }
        guard let dark = black.fitted(), let light = white.fitted() else { return nil }
        func middle(_ position: Vector2d) -> Double { 0.5 * (dark(position) + light(position)) }
        let corner = [Vector2d(0, 0), Vector2d(Double(last), 0), Vector2d(0, Double(last)), Vector2d(Double(last), Double(last))]
        guard corner.allSatisfy({ light($0) - dark($0) >= 0.7 * contrast }) else { return nil }
        let wrong = border.count { $0.grey > middle($0.position) }
        guard wrong * 10 <= border.count else { return nil }
        for row in 1...cells {
            for column in 1...cells {
                let isWhite = grey(row, column) > middle(Vector2d(Double(column), Double(row)))
                code = code << 1 | (isWhite ? 1 : 0)
            }
        }
    }
}

/// A least-squares plane of grey values.
private struct GrayPlane {
    private var equations = SmallSymmetricSystem(count: 3)

    /// Adds a sample; the residual at zero is −grey.
    mutating func add(_ position: Vector2d, _ gray: Double) {
        equations.add(SIMD8(position.x, position.y, 1, 0, 0, 0, 0, 0), -gray, weight: 1)
    }

    func fitted() -> ((Vector2d) -> Double)? {
        guard let plane = equations.solve(damping: 1e-9) else { return nil }
        return { plane[0] * $0.x + plane[1] * $0.y + plane[2] }
    }
}

/// The homography from the unit square (x right, y down) to four corners: upper left, upper right, lower right, lower left (Heckbert 1989).
struct SquareHomography {
    private let x, y, w: Vector3d

    init(square corners: [Vector2d]) {
        let (a, b, c, d) = (corners[0], corners[1], corners[2], corners[3])
        let (e, f, s) = (b - c, d - c, a - b + c - d)
        let determinant = e.x * f.y - f.x * e.y
        let g = (s.x * f.y - f.x * s.y) / determinant
        let h = (e.x * s.y - s.x * e.y) / determinant
        x = Vector3d(b.x - a.x + g * b.x, d.x - a.x + h * d.x, a.x)
        y = Vector3d(b.y - a.y + g * b.y, d.y - a.y + h * d.y, a.y)
        w = Vector3d(g, h, 1)
    }

    static func * (map: SquareHomography, position: Vector2d) -> Vector2d {
        let p = Vector3d(position.x, position.y, 1)
        return Vector2d(dot(map.x, p), dot(map.y, p)) / dot(map.w, p)
    }

    /// The homogeneous matrix.
    var matrix: Matrix3d { Matrix3d(rows: x, y, w) }
}
