import VitrineMath
import VitrineVision

/// A plane: the points x with `dot(normal, x) == offset`.
public struct Plane3<Double>: Equatable, Sendable {
    /// Unit.
    public var normal: Vector3d
    public var offset: Double

    public init(normal: Vector3d, offset: Double) { (self.normal, self.offset) = (normal, offset) }

    /// Positive on the normal's side.
    public func height(of point: Vector3d) -> Double { dot(normal, point) - offset }
}
