import VitrineMath

/// Computes the descriptor of a keypoint: 4 × 4 cells, each a histogram of 8 gradient directions, in the keypoint's frame.
///
/// A cell is 3 standard deviations of the keypoint's blur wide. The blurred image is sampled on a rotated grid of 20 × 20 points, a
/// quarter of a cell apart, which the blur makes dense enough; each sample's weights in the cells are constants, and a histogram is one vector.
struct DescriptorSampler {
    /// The number of samples per side, without the border for the gradients.
    private static let side = 20
    /// The number of floats from one row of the patch to the next.
    private static let pitch = 32
    private var patch = [Float](repeating: 0, count: 32 * 22 + 16)
    /// The window's weight of each sample, rows of 24.
    private let window: [Float]
    /// The cells in rows −1…4 of 4 cells: the outer two rows receive samples outside.
    private var cells = [SIMD8<Float>](repeating: .zero, count: 24)

    init() {
        window = (0..<20).flatMap { y in
            (0..<24).map { x -> Float in
                let (u, v) = ((Float(x) - 9.5) / 4, (Float(y) - 9.5) / 4)
                return x < 20 ? VitrineMath.exp(-(u * u + v * v) / 8) : 0
            }
        }
    }

    /// Appends the keypoint's 128 bytes.
    mutating func append(_ keypoint: Keypoint, angle: Float, in image: FloatImage, to descriptors: inout [UInt8]) {
        sample(keypoint, angle: angle, image)
        accumulate()
        quantize(to: &descriptors)
    }

    private mutating func sample(_ keypoint: Keypoint, angle: Float, _ image: FloatImage) {
        let spacing = 0.75 * keypoint.levelScale
        let (alongX, alongY) = (VitrineMath.cos(angle) * spacing, VitrineMath.sin(angle) * spacing)
        let lanes = SIMD8<Float>(0, 1, 2, 3, 4, 5, 6, 7)
        let (lastX, lastY) = (Float(image.width) - 1.001, Float(image.height) - 1.001)
        let (base, stride) = (image.base, image.stride)
        patch.withUnsafeMutableBufferPointer { patch in
            for j in 0..<22 {
                let v = Float(j) - 10.5
                for block in 0..<3 {
                    let u = lanes + (Float(8 * block) - 10.5)
                    var x = u * alongX + (keypoint.x - v * alongY)
                    var y = u * alongY + (keypoint.y + v * alongX)
                    x = lesser(greater(x, SIMD8(repeating: 0)), SIMD8(repeating: lastX))
                    y = lesser(greater(y, SIMD8(repeating: 0)), SIMD8(repeating: lastY))
                    let (column, row) = (whole(x), whole(y))
                    let (fx, fy) = (x - column.float, y - row.float)
                    let offsets = row.int &* Int32(truncatingIfNeeded: stride) &+ column.int
                    var (a, b, c, d) = (SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>())
                    for lane in 0..<8 {
                        let pixel = base + Int(offsets[lane])
                        a[lane] = pixel[0]
                        b[lane] = pixel[1]
                        c[lane] = pixel[stride]
                        d[lane] = pixel[stride &+ 1]
                    }
                    let upper = (b - a) * fx + a
                    let lower = (d - c) * fx + c
                    store((lower - upper) * fy + upper, patch.baseAddress! + (j * Self.pitch + 8 * block))
                }
            }
        }
    }

    private mutating func accumulate() {
        let bins = SIMD8<Float>(0, 1, 2, 3, 4, 5, 6, 7)
        patch.withUnsafeBufferPointer { patch in
            window.withUnsafeBufferPointer { window in
                cells.withUnsafeMutableBufferPointer { cells in
                    for i in 0..<24 { cells[i] = .zero }
                    withUnsafeTemporaryAllocation(of: Float.self, capacity: 48) { scratch in
                        let (magnitudes, directions) = (scratch.baseAddress!, scratch.baseAddress! + 24)
                        for j in 0..<Self.side {
                            let row = patch.baseAddress! + ((j + 1) * Self.pitch + 1)
                            for block in 0..<3 {
                                let x = 8 * block
                                let gx = load8(row + x + 1) - load8(row + x - 1)
                                let gy = load8(row + x + Self.pitch) - load8(row + x - Self.pitch)
                                let weight = load8(window.baseAddress! + (24 * j + x))
                                store((gx * gx + gy * gy).squareRoot() * weight, magnitudes + x)
                                store(turns(gy, gx) * 8, directions + x)
                            }
                            // Quarter q of the row lies between the centres of cells q − 1 and q.
                            var (cell0, cell1, cell2, cell3) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
                            @inline(__always) func quarter(_ q: Int) -> (left: SIMD8<Float>, right: SIMD8<Float>) {
                                var (left, right) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
                                for r in 0..<4 {
                                    let k = 4 * q + r
                                    var away = bins - directions[k]
                                    away.replace(with: -away, where: away .< 0)
                                    away = lesser(away, 8 - away)
                                    let value = greater(1 - away, SIMD8(repeating: 0)) * magnitudes[k]
                                    left = value * ((3.5 - Float(r)) * 0.25) + left
                                    right = value * ((0.5 + Float(r)) * 0.25) + right
                                }
                                return (left, right)
                            }
                            let (q0, q1, q2, q3, q4) = (quarter(0), quarter(1), quarter(2), quarter(3), quarter(4))
                            cell0 = q0.right + q1.left
                            cell1 = q1.right + q2.left
                            cell2 = q2.right + q3.left
                            cell3 = q3.right + q4.left
                            let q = j / 4
                            let r = Float(j % 4)
                            let (aboveWeight, belowWeight) = ((3.5 - r) * 0.25, (0.5 + r) * 0.25)
                            let (above, below) = (cells.baseAddress! + 4 * q, cells.baseAddress! + 4 * (q + 1))
                            above[0] += cell0 * aboveWeight
                            above[1] += cell1 * aboveWeight
                            above[2] += cell2 * aboveWeight
                            above[3] += cell3 * aboveWeight
                            below[0] += cell0 * belowWeight
                            below[1] += cell1 * belowWeight
                            below[2] += cell2 * belowWeight
                            below[3] += cell3 * belowWeight
                        }
                    }
                }
            }
        }
    }

    /// Normalizes the histogram, clamps elements to 0.2 (so that a highlight or a silhouette does not dominate), and takes the square root.
    private func quantize(to descriptors: inout [UInt8]) {
        var squares = SIMD8<Float>.zero
        for i in 4..<20 { squares = cells[i] * cells[i] + squares }
        let most = SIMD8<Float>(repeating: 0.2 * squares.sum().squareRoot())
        var total = SIMD8<Float>.zero
        for i in 4..<20 { total += lesser(cells[i], most) }
        let scale = 1 / max(total.sum(), 1e-20)
        for i in 4..<20 {
            let roots = (lesser(cells[i], most) * scale).squareRoot() * 512 + 0.5
            let bytes = SIMD8<UInt8>(truncatingIfNeeded: whole(lesser(roots, SIMD8(repeating: 255))).int)
            for lane in 0..<8 { descriptors.append(bytes[lane]) }
        }
    }
}
