import VitrineMath
import VitrineVision

extension ARFrame {
    /// From the captured picture to a view that it fills: a point of the view from one of the picture, both 0…1 to the right and down from
    /// the upper left corner; homogeneous, columns, the last row is (0, 0, 1). The picture is turned as the view is held, and as small as it can
    /// be without leaving a part of the view empty; its middle is the view's.
    ///
    /// Of a lens that distorts the picture this is the straightened picture: the one that a pinhole with the camera's `intrinsics` would take.
    ///
    /// - Parameter viewportSize: Width and height of the view as it is held, in any unit, above 0.
    public func displayTransform(for orientation: InterfaceOrientation, viewportSize: Vector2) -> Matrix3 {
        camera.fit(orientation, viewportSize).viewFromPicture
    }

    /// The place in the captured picture, 0…1 as `raycastQuery(from:allowing:alignment:)` takes it, of what a view shows at a point: a tap's.
    /// The lens's distortion is put back on.
    ///
    /// - Parameter point: In the units of `viewportSize`, right and down from the view's upper left corner.
    public func imagePoint(at point: Vector2, orientation: InterfaceOrientation, viewportSize: Vector2) -> Vector2 {
        let model = camera.model
        let size = Vector2d(Double(model.width), Double(model.height))
        let straight = displayTransform(for: orientation, viewportSize: viewportSize).inverse.transform(point: point / viewportSize)
        let pixel = model.distortion.distort((Vector2d(straight) * size - model.center) / model.focal) * model.focal + model.center
        return Vector2(pixel / size)
    }
}
