import VitrineMath

/// What the object stands on: the points x with `dot(normal, x) == offset`.
public struct SupportPlane: Equatable, Sendable {
    /// Unit, towards the object.
    public var normal: Vector3
    /// World unit.
    public var offset: Float

    public init(normal: Vector3, offset: Float) { (self.normal, self.offset) = (normal, offset) }

    /// Positive on the object's side.
    @inlinable public func height(of point: Vector3) -> Float { dot(normal, point) - offset }
}
