/// An image of floats for filters: rows are padded so that vectors can be read across the end of a row.
final class FloatImage {
    let width, height: Int
    /// The number of floats from one row to the next.
    let stride: Int
    let base: UnsafeMutablePointer<Float>

    /// Pixels are uninitialized; the padding is 0.
    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        stride = (width + 15) / 16 * 16 + 16
        base = UnsafeMutablePointer<Float>.allocate(capacity: stride * height)
        let padding = stride - width
        for y in 0..<height { (base + (y * stride + width)).initialize(repeating: 0, count: padding) }
    }

    convenience init(_ plane: GrayPlane) {
        self.init(width: plane.width, height: plane.height)
        plane.values.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            for y in 0..<height { row(y).update(from: start + y * width, count: width) }
        }
    }

    deinit { base.deallocate() }

    @inline(__always) func row(_ y: Int) -> UnsafeMutablePointer<Float> { base + y * stride }
}

@inline(__always) func load16(_ pointer: UnsafePointer<Float>) -> SIMD16<Float> {
    UnsafeRawPointer(pointer).loadUnaligned(as: SIMD16<Float>.self)
}

@inlinable @inline(__always) package func load8(_ pointer: UnsafePointer<Float>) -> SIMD8<Float> {
    UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<Float>.self)
}

@inline(__always) func store(_ value: SIMD16<Float>, _ pointer: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: SIMD16<Float>.self)
}

@inlinable @inline(__always) package func store(_ value: SIMD8<Float>, _ pointer: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: SIMD8<Float>.self)
}

/// The whole part of each lane, for 0 ≤ x < 2²². (A sum with 2²³ leaves the rounded number in the low bits.)
@inline(__always) func whole(_ x: SIMD8<Float>) -> (float: SIMD8<Float>, int: SIMD8<Int32>) {
    let magic: Float = 8_388_608
    var rounded = (x + magic) - magic
    rounded.replace(with: rounded - 1, where: rounded .> x)
    let bits = unsafeBitCast(rounded + magic, to: SIMD8<Int32>.self)
    return (rounded, bits & 0x7F_FFFF)
}
