import VitrineMath

/// Three double-precision components.
public typealias Vector3d = SIMD3<Double>
/// Two double-precision components.
public typealias Vector2d = SIMD2<Double>

/// A 3×3 matrix in double precision, stored by columns; vectors are columns: `matrix * vector`.
@frozen public struct Matrix3d: Equatable, Sendable {
    public var x, y, z: Vector3d

    @inlinable public init(_ x: Vector3d, _ y: Vector3d, _ z: Vector3d) { (self.x, self.y, self.z) = (x, y, z) }

    /// From rows, as calibration files write them.
    @inlinable public init(rows a: Vector3d, _ b: Vector3d, _ c: Vector3d) {
        self.init(Vector3d(a.x, b.x, c.x), Vector3d(a.y, b.y, c.y), Vector3d(a.z, b.z, c.z))
    }

    @inlinable public static var identity: Matrix3d { Matrix3d(Vector3d(1, 0, 0), Vector3d(0, 1, 0), Vector3d(0, 0, 1)) }
    @inlinable public var transpose: Matrix3d { Matrix3d(rows: x, y, z) }
    @inlinable public var determinant: Double { dot(x, cross(y, z)) }
    @inlinable public var trace: Double { x.x + y.y + z.z }

    /// A singular matrix gives one that is not finite.
    @inlinable public var inverse: Matrix3d {
        let scale = 1 / determinant
        return Matrix3d(rows: cross(y, z) * scale, cross(z, x) * scale, cross(x, y) * scale)
    }

    @inlinable public static func * (m: Matrix3d, v: Vector3d) -> Vector3d { m.x * v.x + m.y * v.y + m.z * v.z }
    @inlinable public static func * (a: Matrix3d, b: Matrix3d) -> Matrix3d { Matrix3d(a * b.x, a * b.y, a * b.z) }
    @inlinable public static func * (m: Matrix3d, s: Double) -> Matrix3d { Matrix3d(m.x * s, m.y * s, m.z * s) }
    @inlinable public static func + (a: Matrix3d, b: Matrix3d) -> Matrix3d { Matrix3d(a.x + b.x, a.y + b.y, a.z + b.z) }
    @inlinable public static func - (a: Matrix3d, b: Matrix3d) -> Matrix3d { Matrix3d(a.x - b.x, a.y - b.y, a.z - b.z) }

    /// The matrix of the cross product: `skew(a) * b == cross(a, b)`.
    @inlinable public static func skew(_ a: Vector3d) -> Matrix3d {
        Matrix3d(rows: Vector3d(0, -a.z, a.y), Vector3d(a.z, 0, -a.x), Vector3d(-a.y, a.x, 0))
    }

    /// The rotation by `vector`'s length in radians about its direction (Rodrigues' formula).
    public static func rotation(_ vector: Vector3d) -> Matrix3d {
        let angle = length(vector)
        let k = skew(vector)
        // Below, the sine over the angle is 1 to the last digit.
        guard angle > 1e-8 else { return identity + k }
        let half = sin(angle / 2) / angle
        return identity + k * (sin(angle) / angle) + k * k * (2 * half * half)
    }
}

/// A rotation and a translation: `rotation * x + translation`. Named by its frames: `cameraFromWorld`.
@frozen public struct RigidTransform: Equatable, Sendable {
    public var rotation: Matrix3d
    public var translation: Vector3d

    @inlinable public init(rotation: Matrix3d, translation: Vector3d) { (self.rotation, self.translation) = (rotation, translation) }

    @inlinable public static var identity: RigidTransform { RigidTransform(rotation: .identity, translation: .zero) }
    @inlinable public var inverse: RigidTransform {
        RigidTransform(rotation: rotation.transpose, translation: -(rotation.transpose * translation))
    }

    @inlinable public static func * (t: RigidTransform, x: Vector3d) -> Vector3d { t.rotation * x + t.translation }
    /// The right factor acts first.
    @inlinable public static func * (a: RigidTransform, b: RigidTransform) -> RigidTransform {
        RigidTransform(rotation: a.rotation * b.rotation, translation: a * b.translation)
    }
}

/// A rotation, a uniform scale and a translation: `scale * (rotation * x) + translation`.
@frozen public struct SimilarityTransform: Equatable, Sendable {
    public var scale: Double
    public var rotation: Matrix3d
    public var translation: Vector3d

    @inlinable public init(scale: Double, rotation: Matrix3d, translation: Vector3d) {
        (self.scale, self.rotation, self.translation) = (scale, rotation, translation)
    }

    @inlinable public static var identity: SimilarityTransform { SimilarityTransform(scale: 1, rotation: .identity, translation: .zero) }
    @inlinable public static func * (t: SimilarityTransform, x: Vector3d) -> Vector3d { t.rotation * x * t.scale + t.translation }
    @inlinable public var inverse: SimilarityTransform {
        SimilarityTransform(
            scale: 1 / scale, rotation: rotation.transpose, translation: -(rotation.transpose * translation) / scale)
    }

    /// A camera's pose after the world has moved by this: the new `cameraFromWorld`, in the new world's unit.
    public func moved(_ cameraFromWorld: RigidTransform) -> RigidTransform {
        let turned = cameraFromWorld.rotation * rotation.transpose
        return RigidTransform(rotation: turned, translation: cameraFromWorld.translation * scale - turned * translation)
    }
}
