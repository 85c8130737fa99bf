import VitrineMath

/// The real spherical harmonics up to order 2: nine functions that represent a vertex's occlusion by direction.
///
/// Order: 1, then y, z, x, then xy, yz, 3z² − 1, xz, x² − y² (Ramamoorthi and Hanrahan 2001), orthonormal over the sphere.
package enum OcclusionHarmonics {
    package static let count = 9

    /// Returns the nine functions at the unit vector `d`: the first eight, and the ninth.
    @inlinable
    package static func basis(_ d: Vector3) -> (SIMD8<Float>, Float) {
        let (x, y, z) = (d.x, d.y, d.z)
        return (
            SIMD8(
                0.282_094_8, 0.488_602_5 * y, 0.488_602_5 * z, 0.488_602_5 * x,
                1.092_548_4 * x * y, 1.092_548_4 * y * z, 0.315_391_6 * (3 * z * z - 1), 1.092_548_4 * x * z),
            0.546_274_2 * (x * x - y * y)
        )
    }

    /// Returns the occluded fraction of the light from direction `d`, by nine coefficients; may slightly leave 0…1, because the series is truncated.
    @inlinable
    package static func value(_ coefficients: ArraySlice<Float>, _ d: Vector3) -> Float {
        let (eight, ninth) = basis(d)
        let base = coefficients.startIndex
        var sum: Float = coefficients[base + 8] * ninth
        for index in 0..<8 { sum += coefficients[base + index] * eight[index] }
        return sum
    }
}
