import VitrineMath
import VitrineVision

/// A box of any direction.
public struct OrientedBox: Equatable, Sendable {
    public var center: Vector3d
    /// The box's frame in the world: unit columns, right-handed, y is up.
    public var axes: Matrix3d
    /// Half of the box's size along each axis.
    public var halfSize: Vector3d

    public init(center: Vector3d, axes: Matrix3d, halfSize: Vector3d) { (self.center, self.axes, self.halfSize) = (center, axes, halfSize) }

    public var size: Vector3d { halfSize * 2 }
    /// The longest side.
    public var longestSide: Double { max(size.x, max(size.y, size.z)) }

    /// A point's place in the box: −1…1 on each axis inside.
    public func normalized(_ point: Vector3d) -> Vector3d { (axes.transpose * (point - center)) / halfSize }

    public func contains(_ point: Vector3d) -> Bool {
        let inside = axes.transpose * (point - center)
        return abs(inside.x) <= halfSize.x && abs(inside.y) <= halfSize.y && abs(inside.z) <= halfSize.z
    }

    /// The eight corners, x fastest, then y.
    public var corners: [Vector3d] {
        (0..<8).map { corner in
            let signs = Vector3d(corner & 1 == 0 ? -1 : 1, corner & 2 == 0 ? -1 : 1, corner & 4 == 0 ? -1 : 1)
            return center + axes * (halfSize * signs)
        }
    }

    /// Grown by a factor of its sides, about its centre.
    public func scaled(by factor: Double) -> OrientedBox { OrientedBox(center: center, axes: axes, halfSize: halfSize * factor) }

    /// The box after the world has moved.
    public func moved(by transform: SimilarityTransform) -> OrientedBox {
        OrientedBox(center: transform * center, axes: transform.rotation * axes, halfSize: halfSize * transform.scale)
    }
}

/// A plane: the points x with `dot(normal, x) == offset`.
public struct OrientedPlane: Equatable, Sendable {
    /// Unit.
    public var normal: Vector3d
    public var offset: Double

    public init(normal: Vector3d, offset: Double) { (self.normal, self.offset) = (normal, offset) }

    /// Positive on the normal's side.
    public func height(of point: Vector3d) -> Double { dot(normal, point) - offset }
}
