import VitrineGeometry
import VitrineMath

/// Indirect light on a grid of probes in a box, baked by path tracing. It lights surfaces without a light map, which may move within the box.
///
/// A probe lies in the middle of each cell of the grid. It stores two functions of a direction as real spherical harmonics of orders 0, 1 and 2 (Ramamoorthi and Hanrahan
/// 2001): the radiance of a white matte surface with that normal, which is its irradiance divided by π; and the share of the sky that this surface sees.
package final class IrradianceVolume: Sendable {
    /// The coefficients of a probe, in the order 1, y, z, x, xy, yz, 3z² − 1, xz, x² − y²; factors as in `harmonics(_:)`.
    package static let coefficientCount = 9
    /// The largest number of probes along an axis.
    package static let maximumCount = 64

    /// The box in the world frame; not flat.
    package let box: BoundingBox
    /// The number of probes along x, y and z.
    package let counts: SIMD3<Int>
    /// The coefficients of the first probe, then of the next along x, then y, then z: red, green, blue, visible share of the sky. Linear.
    package let coefficients: [Vector4]

    /// Creates a volume; nil if the box is flat, a count is not in 1…`maximumCount`, or the number of coefficients is not that of the probes.
    package init?(box: BoundingBox, counts: SIMD3<Int>, coefficients: [Vector4]) {
        guard box.size.min() > 0, box.size.max().isFinite, counts.min() >= 1, counts.max() <= Self.maximumCount,
            coefficients.count == counts.x * counts.y * counts.z * Self.coefficientCount
        else { return nil }
        (self.box, self.counts, self.coefficients) = (box, counts, coefficients)
    }

    /// The number of probes.
    package var probeCount: Int { counts.x * counts.y * counts.z }

    /// The position of a probe in the world frame, by its index.
    package static func position(of probe: Int, in box: BoundingBox, _ counts: SIMD3<Int>) -> Vector3 {
        let cell = SIMD3(probe % counts.x, probe / counts.x % counts.y, probe / (counts.x * counts.y))
        let share =
            (Vector3(Float(cell.x), Float(cell.y), Float(cell.z)) + 0.5) / Vector3(Float(counts.x), Float(counts.y), Float(counts.z))
        return box.minimum + box.size * share
    }

    /// The harmonics of a unit direction.
    package static func harmonics(_ d: Vector3) -> [Float] {
        [
            0.282_094_8, 0.488_602_5 * d.y, 0.488_602_5 * d.z, 0.488_602_5 * d.x, 1.092_548_4 * d.x * d.y, 1.092_548_4 * d.y * d.z,
            0.315_391_6 * (3 * d.z * d.z - 1), 1.092_548_4 * d.x * d.z, 0.546_274_2 * (d.x * d.x - d.y * d.y),
        ]
    }
}
