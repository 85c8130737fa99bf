// The standard library's pointwiseMin and pointwiseMax are calls that the optimizer keeps, and in generic functions a comparison is a loop over lanes. These
// are one instruction each.

/// The smaller number of each lane; of `a` if one is not a number.
@inlinable @inline(__always)
package func lesser(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> SIMD3<Float> { a.replacing(with: b, where: b .< a) }

/// The greater number of each lane; of `a` if one is not a number.
@inlinable @inline(__always)
package func greater(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> SIMD3<Float> { a.replacing(with: b, where: b .> a) }

@inlinable @inline(__always)
package func lesser(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> { a.replacing(with: b, where: b .< a) }

@inlinable @inline(__always)
package func greater(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> { a.replacing(with: b, where: b .> a) }

@inlinable @inline(__always)
package func lesser(_ a: SIMD8<Float>, _ b: SIMD8<Float>) -> SIMD8<Float> { a.replacing(with: b, where: b .< a) }

@inlinable @inline(__always)
package func greater(_ a: SIMD8<Float>, _ b: SIMD8<Float>) -> SIMD8<Float> { a.replacing(with: b, where: b .> a) }
