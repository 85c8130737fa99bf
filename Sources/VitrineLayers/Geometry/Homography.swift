import VitrineMath

/// A projective map between planes: (u, v, 1) maps to (x, y, w), the point (x/w, y/w).
///
/// Points with w ≤ 0 are behind the eye. Double precision, because the inverse maps every pixel into a layer.
struct Homography: Equatable, Sendable {
    /// The columns.
    var u, v, one: SIMD3<Double>

    static let identity = Homography(u: SIMD3(1, 0, 0), v: SIMD3(0, 1, 0), one: SIMD3(0, 0, 1))

    init(u: SIMD3<Double>, v: SIMD3<Double>, one: SIMD3<Double>) { (self.u, self.v, self.one) = (u, v, one) }

    /// Creates the orthographic view of the plane z = 0 after a matrix.
    init(_ matrix: Matrix4) {
        // In single precision, an axis that points at the eye keeps a component of 10⁻⁷ in the plane: cos 90° is not 0.
        func kept(_ value: Float, _ z: Float) -> Double { abs(value) < abs(z) * 3e-7 ? 0 : Double(value) }
        func column(_ c: Vector4) -> SIMD3<Double> { SIMD3(kept(c.x, c.z), kept(c.y, c.z), Double(c.w)) }
        self.init(u: column(matrix.x), v: column(matrix.y), one: column(matrix.w))
    }

    init(scale: Double, offset: SIMD2<Double> = SIMD2(0, 0)) {
        self.init(u: SIMD3(scale, 0, 0), v: SIMD3(0, scale, 0), one: SIMD3(offset.x, offset.y, 1))
    }

    static func * (a: Homography, p: SIMD3<Double>) -> SIMD3<Double> { a.u * p.x + a.v * p.y + a.one * p.z }
    static func * (a: Homography, b: Homography) -> Homography { Homography(u: a * b.u, v: a * b.v, one: a * b.one) }

    /// The determinant: positive if the front is visible, 0 if the plane is seen edge-on.
    var determinant: Double { dot(u, cross(v, one)) }

    var isFinite: Bool { u.isFinite && v.isFinite && one.isFinite }

    /// The inverse; nil if the plane is seen edge-on or a number is not finite.
    var inverse: Homography? {
        // Tests the angle between the columns, not their length. Zeros of single-precision matrices have errors of 10⁻⁷.
        let d = determinant
        let size = length(u) * length(v)
        guard isFinite, size.isFinite, abs(d) > size * max(abs(one.z) * 1e-6, length(one) * 1e-14) else { return nil }
        let (a, b, c) = (cross(v, one) / d, cross(one, u) / d, cross(u, v) / d)
        let inverse = Homography(u: SIMD3(a.x, b.x, c.x), v: SIMD3(a.y, b.y, c.y), one: SIMD3(a.z, b.z, c.z))
        return inverse.isFinite ? inverse : nil
    }

    /// Returns the image of a point; nil for points behind the eye.
    func map(_ point: SIMD2<Double>) -> SIMD2<Double>? {
        let p = self * SIMD3(point.x, point.y, 1)
        let mapped = SIMD2(p.x, p.y) / p.z
        return p.z > 0 && mapped.isFinite ? mapped : nil
    }

    /// Returns the derivatives of the image of `point` by u and v.
    func derivatives(at point: SIMD2<Double>) -> (u: SIMD2<Double>, v: SIMD2<Double>)? {
        let p = self * SIMD3(point.x, point.y, 1)
        guard p.z > 0 else { return nil }
        let mapped = SIMD2(p.x, p.y) / p.z
        return ((SIMD2(u.x, u.y) - mapped * u.z) / p.z, (SIMD2(v.x, v.y) - mapped * v.z) / p.z)
    }

    /// Returns the largest magnification at `point`; nil behind the eye.
    func scale(at point: SIMD2<Double>) -> Double? {
        guard let (a, b) = derivatives(at: point) else { return nil }
        let mean = (lengthSquared(a) + lengthSquared(b)) / 2
        let product = a.x * b.y - a.y * b.x
        let larger = mean + max(mean * mean - product * product, 0).squareRoot()
        return larger.isFinite ? larger.squareRoot() : nil
    }

    /// Whether the map is only a translation and a uniform scale.
    var isUpright: Bool { u.y == 0 && u.z == 0 && v.x == 0 && v.z == 0 && u.x == v.y && u.x > 0 && one.z > 0 }

    /// Returns the images of a polygon's corners, clipped at the eye.
    func map(_ corners: [SIMD2<Double>]) -> [SIMD2<Double>] {
        let mapped = corners.map { self * SIMD3($0.x, $0.y, 1) }
        let largest = mapped.reduce(0) { max($0, abs($1.z)) }
        let nearest = largest * 1e-6
        var kept: [SIMD2<Double>] = []
        for (index, a) in mapped.enumerated() {
            let b = mapped[(index + 1) % mapped.count]
            if a.z >= nearest, a.z > 0 { kept.append(SIMD2(a.x, a.y) / a.z) }
            if (a.z >= nearest) != (b.z >= nearest) {
                let p = a + (b - a) * ((nearest - a.z) / (b.z - a.z))
                kept.append(SIMD2(p.x, p.y) / p.z)
            }
        }
        return kept.allSatisfy { $0.isFinite } ? kept : []
    }
}
