import VitrineMath
import VitrineVision

/// A plane: the points x with `dot(normal, x) == offset`.
struct OrientedPlane: Equatable, Sendable {
    /// Unit.
    var normal: Vector3d
    var offset: Double

    init(normal: Vector3d, offset: Double) { (self.normal, self.offset) = (normal, offset) }

    /// Positive on the normal's side.
    func height(of point: Vector3d) -> Double { dot(normal, point) - offset }
}
