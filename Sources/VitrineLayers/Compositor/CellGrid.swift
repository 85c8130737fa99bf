import VitrineMath

/// The cells into which a large shape is divided.
struct CellGrid {
    /// The tests that the pixels of a cell require.
    struct Cell: Equatable {
        var isInside: Bool
        /// The clips that intersect the cell, one bit each.
        var clips: UInt64
    }

    struct Piece {
        var cell: Cell
        /// The bounds of the piece, as in `LayerInstance.piece`.
        var bounds: Vector4
    }

    private(set) var pieces: [Piece] = []
    /// A value beyond all shapes, for the outer sides of pieces.
    private static let outer: Float = 1e30

    /// Whether the shape is upright. Equal cells of upright shapes are merged, so that cells may be smaller.
    private let isUpright: Bool
    private let clipCount: Int
    /// The grid lines, relative to the shape's centre, in its plane.
    private let xs, ys: [Double]

    /// Returns nil if cells are not faster.
    init?(_ instance: LayerInstance, _ outline: LayerShader.Parts.Outline, _ clips: [LayerClip], _ pixelFromPlane: Homography) {
        let middle = SIMD2<Double>(Double(instance.rectangle.x), Double(instance.rectangle.y))
        let reach = Double(instance.outline.z)
        let half = SIMD2<Double>(Double(instance.rectangle.z), Double(instance.rectangle.w)) + reach
        let corners = [SIMD2(-1.0, -1.0), SIMD2(1, -1), SIMD2(1, 1), SIMD2(-1, 1)].compactMap { pixelFromPlane.map(middle + $0 * half) }
        guard clips.count <= 32, corners.count == 4 else { return nil }
        let width = max(length(corners[1] - corners[0]), length(corners[2] - corners[3]))
        let height = max(length(corners[3] - corners[0]), length(corners[2] - corners[1]))
        guard min(width, height) >= 16 else { return nil }
        (isUpright, clipCount) = (pixelFromPlane.isUpright, clips.count)
        let isRound = outline == .ellipse || instance.outline.x > 0 || !clips.isEmpty
        let size = max(isUpright ? 24 : 48, (width * height / (isUpright ? 600 : 100)).squareRoot())
        let edge = Double(instance.outline.y) + reach
        xs = Self.cuts(half.x, edge + 6 * half.x / width, count: isRound ? Int((width / size).rounded()) : 1)
        ys = Self.cuts(half.y, edge + 6 * half.y / height, count: isRound ? Int((height / size).rounded()) : 1)
        let shape = ConvexShape(within: Double(instance.outline.y), of: half - reach, Double(instance.outline.x), outline)
        guard let held = held(by: shape, at: middle, clips, pixelFromPlane) else { return nil }
        join(cells(held))
        // Without interior or uniform cells, one piece is faster.
        guard pieces.contains(where: { $0.cell.isInside || $0.cell.clips.nonzeroBitCount < clips.count }) else { return nil }
    }

    /// Returns for each grid corner, by rows, whether it is inside the shape (bit 0) and the clips (other bits), with a margin of 1.5 pixels.
    private func held(
        by shape: ConvexShape, at middle: SIMD2<Double>, _ clips: [LayerClip], _ pixelFromPlane: Homography
    ) -> [UInt64]? {
        guard let planeFromPixel = pixelFromPlane.inverse else { return nil }
        var held: [UInt64] = []
        for y in ys {
            for x in xs {
                guard let pixel = pixelFromPlane.map(middle + SIMD2(x, y)) else { return nil }
                var bits: UInt64 = 1 << UInt64(clips.count + 1) - 1
                for step in [SIMD2(-1.5, -1.5), SIMD2(1.5, -1.5), SIMD2(1.5, 1.5), SIMD2(-1.5, 1.5)] {
                    let corner = pixel + step
                    if planeFromPixel.map(corner).map({ shape.holds($0 - middle) }) != true { bits &= ~1 }
                    for (index, clip) in clips.enumerated() where !clip.holds(corner) { bits &= ~(2 << UInt64(index)) }
                }
                held.append(bits)
            }
        }
        return held
    }

    /// Adjacent cells of a row.
    private struct Run: Equatable {
        let from: Int
        var to: Int
        let cell: Cell
    }

    /// Returns the cells of each row, merged if possible.
    private func cells(_ held: [UInt64]) -> [[Run]] {
        (0..<ys.count - 1).map { row in
            var runs: [Run] = []
            for column in 0..<xs.count - 1 {
                let first = row * xs.count + column
                let all = held[first] & held[first + 1] & held[first + xs.count] & held[first + xs.count + 1]
                let cell = Cell(isInside: all & 1 != 0, clips: ~(all >> 1) & (1 << UInt64(clipCount) - 1))
                if isUpright, runs.last?.cell == cell {
                    runs[runs.count - 1].to = column + 1
                } else {
                    runs.append(Run(from: column, to: column + 1, cell: cell))
                }
            }
            return runs
        }
    }

    private mutating func join(_ rows: [[Run]]) {
        func side(_ index: Int, of boundaries: [Double]) -> Float {
            index == 0 ? -Self.outer : index == boundaries.count - 1 ? Self.outer : Float(boundaries[index])
        }
        var row = 0
        while row < rows.count {
            var end = row + 1
            while isUpright, end < rows.count, rows[row] == rows[end] { end += 1 }
            for run in rows[row] {
                let bounds = Vector4(side(run.from, of: xs), side(row, of: ys), side(run.to, of: xs), side(end, of: ys))
                pieces.append(Piece(cell: run.cell, bounds: bounds))
            }
            row = end
        }
    }

    /// Returns the grid lines of one axis: a strip along each outer side, and equal parts between them.
    private static func cuts(_ half: Double, _ edge: Double, count: Int) -> [Double] {
        guard edge < half * 0.9 else { return [-half, half] }
        let inner = half - edge
        let parts = min(max(count, 1), 48)
        return [-half] + (0...parts).map { -inner + 2 * inner * Double($0) / Double(parts) } + [half]
    }
}

/// A box, a rounded box or an ellipse around the origin.
private struct ConvexShape {
    let half: SIMD2<Double>
    let radius: Double
    let isEllipse: Bool

    init(half: SIMD2<Double>, radius: Double, isEllipse: Bool) { (self.half, self.radius, self.isEllipse) = (half, radius, isEllipse) }

    /// Creates the part of a shape at least `distance` inside its outline.
    init(within distance: Double, of half: SIMD2<Double>, _ radius: Double, _ outline: LayerShader.Parts.Outline) {
        let isEllipse = outline == .ellipse
        // An ellipse scaled by s has a distance of (1 − s) times its shorter half axis from the original.
        let rest = isEllipse ? half * (1 - distance / max(min(half.x, half.y), 1e-9)) : half - distance
        self.init(half: rest, radius: max(radius - distance, 0), isEllipse: isEllipse)
    }

    func holds(_ point: SIMD2<Double>) -> Bool {
        guard min(half.x, half.y) > 0 else { return false }
        if isEllipse { return lengthSquared(point / half) < 1 }
        let p = SIMD2(abs(point.x), abs(point.y))
        guard p.x < half.x, p.y < half.y else { return false }
        let corner = p - (half - radius)
        return min(corner.x, corner.y) <= 0 || lengthSquared(corner) < radius * radius
    }
}

extension LayerClip {
    /// Returns whether a pixel position is inside. The margin exceeds the rounding errors of single precision.
    fileprivate func holds(_ pixel: SIMD2<Double>) -> Bool {
        let box = SIMD4(Double(rectangle.x), Double(rectangle.y), Double(rectangle.z), Double(rectangle.w))
        if localFromPixel.u.w == 2 { return box.x * pixel.x + box.y * pixel.y + box.z > 0 }
        func column(_ v: Vector4) -> SIMD3<Double> { SIMD3(Double(v.x), Double(v.y), Double(v.z)) }
        let h = column(localFromPixel.u) * pixel.x + column(localFromPixel.v) * pixel.y + column(localFromPixel.one)
        guard h.z > 0 else { return false }
        let shape = ConvexShape(
            half: SIMD2(box.z, box.w), radius: Double(localFromPixel.v.w), isEllipse: localFromPixel.u.w == 1)
        return shape.holds(SIMD2(h.x, h.y) / h.z - SIMD2(box.x, box.y))
    }
}
