import VitrineMath

/// A photo in two bands for sampling: the photo with exposure compensation and trust as a fourth channel, and a blurred copy.
struct BandPlanes: Sendable {
    let width, height: Int
    /// Red, green, blue (sRGB-encoded, 64 units per level of 255) and trust.
    private let pixels: [SIMD4<UInt16>]
    /// The low band: one value for `step` × `step` pixels, in levels of 255; w is unused.
    private let low: [Vector4]
    private let lowWidth, lowHeight: Int
    private let step: Float

    /// Divides a photo into two frequency bands.
    ///
    /// - Parameter step: The factor by which the blurred copy is smaller; its blur has a standard deviation of about `step` pixels.
    init(_ view: PreparedView, gain: Vector3, step: Int) {
        (width, height) = (view.projection.width, view.projection.height)
        let tables = (0..<3).flatMap { k in
            TransferFunction.encodedFromByte(gain: gain[k]).map { UInt16(min(65535, ($0 * 64).rounded())) }
        }
        let size = view.color.count / 3
        let pixels = [SIMD4<UInt16>](unsafeUninitializedCapacity: size) { pixels, count in
            tables.withUnsafeBufferPointer { tables in
                view.color.withUnsafeBufferPointer { color in
                    view.trust.values.withUnsafeBufferPointer { trust in
                        for slot in 0..<size {
                            let (r, g, b) = (Int(color[3 &* slot]), Int(color[3 &* slot &+ 1]), Int(color[3 &* slot &+ 2]))
                            pixels[slot] = SIMD4(tables[r], tables[256 &+ g], tables[512 &+ b], UInt16(trust[slot]) &* 64)
                        }
                    }
                }
            }
            count = size
        }
        self.pixels = pixels
        self.step = Float(step)
        (lowWidth, lowHeight) = ((width + step - 1) / step, (height + step - 1) / step)
        low = Self.blurred(pixels, view.depth.inverse, width, height, step)
    }

    /// Blurs the pixels on the mesh and outside of masks, so that the background does not bleed in.
    private static func blurred(_ pixels: [SIMD4<UInt16>], _ inverse: [Float], _ width: Int, _ height: Int, _ step: Int) -> [Vector4] {
        let (lowWidth, lowHeight) = ((width + step - 1) / step, (height + step - 1) / step)
        var cells = [Vector4](repeating: .zero, count: lowWidth * lowHeight)
        cells.withUnsafeMutableBufferPointer { cells in
            pixels.withUnsafeBufferPointer { pixels in
                inverse.withUnsafeBufferPointer { inverse in
                    for y in 0..<height {
                        let (row, cellRow) = (y * width, y / step * lowWidth)
                        for cell in 0..<lowWidth {
                            var sum = Vector4(repeating: 0)
                            for x in cell &* step..<min(width, (cell &+ 1) &* step) where inverse[row &+ x] > 0 && pixels[row &+ x].w > 0 {
                                let p = Vector4(pixels[row &+ x])
                                // Pixels at outlines have a small weight; otherwise thin parts would have no colour.
                                let weight = max(0.02, p.w * (1 / (255 * 64)))
                                sum += Vector4(p.x * (1 / 64), p.y * (1 / 64), p.z * (1 / 64), 1) * weight
                            }
                            cells[cellRow &+ cell] += sum
                        }
                    }
                }
            }
        }
        for _ in 0..<2 {
            cells = filtered(cells, lowWidth, lowHeight, stride: 1, count: lowWidth, lines: lowHeight, lineStride: lowWidth)
            cells = filtered(cells, lowWidth, lowHeight, stride: lowWidth, count: lowHeight, lines: lowWidth, lineStride: 1)
        }
        return cells.map { $0.w > 1e-6 ? $0 / $0.w : .zero }
    }

    /// 1 2 1 along a direction.
    private static func filtered(
        _ cells: [Vector4], _ width: Int, _ height: Int, stride: Int, count: Int, lines: Int, lineStride: Int
    ) -> [Vector4] {
        var result = cells
        for line in 0..<lines {
            for index in 0..<count {
                let slot = line * lineStride + index * stride
                let (before, after) = (index > 0 ? slot - stride : slot, index + 1 < count ? slot + stride : slot)
                result[slot] = (cells[before] + cells[slot] * 2 + cells[after]) / 4
            }
        }
        return result
    }

    /// The pointers and constants of the inner loops.
    struct Reader {
        let pixels: UnsafePointer<SIMD4<UInt16>>
        let low: UnsafePointer<Vector4>
        let width, height, lowWidth, lowHeight: Int
        let lowScale: Float

        /// Colour (levels of 255) and trust (0…1) at a pixel position at least one pixel inside.
        @inline(__always)
        func full(_ x: Float, _ y: Float) -> Vector4 {
            let (fx, fy) = (x - 0.5, y - 0.5)
            let (x0, y0) = (Int(fx), Int(fy))
            let (u, v) = (fx - Float(x0), fy - Float(y0))
            let at = pixels + (y0 &* width &+ x0)
            let top = Vector4(at[0]) * (1 - u) + Vector4(at[1]) * u
            let bottom = Vector4(at[width]) * (1 - u) + Vector4(at[width &+ 1]) * u
            let value = top * (1 - v) + bottom * v
            return value * Vector4(1 / 64, 1 / 64, 1 / 64, 1 / (64 * 255))
        }

        @inline(__always)
        func blurred(_ x: Float, _ y: Float) -> Vector4 {
            let fx = min(Float(lowWidth - 1), max(0, x * lowScale - 0.5))
            let fy = min(Float(lowHeight - 1), max(0, y * lowScale - 0.5))
            let (x0, y0) = (min(Int(fx), max(0, lowWidth - 2)), min(Int(fy), max(0, lowHeight - 2)))
            let (u, v) = (fx - Float(x0), fy - Float(y0))
            let right = lowWidth > 1 ? 1 : 0
            let down = lowHeight > 1 ? lowWidth : 0
            let at = low + (y0 &* lowWidth &+ x0)
            let top = at[0] * (1 - u) + at[right] * u
            let bottom = at[down] * (1 - u) + at[down &+ right] * u
            return top * (1 - v) + bottom * v
        }
    }

    func withReader(_ body: (Reader) -> Void) {
        pixels.withUnsafeBufferPointer { pixels in
            low.withUnsafeBufferPointer { low in
                body(
                    Reader(
                        pixels: pixels.baseAddress!, low: low.baseAddress!, width: width, height: height, lowWidth: lowWidth,
                        lowHeight: lowHeight, lowScale: 1 / step))
            }
        }
    }
}
