import Vitrine
import VitrineAR
import VitrineMath

/// The surfaces of a simulated room, each with a procedural texture.
enum RoomSurface: Hashable, CaseIterable {
    case planks, bricks, plaster, wallpaper, ceiling, concrete, metal, wood, darkWood, cardboard, fabric, redFabric, leaf, white, dark
    case rug, window, ceilingLight, keyboard, screen, hazard, crate, control
    case posterShapes, posterMountains, posterText, posterTiles, posterStars, posterCells
    case book0, book1, book2, book3, book4, book5
    case barePlaster, bareFloor
    /// AprilTag 36h11, id 0, with a white border of one cell.
    case marker

    static let posters: [RoomSurface] = [.posterShapes, .posterMountains, .posterText, .posterTiles, .posterStars, .posterCells]
    static let books: [RoomSurface] = [.book0, .book1, .book2, .book3, .book4, .book5]

    /// The size in metres of one repetition of the texture; nil: it covers a panel once.
    var repeats: Float? {
        switch self {
        case .planks, .bricks, .concrete, .ceiling, .metal, .bareFloor: 2.4
        case .plaster, .wallpaper, .barePlaster: 1.8
        case .wood, .darkWood, .fabric, .redFabric, .leaf, .white, .dark: 0.8
        default: nil
        }
    }

    /// The brightness of an emissive surface; nil for a lit one.
    var glow: Float? {
        switch self {
        case .window: 1.1
        case .ceilingLight: 1.3
        case .screen: 0.9
        default: nil
        }
    }

    /// The side of the texture in texels.
    var size: Int {
        switch self {
        case .planks, .bricks, .concrete, .wallpaper, .plaster, .rug: 1024
        case .white, .dark, .ceilingLight: 64
        case .marker: 640
        case .book0, .book1, .book2, .book3, .book4, .book5, .leaf, .keyboard, .fabric, .redFabric: 256
        default: 512
        }
    }

    /// Renders the texture; the same for the same seed.
    func image(seed: UInt64) -> Image {
        let noise = ValueNoise(seed: UInt32(truncatingIfNeeded: seed &* 7919) &+ UInt32(Self.allCases.firstIndex(of: self) ?? 0))
        return Image.painted(width: size, height: size, name: "\(self)") { u, v in paint(u, v, noise) }
    }
}

extension RoomSurface {
    /// The sRGB colour at a point of the texture, u to the right and v down, 0…1.
    private func paint(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        switch self {
        case .planks: Self.planks(u, v, noise)
        case .bricks: Self.bricks(u, v, noise)
        case .plaster: Self.plaster(u, v, noise, Vector3(0.86, 0.83, 0.76), contrast: 0.16)
        case .barePlaster: Self.plaster(u, v, noise, Vector3(0.80, 0.80, 0.79), contrast: 0.03)
        case .bareFloor: Self.plaster(u, v, noise, Vector3(0.52, 0.52, 0.53), contrast: 0.04)
        case .wallpaper: Self.wallpaper(u, v, noise)
        case .ceiling: Self.ceiling(u, v, noise)
        case .concrete: Self.concrete(u, v, noise)
        case .metal: Self.metal(u, v, noise)
        case .wood: Self.grain(u, v, noise, Vector3(0.74, 0.55, 0.34), Vector3(0.55, 0.36, 0.19))
        case .darkWood: Self.grain(u, v, noise, Vector3(0.42, 0.27, 0.17), Vector3(0.24, 0.14, 0.09))
        case .cardboard: Self.cardboard(u, v, noise)
        case .fabric: Self.weave(u, v, noise, Vector3(0.33, 0.43, 0.52))
        case .redFabric: Self.weave(u, v, noise, Vector3(0.68, 0.27, 0.20))
        case .leaf: Vector3(0.16, 0.36, 0.13) * (0.6 + 0.8 * noise.octaves(u * 9, v * 9))
        case .white: Vector3(repeating: 0.88)
        case .dark: Vector3(repeating: 0.16)
        case .rug: Self.rug(u, v, noise)
        case .window: Self.outdoors(u, v, noise)
        case .ceilingLight: Vector3(1, 0.98, 0.93)
        case .keyboard: Self.keyboard(u, v)
        case .screen: Self.screen(u, v, noise)
        case .hazard: (u + v * 0.25) * 10 - ((u + v * 0.25) * 10).rounded(.down) < 0.5 ? Vector3(0.92, 0.74, 0.10) : Vector3(0.1, 0.1, 0.1)
        case .crate: Self.crate(u, v, noise)
        case .control: Self.control(u, v, noise)
        case .posterShapes, .posterMountains, .posterText, .posterTiles, .posterStars, .posterCells: poster(u, v, noise)
        case .book0, .book1, .book2, .book3, .book4, .book5: book(u, v, noise)
        case .marker: Self.marker(u, v)
        }
    }

    // MARK: Walls and floors

    private static func planks(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        // Sixteen rows of boards, two boards a row, shifted from row to row.
        let row = Int(v * 16)
        let along = u * 2 + noise.cell(row, 7)
        let board = Int(along.rounded(.down)) % 2
        let across = v * 16 - Float(row)
        let end = along - along.rounded(.down)
        let tone = noise.cell(row, board, 3)
        let grain = noise.octaves(u * 14 + tone * 50, v * 190 + Float(row) * 9, 3)
        let knots = smoothstep(0.78, 0.86, noise.value(u * 26 + tone * 31, v * 40, 5))
        var color = mix(Vector3(0.68, 0.48, 0.29), Vector3(0.50, 0.32, 0.18), tone) * (0.72 + 0.5 * grain)
        color = mix(color, Vector3(0.25, 0.14, 0.07), knots * 0.7)
        let gap = min(min(across, 1 - across) * 18, min(end, 1 - end) * 160)
        return color * (0.35 + 0.65 * smoothstep(0, 1, gap))
    }

    private static func bricks(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        let row = Int(v * 32)
        let along = u * 10 + (row % 2 == 0 ? 0 : 0.5)
        let column = Int(along.rounded(.down)) % 10
        let (x, y) = (along - along.rounded(.down), v * 32 - Float(row))
        let rough = noise.octaves(u * 60, v * 60)
        let joint = min(min(x, 1 - x) * 3.2, min(y, 1 - y)) + (rough - 0.5) * 0.06
        let tone = noise.cell(column, row, 2)
        let clay = mix(Vector3(0.62, 0.29, 0.20), Vector3(0.80, 0.48, 0.34), tone) * (0.65 + 0.6 * rough)
        let mortar = Vector3(0.74, 0.71, 0.65) * (0.8 + 0.3 * rough)
        return mix(mortar, clay, smoothstep(0.07, 0.13, joint))
    }

    private static func plaster(_ u: Float, _ v: Float, _ noise: ValueNoise, _ color: Vector3, contrast: Float) -> Vector3 {
        let blotches = noise.octaves(u * 6, v * 6) - 0.5
        let grain = noise.octaves(u * 90, v * 90, 3) - 0.5
        let specks = smoothstep(0.80, 0.9, noise.value(u * 70, v * 70, 9))
        return color * (1 + contrast * (blotches + grain) - contrast * 1.6 * specks)
    }

    private static func wallpaper(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        // Medallions on a staggered grid, with leaves around them.
        let row = Int(v * 8)
        let x = (u * 8 + (row % 2 == 0 ? 0 : 0.5)).truncatingRemainder(dividingBy: 1) - 0.5
        let y = v * 8 - Float(row) - 0.5
        let (radius, angle) = ((x * x + y * y).squareRoot(), atan2(y, x))
        let flower = 0.22 + 0.10 * cos(angle * 6)
        let ring = abs(radius - 0.40) < 0.018 || abs(radius - flower) < 0.02
        let inside = radius < flower * 0.55
        let ground = Vector3(0.44, 0.55, 0.52) * (0.92 + 0.16 * noise.octaves(u * 40, v * 40))
        let print = Vector3(0.82, 0.80, 0.68)
        return ring || inside ? print * (0.85 + 0.2 * noise.octaves(u * 60, v * 60)) : ground
    }

    private static func ceiling(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        let (x, y) = ((u * 4).truncatingRemainder(dividingBy: 1), (v * 4).truncatingRemainder(dividingBy: 1))
        let edge = min(min(x, 1 - x), min(y, 1 - y))
        let hole = smoothstep(0.72, 0.80, noise.value(u * 110, v * 110))
        return Vector3(0.88, 0.88, 0.86) * (edge < 0.02 ? 0.72 : 1 - 0.3 * hole)
    }

    private static func concrete(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        let tone = 0.40 + 0.25 * noise.octaves(u * 5, v * 5, 5) + 0.12 * (noise.octaves(u * 120, v * 120, 2) - 0.5)
        let stain = smoothstep(0.62, 0.78, noise.octaves(u * 7 + 40, v * 7))
        let crack = abs(noise.octaves(u * 4 + 9, v * 4 + 3, 5) - 0.5)
        let line = abs(u - 0.5) < 0.004 || abs(v - 0.5) < 0.004
        var color = Vector3(tone, tone * 0.99, tone * 0.95) * (1 - 0.35 * stain)
        if crack < 0.006 { color *= 0.55 }
        return line ? color * 0.5 : color
    }

    private static func metal(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        let ridge = 0.5 + 0.5 * sin(u * 24 * 2 * .pi)
        let rust = smoothstep(0.55, 0.75, noise.octaves(u * 8, v * 5, 5))
        let tone = (0.50 + 0.16 * ridge) * (0.9 + 0.2 * noise.octaves(u * 40, v * 8))
        var color = mix(Vector3(tone * 0.93, tone, tone * 1.02), Vector3(0.42, 0.24, 0.13) * (0.7 + 0.5 * ridge), rust * 0.7)
        let rivet = (u * 12 - (u * 12).rounded(), v * 4 - (v * 4).rounded())
        if rivet.0 * rivet.0 + rivet.1 * rivet.1 * 9 < 0.012 { color = Vector3(repeating: 0.22) }
        return color
    }

    // MARK: Furniture

    private static func grain(_ u: Float, _ v: Float, _ noise: ValueNoise, _ light: Vector3, _ dark: Vector3) -> Vector3 {
        let bend = noise.octaves(u * 2, v * 3) * 3
        let rings = 0.5 + 0.5 * sin((v * 9 + bend) * 2 * .pi)
        let pores = noise.octaves(u * 12, v * 160, 2)
        return mix(light, dark, 0.55 * rings + 0.5 * pores)
    }

    private static func cardboard(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        var color = Vector3(0.70, 0.54, 0.36) * (0.88 + 0.22 * noise.octaves(u * 12, v * 50, 3))
        if abs(v - 0.5) < 0.06 { color = Vector3(0.80, 0.70, 0.52) * (0.95 + 0.1 * noise.value(u * 60, v * 9)) }
        let isLabel = u > 0.58 && u < 0.92 && v > 0.62 && v < 0.9
        if isLabel {
            let (x, y) = ((u - 0.58) / 0.34, (v - 0.62) / 0.28)
            let bar = y > 0.55 && y < 0.9 && noise.cell(Int(x * 42), 3) > 0.5 && x > 0.06 && x < 0.94
            let writing = y < 0.5 && (y * 9).truncatingRemainder(dividingBy: 1.6) < 0.8 && noise.cell(Int(x * 26), Int(y * 6), 4) > 0.35
            color = bar || (writing && x > 0.06 && x < 0.85) ? Vector3(repeating: 0.12) : Vector3(0.94, 0.94, 0.90)
        }
        let arrow = abs(u - 0.2) < 0.05 - max(0, 0.22 - v) * 0.4 && v > 0.12 && v < 0.34
        return arrow ? Vector3(0.22, 0.17, 0.12) : color
    }

    private static func weave(_ u: Float, _ v: Float, _ noise: ValueNoise, _ color: Vector3) -> Vector3 {
        let (x, y) = (sin(u * 64 * 2 * .pi), sin(v * 64 * 2 * .pi))
        return color * (0.85 + 0.12 * x * y + 0.35 * (noise.octaves(u * 20, v * 20) - 0.5) + 0.25 * (noise.value(u * 64, v * 64) - 0.5))
    }

    private static func rug(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        let edge = min(min(u, 1 - u) * 1.4, min(v, 1 - v))
        let band = Int(edge * 26)
        let colors: [Vector3] = [
            Vector3(0.45, 0.10, 0.10), Vector3(0.85, 0.76, 0.58), Vector3(0.13, 0.19, 0.33), Vector3(0.67, 0.24, 0.15),
            Vector3(0.82, 0.62, 0.28),
        ]
        var color = colors[band % 2 == 0 ? 0 : (band == 1 ? 1 : 2)]
        if band >= 5 {
            let (x, y) = (abs((u * 9).truncatingRemainder(dividingBy: 1) - 0.5), abs((v * 6).truncatingRemainder(dividingBy: 1) - 0.5))
            let diamond = Int((x + y) * 6)
            color = colors[(diamond + Int(u * 9) + Int(v * 6) * 2) % 5]
        } else if band == 2 || band == 3 {
            color = (u * 30).truncatingRemainder(dividingBy: 1) < 0.5 ? colors[4] : colors[2]
        }
        return color * (0.7 + 0.5 * noise.octaves(u * 160, v * 160, 2))
    }

    private static func crate(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        let edge = min(min(u, 1 - u), min(v, 1 - v))
        let isFrame = edge < 0.1 || abs(u - v) < 0.07
        let board = Int(v * 6)
        let gap = (v * 6 - Float(board)) < 0.06
        let color = grain(u, v + Float(board) * 0.37, noise, Vector3(0.72, 0.58, 0.38), Vector3(0.50, 0.37, 0.22))
        if isFrame { return color * (edge < 0.1 && edge > 0.085 ? 0.5 : 1.1) }
        let isStencil = u > 0.55 && u < 0.88 && v > 0.2 && v < 0.42 && noise.cell(Int(u * 28), Int(v * 24), 8) > 0.45
        return isStencil ? Vector3(0.14, 0.12, 0.12) : color * (gap ? 0.4 : 0.78)
    }

    private static func control(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        let (column, row) = (Int(u * 8), Int(v * 8))
        let (x, y) = (u * 8 - Float(column) - 0.5, v * 8 - Float(row) - 0.5)
        let ground = Vector3(0.32, 0.40, 0.38) * (0.9 + 0.2 * noise.octaves(u * 20, v * 20))
        switch Int(noise.cell(column, row, 6) * 6) {
        case 0 where x * x + y * y < 0.09:
            return [Vector3(0.85, 0.15, 0.1), Vector3(0.15, 0.7, 0.2), Vector3(0.9, 0.75, 0.1)][Int(noise.cell(column, row, 7) * 3)]
        case 1 where x * x + y * y < 0.16:
            return abs(x - y) < 0.05 ? Vector3(0.8, 0.1, 0.1) : x * x + y * y > 0.13 ? Vector3(repeating: 0.1) : Vector3(repeating: 0.92)
        case 2 where abs(x) < 0.3 && abs(y) < 0.18: return Vector3(repeating: 0.9)
        case 3 where abs(x) < 0.4 && (abs(y - 0.2) < 0.05 || abs(y) < 0.05 || abs(y + 0.2) < 0.05): return Vector3(repeating: 0.08)
        default: return abs(x) > 0.48 || abs(y) > 0.48 ? ground * 0.6 : ground
        }
    }

    private static func keyboard(_ u: Float, _ v: Float) -> Vector3 {
        let (x, y) = ((u * 15).truncatingRemainder(dividingBy: 1), (v * 5).truncatingRemainder(dividingBy: 1))
        let isKey = x > 0.12 && x < 0.88 && y > 0.12 && y < 0.88
        return isKey ? Vector3(repeating: 0.82) : Vector3(repeating: 0.3)
    }

    private static func screen(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        if v < 0.06 { return Vector3(0.25, 0.3, 0.4) }
        if u < 0.18 { return Vector3(0.16, 0.18, 0.22) + ((v * 22).truncatingRemainder(dividingBy: 1) < 0.5 && u < 0.13 ? 0.3 : 0) }
        let line = Int(v * 34)
        let indent = Float(Int(noise.cell(line, 1) * 4)) * 0.05
        let end = 0.25 + indent + 0.6 * noise.cell(line, 2)
        let isInk = (v * 34 - Float(line)) < 0.5 && u > 0.22 + indent && u < end && noise.cell(Int(u * 70), line, 3) > 0.22
        let inks = [Vector3(0.6, 0.8, 0.95), Vector3(0.95, 0.75, 0.4), Vector3(0.7, 0.9, 0.55), Vector3(0.85, 0.85, 0.85)]
        return isInk ? inks[Int(noise.cell(Int(u * 18), line, 4) * 4)] : Vector3(0.10, 0.11, 0.14)
    }

    private static func outdoors(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
        let frame = min(min(u, 1 - u), min(v, 1 - v)) < 0.035 || abs(u - 0.5) < 0.02 || abs(v - 0.38) < 0.015
        if frame { return Vector3(0.93, 0.92, 0.9) * 0.8 }
        let hills = 0.62 + 0.08 * noise.octaves(u * 4, 2) + 0.02 * noise.value(u * 60, 5)
        if v > hills { return Vector3(0.30, 0.42, 0.22) * (0.7 + 0.7 * noise.octaves(u * 24, v * 24)) }
        let cloud = smoothstep(0.5, 0.75, noise.octaves(u * 4 + 3, v * 7, 5))
        return mix(mix(Vector3(0.55, 0.74, 0.94), Vector3(0.85, 0.92, 0.97), v), Vector3(repeating: 0.99), cloud)
    }
}

extension RoomSurface {
    /// The cells across a marker, including its white border.
    static let markerCells: Float = 10

    private static func marker(_ u: Float, _ v: Float) -> Vector3 {
        let (column, row) = (Int(u * markerCells) - 2, Int(v * markerCells) - 2)
        let isEdge = column < -1 || row < -1 || column > 6 || row > 6
        let isWhite = isEdge || MarkerDictionary.aprilTag36h11.isWhite(id: 0, row: row, column: column)
        return Vector3(repeating: isWhite ? 0.85 : 0.04)
    }

    /// A poster within a white margin.
    private func poster(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
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
    private func book(_ u: Float, _ v: Float, _ noise: ValueNoise) -> Vector3 {
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
