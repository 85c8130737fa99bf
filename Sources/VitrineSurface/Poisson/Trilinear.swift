import VitrineMath

/// The eight trilinear basis functions of a cell and their integrals; corner x + 2 y + 4 z.
enum Trilinear {
    /// The sign of each function's derivative along an axis.
    @inline(__always) private static var xSign: SIMD8<Float> { SIMD8(-1, 1, -1, 1, -1, 1, -1, 1) }
    @inline(__always) private static var ySign: SIMD8<Float> { SIMD8(-1, -1, 1, 1, -1, -1, 1, 1) }
    @inline(__always) private static var zSign: SIMD8<Float> { SIMD8(-1, -1, -1, -1, 1, 1, 1, 1) }

    /// The opposite corner along one axis.
    @inline(__always) static func swapX(_ v: SIMD8<Float>) -> SIMD8<Float> { SIMD8(v[1], v[0], v[3], v[2], v[5], v[4], v[7], v[6]) }
    @inline(__always) static func swapY(_ v: SIMD8<Float>) -> SIMD8<Float> { SIMD8(v[2], v[3], v[0], v[1], v[6], v[7], v[4], v[5]) }
    @inline(__always) static func swapZ(_ v: SIMD8<Float>) -> SIMD8<Float> { SIMD8(v[4], v[5], v[6], v[7], v[0], v[1], v[2], v[3]) }

    /// The functions' values at `fraction` (0…1) of the cell.
    @inline(__always) static func values(_ fraction: Vector3) -> SIMD8<Float> {
        let x = xSign * (fraction.x - 0.5) + 0.5
        let y = ySign * (fraction.y - 0.5) + 0.5
        let z = zSign * (fraction.z - 0.5) + 0.5
        return x * y * z
    }

    /// ∫ ∇φ_a · ∇φ_b over a unit cell, times `v`: 1/3 for a corner with itself, 0 along edges, −1/12 across faces and the cell.
    @inline(__always) static func stiffness(_ v: SIMD8<Float>) -> SIMD8<Float> {
        let besides = swapX(v) + swapY(v) + swapZ(v)
        return v * (5 / 12) + (besides - v.sum()) * (1 / 12)
    }
    static let stiffnessDiagonal: Float = 1.0 / 3

    /// ∫ φ_b ∇φ_a over a unit cell, for a field with components (x, y, z) at the corners.
    @inline(__always) static func divergence(_ x: SIMD8<Float>, _ y: SIMD8<Float>, _ z: SIMD8<Float>) -> SIMD8<Float> {
        // Along the axis of the derivative the mean, along the others the mass matrix of hat functions: 1/3 and 1/6.
        let (mx, my, mz) = ((x + swapX(x)) * 0.5, (y + swapY(y)) * 0.5, (z + swapZ(z)) * 0.5)
        let ax = massY(massZ(mx)) * xSign
        let ay = massX(massZ(my)) * ySign
        return ax + ay + massX(massY(mz)) * zSign
    }
    @inline(__always) private static func massX(_ v: SIMD8<Float>) -> SIMD8<Float> { v * (1 / 3) + swapX(v) * (1 / 6) }
    @inline(__always) private static func massY(_ v: SIMD8<Float>) -> SIMD8<Float> { v * (1 / 3) + swapY(v) * (1 / 6) }
    @inline(__always) private static func massZ(_ v: SIMD8<Float>) -> SIMD8<Float> { v * (1 / 3) + swapZ(v) * (1 / 6) }
}
