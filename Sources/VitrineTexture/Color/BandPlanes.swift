import VitrineMath

/// A photo in two bands, ready to be sampled: all of it, evened out in exposure, with trust as a fourth channel; and a blurred copy.
struct BandPlanes: Sendable {
    let width, height: Int
    /// Red, green, blue (sRGB-encoded, 64 units a level of 255) and trust.
    private let pixels: [SIMD4<UInt16>]
    /// Each stands for `step` × `step` pixels; levels of 255, w unused.
    private let low: [Vector4]
    private let lowWidth, lowHeight: Int
    private let step: Float

    /// - Parameter step: By how much the blurred copy is smaller; its blur is about as wide as `step` pixels (standard deviation).
    init(_ view: PreparedView, gain: Vector3, step: Int) {
        (width, height) = (view.projection.width, view.projection.height)
        let tables = (0..<3).map { k in
            TransferFunction.encodedFromByte(gain: gain[k]).map { UInt16(min(65535, ($0 * 64).rounded())) }
        }
        var pixels = [SIMD4<UInt16>](repeating: .zero, count: width * height)
        for slot in pixels.indices {
            pixels[slot] = SIMD4(
                tables[0][Int(view.color[3 * slot])], tables[1][Int(view.color[3 * slot + 1])], tables[2][Int(view.color[3 * slot + 2])],
                UInt16(view.trust.values[slot]) * 64)
        }
        self.pixels = pixels
        self.step = Float(step)
        (lowWidth, lowHeight) = ((width + step - 1) / step, (height + step - 1) / step)
        low = Self.blurred(pixels, view.depth.inverse, width, height, step)
    }

    /// Only pixels on the mesh and off masks count, so that the background doesn't bleed in.
    private static func blurred(_ pixels: [SIMD4<UInt16>], _ inverse: [Float], _ width: Int, _ height: Int, _ step: Int) -> [Vector4] {
        let (lowWidth, lowHeight) = ((width + step - 1) / step, (height + step - 1) / step)
        var cells = [Vector4](repeating: .zero, count: lowWidth * lowHeight)
        for y in 0..<height {
            for x in 0..<width where inverse[y * width + x] > 0 && pixels[y * width + x].w > 0 {
                let p = Vector4(pixels[y * width + x])
                // Pixels at outlines count a little, or thin parts would have no colour.
                let weight = max(0.02, p.w / (255 * 64))
                cells[y / step * lowWidth + x / step] += Vector4(p.x / 64, p.y / 64, p.z / 64, 1) * weight
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

    /// What the inner loops read.
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
