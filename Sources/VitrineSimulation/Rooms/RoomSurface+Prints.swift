import Vitrine
import VitrineAR
import VitrineMath

extension RoomSurface {
    /// The cells across a marker, including its white border.
    static let markerCells: Float = 10

    static func marker(_ u: Float, _ v: Float) -> Vector3 {
        let (column, row) = (Int(u * markerCells) - 2, Int(v * markerCells) - 2)
        let isEdge = column < -1 || row < -1 || column > 6 || row > 6
        let isWhite = isEdge || MarkerDictionary.aprilTag36h11.isWhite(id: 0, row: row, column: column)
        return Vector3(repeating: isWhite ? 0.85 : 0.04)
    }

    /// A poster within a white margin.
    func poster(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        let edge = min(min(u, 1 - u), min(v, 1 - v))
        guard edge > 0.05 else { return edge < 0.015 ? Vector3(repeating: 0.1) : Vector3(0.93, 0.92, 0.89) }
        let (x, y) = ((u - 0.05) / 0.9, (v - 0.05) / 0.9)
        return switch self {
        case .posterShapes: Self.shapes(x, y, noise)
        case .posterMountains: Self.mountains(x, y, noise)
        case .posterText: Self.text(x, y, noise)
        case .posterTiles: Self.tiles(x, y, noise)
        case .posterStars: Self.stars(x, y, noise)
        default: Self.cells(x, y, noise)
        }
    }

    private static let inks: [Vector3] = [
        Vector3(0.80, 0.20, 0.15), Vector3(0.93, 0.72, 0.18), Vector3(0.10, 0.28, 0.48), Vector3(0.12, 0.12, 0.13),
        Vector3(0.20, 0.50, 0.45),
        Vector3(0.90, 0.88, 0.80),
    ]

    /// Circles, bars and quarters, as posters of the twenties had them.
    private static func shapes(_ x: Float, _ y: Float, _ noise: ValueNoise) -> Vector3 {
        var color = Vector3(0.92, 0.88, 0.78)
        for index in 0..<11 {
            let center = Vector2(noise.cell(index, 1), noise.cell(index, 2))
            let size = 0.06 + 0.2 * noise.cell(index, 3)
            let (dx, dy) = (x - center.x, y - center.y)
            let angle = noise.cell(index, 4) * .pi
            let (a, b) = (dx * cos(angle) + dy * sin(angle), dy * cos(angle) - dx * sin(angle))
            let isInside =
                switch index % 3 {
                case 0: dx * dx + dy * dy < size * size
                case 1: abs(a) < size * 1.6 && abs(b) < size * 0.16
                default: a > 0 && b > 0 && a * a + b * b < size * size * 1.4
                }
            if isInside { color = inks[Int(noise.cell(index, 5) * 5)] }
        }
        return color * (0.96 + 0.08 * noise.value(x * 150, y * 150))
    }

    private static func mountains(_ x: Float, _ y: Float, _ noise: ValueNoise) -> Vector3 {
        var color = mix(Vector3(0.95, 0.72, 0.45), Vector3(0.55, 0.70, 0.85), 1 - y)
        let (dx, dy) = (x - 0.68, y - 0.27)
        if dx * dx + dy * dy < 0.009 { color = Vector3(1, 0.95, 0.8) }
        for ridge in 0..<5 {
            let base = 0.38 + 0.13 * Float(ridge)
            let height = base + 0.22 * (0.5 - noise.octaves(x * (3 + Float(ridge)), Float(ridge) * 7, 5))
            guard y > height else { continue }
            let shade = 1 - Float(ridge) * 0.2
            color = mix(Vector3(0.10, 0.20, 0.22), Vector3(0.48, 0.58, 0.68), max(shade, 0))
            let snow = ridge < 2 && y < height + 0.05 + 0.04 * noise.value(x * 40, 3)
            if snow { color = Vector3(0.92, 0.94, 0.97) }
            color *= 0.85 + 0.3 * noise.octaves(x * 30, y * 30 + Float(ridge))
        }
        return color
    }

    private static func text(_ x: Float, _ y: Float, _ noise: ValueNoise) -> Vector3 {
        let paper = Vector3(0.95, 0.94, 0.90)
        if y < 0.24 {
            // A headline of thick letters.
            let column = Int(x * 9)
            let (a, b) = (x * 9 - Float(column), (y - 0.05) / 0.16)
            guard a > 0.15, a < 0.85, b > 0, b < 1 else { return Vector3(0.78, 0.20, 0.14) }
            let kind = Int(noise.cell(column, 40) * 5)
            let isInk =
                [
                    a < 0.35 || b < 0.22, a < 0.35 || a > 0.65 || abs(b - 0.5) < 0.12, b < 0.2 || abs(a - 0.5) < 0.12,
                    a < 0.35 || b < 0.2 || b > 0.8 || abs(b - 0.5) < 0.1, abs(a - 0.5) < 0.3 && abs(b - 0.5) > 0.2,
                ][kind]
            return isInk ? paper : Vector3(0.78, 0.20, 0.14)
        }
        if x > 0.55, y > 0.34, y < 0.62 { return mountains((x - 0.55) / 0.45, (y - 0.34) / 0.28, noise) }
        let line = Int(y * 42)
        let isGap = (y * 42 - Float(line)) > 0.55 || line % 9 == 8
        let isInk = x > 0.05 && x < 0.95 && !isGap && noise.cell(Int(x * 75), line, 12) > 0.3
        return isInk ? Vector3(repeating: 0.16) : paper
    }

    private static func tiles(_ x: Float, _ y: Float, _ noise: ValueNoise) -> Vector3 {
        let (column, row) = (Int(x * 8), Int(y * 11))
        let (a, b) = (x * 8 - Float(column), y * 11 - Float(row))
        let edge = min(min(a, 1 - a), min(b, 1 - b))
        guard edge > 0.05 else { return Vector3(0.86, 0.85, 0.80) }
        let (first, second) = (Int(noise.cell(column, row, 1) * 6), Int(noise.cell(column, row, 2) * 6))
        let isSecond = noise.cell(column, row, 3) < 0.5 ? a > b : (a - 0.5) * (a - 0.5) + (b - 0.5) * (b - 0.5) < 0.1
        return inks[isSecond ? second : first]
    }

    private static func stars(_ x: Float, _ y: Float, _ noise: ValueNoise) -> Vector3 {
        var color = Vector3(0.05, 0.08, 0.20) + Vector3(0.10, 0.08, 0.16) * noise.octaves(x * 5, y * 7)
        let (dx, dy) = (x - 0.5, y - 0.45)
        let radius = (dx * dx + dy * dy).squareRoot()
        for ring in 1...4 where abs(radius - 0.1 * Float(ring)) < 0.0025 { color = Vector3(0.5, 0.55, 0.65) }
        let (column, row) = (Int(x * 22), Int(y * 30))
        let offset = Vector2(0.25 + 0.5 * noise.cell(column, row, 1), 0.25 + 0.5 * noise.cell(column, row, 2))
        let off = Vector2((x * 22 - Float(column) - offset.x) / 22, (y * 30 - Float(row) - offset.y) / 30)
        let size = 0.002 + 0.006 * noise.cell(column, row, 3) * noise.cell(column, row, 4)
        if lengthSquared(off) < size * size { color = Vector3(0.96, 0.94, 0.82) }
        if y > 0.9, (y * 60).truncatingRemainder(dividingBy: 1) < 0.5, x > 0.1, x < 0.6, noise.cell(Int(x * 60), Int(y * 60), 9) > 0.3 {
            color = Vector3(0.8, 0.8, 0.75)
        }
        return color
    }

    private static func cells(_ x: Float, _ y: Float, _ noise: ValueNoise) -> Vector3 {
        let (column, row) = (Int(x * 7), Int(y * 9))
        var nearest: (first: Float, second: Float, cell: Int) = (9, 9, 0)
        for j in (row - 1)...(row + 1) {
            for i in (column - 1)...(column + 1) {
                let off = Vector2(Float(i) + noise.cell(i, j, 1) - x * 7, Float(j) + noise.cell(i, j, 2) - y * 9)
                let distance = length(off)
                if distance < nearest.first {
                    nearest = (distance, nearest.first, Int(noise.cell(i, j, 3) * 6))
                } else if distance < nearest.second {
                    nearest.second = distance
                }
            }
        }
        return nearest.second - nearest.first < 0.07 ? Vector3(repeating: 0.08) : inks[nearest.cell] * (1.05 - 0.5 * nearest.first)
    }

    /// The spine of a book, with its top at v = 0.
    func book(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        let grounds: [Vector3] = [
            Vector3(0.45, 0.12, 0.12), Vector3(0.12, 0.22, 0.36), Vector3(0.15, 0.30, 0.20), Vector3(0.80, 0.74, 0.60),
            Vector3(0.28, 0.22, 0.30),
            Vector3(0.75, 0.45, 0.16),
        ]
        let index = RoomSurface.books.firstIndex(of: self) ?? 0
        let ground = grounds[index]
        let gold = index == 3 ? Vector3(0.25, 0.15, 0.12) : Vector3(0.88, 0.76, 0.44)
        let isBand = abs(v - 0.12) < 0.012 || abs(v - 0.18) < 0.006 || abs(v - 0.86) < 0.012
        let isTitle = v > 0.26 && v < 0.62 && abs(u - 0.5) < 0.22 && noise.cell(Int(v * 60), Int(u * 6), 2) > 0.42
        let isMark = abs(u - 0.5) < 0.2 && abs(v - 0.77) < 0.03
        let shade = 0.75 + 0.25 * (1 - abs(u - 0.5) * 2) + 0.2 * (noise.octaves(u * 20, v * 40) - 0.5)
        return (isBand || isTitle || isMark ? gold : ground) * shade
    }
}
