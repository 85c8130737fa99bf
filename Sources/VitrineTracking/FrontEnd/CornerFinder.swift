import VitrineVision

/// Finds places that can be told from all around them: the lesser eigenvalue of the slopes' matrix (Shi & Tomasi 1994), over 7×7 pixels.
///
/// Works on one cell of the picture at a time, so that only the cells that lack features cost time.
struct CornerFinder: Sendable {
    struct Corner: Sendable {
        /// In level 0's coordinates.
        var place: SIMD2<Float>
        /// The lesser eigenvalue of the slopes' mean square, in squared grey levels a pixel.
        var strength: Float
    }

    /// The sums' reach about a pixel.
    private static let reach = 3
    /// The lesser eigenvalue as a share of the greater, under which a place is an edge.
    private static let leastRatio: Float = 0.04
    /// The cells' edge in pixels.
    let side: Int
    /// Values of a row of the buffers.
    private let pitch: Int
    /// Values of one of the three products over a cell.
    private let plane: Int
    private var products: [Float]
    private var columns: [Float]
    private var scores: [Float]

    init(side: Int) {
        self.side = side
        pitch = (side + 2 + 2 * Self.reach + 7) / 8 * 8 + 8
        let rows = side + 2 + 2 * Self.reach
        plane = pitch * rows
        products = Array(repeating: 0, count: 3 * plane)
        columns = Array(repeating: 0, count: pitch * 3)
        scores = Array(repeating: 0, count: pitch * (side + 2))
    }

    /// The best corners of a cell, the strongest first.
    /// - Parameters:
    ///   - x: the cell's first column; y: its first row. It may reach beyond the picture.
    ///   - margin: how far corners stay from the picture's edges; at least 2.
    ///   - distance: between two corners, at least, in pixels.
    mutating func corners(
        _ level: ImagePyramid.Level, x: Int, y: Int, margin: Int, weakest: Float, distance: Float, most: Int
    ) -> [Corner] {
        let columns = max(x, margin)..<max(x, margin, min(x + side, level.width - margin))
        let rows = max(y, margin)..<max(y, margin, min(y + side, level.height - margin))
        guard !columns.isEmpty, !rows.isEmpty else { return [] }
        fillProducts(level, x, y)
        fillScores()
        var peaks: [Corner] = []
        scores.withUnsafeBufferPointer { scores in
            for row in rows {
                for column in columns {
                    let at = (row - y + 1) * pitch + column - x + 1
                    let score = scores[at]
                    guard score >= weakest, Self.isPeak(scores, at, pitch) else { continue }
                    peaks.append(Corner(place: SIMD2(Float(column) + 0.5, Float(row) + 0.5), strength: score))
                }
            }
        }
        // Equal strengths keep the order of rows: the sort is stable by the index.
        let order = peaks.indices.sorted { (peaks[$1].strength, $0) < (peaks[$0].strength, $1) }
        var best: [Corner] = []
        for index in order where best.count < most {
            let place = peaks[index].place
            if best.allSatisfy({ squaredDistance($0.place, place) >= distance * distance }) { best.append(peaks[index]) }
        }
        return best
    }

    /// No neighbour is greater; of equal ones the first counts.
    @inline(__always) private static func isPeak(_ s: UnsafeBufferPointer<Float>, _ at: Int, _ pitch: Int) -> Bool {
        let score = s[at]
        return score >= s[at + 1] && score > s[at - 1] && score > s[at - pitch] && score >= s[at + pitch]
            && score > s[at - pitch - 1] && score > s[at - pitch + 1] && score >= s[at + pitch - 1] && score >= s[at + pitch + 1]
    }

    /// The slopes' products over the cell, one pixel more for the peaks' neighbours, and the sums' reach: three buffers one after another.
    private mutating func fillProducts(_ level: ImagePyramid.Level, _ x: Int, _ y: Int) {
        let (before, pitch, side, plane) = (1 + Self.reach, pitch, side, plane)
        level.values.withUnsafeBufferPointer { source in
            products.withUnsafeMutableBufferPointer { products in
                for row in 0..<side + 2 * before {
                    // A cell may reach far beyond the picture: rows and columns there repeat the last that can be read.
                    let sourceRow = level.origin + min(max(y - before + row, -8), level.height + 7) * level.stride
                    for column in stride(from: 0, to: side + 2 * before, by: 8) {
                        let at = source.baseAddress! + sourceRow + min(max(x - before + column, -8), level.width + 7)
                        let slopeX = (load(at + 1) - load(at - 1)) * 0.5
                        let slopeY = (load(at + level.stride) - load(at - level.stride)) * 0.5
                        let to = products.baseAddress! + row * pitch + column
                        store(slopeX * slopeX, to)
                        store(slopeX * slopeY, to + plane)
                        store(slopeY * slopeY, to + 2 * plane)
                    }
                }
            }
        }
    }

    /// The strengths of the cell's pixels and one more on each side; 0 for edges, which look alike all along.
    private mutating func fillScores() {
        let (pitch, side, plane) = (pitch, side, plane)
        products.withUnsafeBufferPointer { products in
            columns.withUnsafeMutableBufferPointer { columns in
                scores.withUnsafeMutableBufferPointer { scores in
                    let (from, sums) = (products.baseAddress!, columns.baseAddress!)
                    for row in 0..<side + 2 {
                        for slot in 0..<3 {
                            for column in stride(from: 0, to: side + 2 + 2 * Self.reach, by: 8) {
                                store(Self.down(from + slot * plane + row * pitch + column, pitch), sums + slot * pitch + column)
                            }
                        }
                        for column in stride(from: 0, to: side + 2, by: 8) {
                            let a = Self.across(sums + column)
                            let b = Self.across(sums + pitch + column)
                            let c = Self.across(sums + 2 * pitch + column)
                            let (middle, half) = ((a + c) * 0.5, (a - c) * 0.5)
                            let spread = (half * half + b * b).squareRoot()
                            let least = middle - spread
                            let isEdge = least .< (middle + spread) * Self.leastRatio
                            store((least * (1.0 / 49)).replacing(with: 0, where: isEdge), scores.baseAddress! + row * pitch + column)
                        }
                    }
                }
            }
        }
    }

    /// Sums of seven rows.
    @inline(__always) private static func down(_ at: UnsafePointer<Float>, _ pitch: Int) -> SIMD8<Float> {
        let near = load(at + 2 * pitch) + load(at + 3 * pitch) + load(at + 4 * pitch)
        return near + (load(at) + load(at + 6 * pitch)) + (load(at + pitch) + load(at + 5 * pitch))
    }

    /// Sums of seven neighbours.
    @inline(__always) private static func across(_ at: UnsafePointer<Float>) -> SIMD8<Float> {
        let near = load(at + 2) + load(at + 3) + load(at + 4)
        return near + (load(at) + load(at + 6)) + (load(at + 1) + load(at + 5))
    }
}

@inline(__always) func squaredDistance(_ a: SIMD2<Float>, _ b: SIMD2<Float>) -> Float {
    let d = a - b
    return d.x * d.x + d.y * d.y
}
