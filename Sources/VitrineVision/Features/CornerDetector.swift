/// Detects locally distinctive corners by the smaller eigenvalue of the structure tensor over 7×7 pixels (Shi & Tomasi 1994).
///
/// Processes one cell of the image at a time, so that only cells that lack features cost time.
package struct CornerDetector: Sendable {
    /// A detected corner.
    package struct Corner: Sendable {
        /// The position in the level's pixels.
        package var position: SIMD2<Float>
        /// The smaller eigenvalue of the gradients' mean outer product, in squared grey levels per pixel.
        package var strength: Float
    }

    /// Half size of the window.
    private static let radius = 3
    /// Smallest ratio of the eigenvalues; below it the pixel is on an edge.
    private static let minimumRatio: Float = 0.04
    /// The side length of a cell in pixels.
    package let side: Int
    /// Row length of the buffers.
    private let pitch: Int
    /// Buffer size of one of the three products.
    private let plane: Int
    private var products: [Float]
    private var columns: [Float]
    private var scores: [Float]

    /// Creates a detector for square cells.
    ///
    /// - Parameter side: Side length of a cell in pixels.
    package init(side: Int) {
        self.side = side
        pitch = (side + 2 + 2 * Self.radius + 7) / 8 * 8 + 8
        let rows = side + 2 + 2 * Self.radius
        plane = pitch * rows
        products = Array(repeating: 0, count: 3 * plane)
        columns = Array(repeating: 0, count: pitch * 3)
        scores = Array(repeating: 0, count: pitch * (side + 2))
    }

    /// The best corners of a cell, the strongest first.
    /// - Parameters:
    ///   - x: The cell's first column.
    ///   - y: The cell's first row. A cell may extend beyond the image.
    ///   - margin: Smallest distance from the image's edges, at least 2.
    ///   - distance: Smallest distance between two corners in pixels.
    ///   - count: Maximum number of corners.
    package mutating func corners(
        _ level: ImagePyramid.Level, x: Int, y: Int, margin: Int, minimumStrength: Float, distance: Float, count: Int
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
                    guard score >= minimumStrength, Self.isPeak(scores, at, pitch) else { continue }
                    peaks.append(Corner(position: SIMD2(Float(column) + 0.5, Float(row) + 0.5), strength: score))
                }
            }
        }
        // Corners of equal strength keep the order of rows.
        let order = peaks.indices.sorted { (peaks[$1].strength, $0) < (peaks[$0].strength, $1) }
        var best: [Corner] = []
        for index in order where best.count < count {
            let position = peaks[index].position
            if best.allSatisfy({ squaredDistance($0.position, position) >= distance * distance }) { best.append(peaks[index]) }
        }
        return best
    }

    /// Whether a score is a local maximum; the first of equal scores counts.
    @inline(__always) private static func isPeak(_ s: UnsafeBufferPointer<Float>, _ at: Int, _ pitch: Int) -> Bool {
        let score = s[at]
        return score >= s[at + 1] && score > s[at - 1] && score > s[at - pitch] && score >= s[at + pitch]
            && score > s[at - pitch - 1] && score > s[at - pitch + 1] && score >= s[at + pitch - 1] && score >= s[at + pitch + 1]
    }

    /// Computes the gradients' products over the cell, extended by one pixel and the window's radius: three consecutive buffers.
    private mutating func fillProducts(_ level: ImagePyramid.Level, _ x: Int, _ y: Int) {
        let (before, pitch, side, plane) = (1 + Self.radius, pitch, side, plane)
        level.values.withUnsafeBufferPointer { source in
            products.withUnsafeMutableBufferPointer { products in
                for row in 0..<side + 2 * before {
                    // Beyond the image, rows and columns repeat the last readable one.
                    let sourceRow = level.origin + min(max(y - before + row, -8), level.height + 7) * level.stride
                    for column in stride(from: 0, to: side + 2 * before, by: 8) {
                        let at = source.baseAddress! + sourceRow + min(max(x - before + column, -8), level.width + 7)
                        let slopeX = (load8(at + 1) - load8(at - 1)) * 0.5
                        let slopeY = (load8(at + level.stride) - load8(at - level.stride)) * 0.5
                        let to = products.baseAddress! + row * pitch + column
                        store(slopeX * slopeX, to)
                        store(slopeX * slopeY, to + plane)
                        store(slopeY * slopeY, to + 2 * plane)
                    }
                }
            }
        }
    }

    /// Computes the strengths of the cell's pixels and one more on each side; 0 on edges.
    private mutating func fillScores() {
        let (pitch, side, plane) = (pitch, side, plane)
        products.withUnsafeBufferPointer { products in
            columns.withUnsafeMutableBufferPointer { columns in
                scores.withUnsafeMutableBufferPointer { scores in
                    let (from, sums) = (products.baseAddress!, columns.baseAddress!)
                    for row in 0..<side + 2 {
                        for slot in 0..<3 {
                            for column in stride(from: 0, to: side + 2 + 2 * Self.radius, by: 8) {
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
                            let isEdge = least .< (middle + spread) * Self.minimumRatio
                            store((least * (1.0 / 49)).replacing(with: 0, where: isEdge), scores.baseAddress! + row * pitch + column)
                        }
                    }
                }
            }
        }
    }

    /// Sums of seven rows.
    @inline(__always) private static func down(_ at: UnsafePointer<Float>, _ pitch: Int) -> SIMD8<Float> {
        let near = load8(at + 2 * pitch) + load8(at + 3 * pitch) + load8(at + 4 * pitch)
        return near + (load8(at) + load8(at + 6 * pitch)) + (load8(at + pitch) + load8(at + 5 * pitch))
    }

    /// Sums of seven neighbours.
    @inline(__always) private static func across(_ at: UnsafePointer<Float>) -> SIMD8<Float> {
        let near = load8(at + 2) + load8(at + 3) + load8(at + 4)
        return near + (load8(at) + load8(at + 6)) + (load8(at + 1) + load8(at + 5))
    }
}

/// The squared distance between two pixels.
@inlinable @inline(__always) package func squaredDistance(_ a: SIMD2<Float>, _ b: SIMD2<Float>) -> Float {
    let d = a - b
    return d.x * d.x + d.y * d.y
}
