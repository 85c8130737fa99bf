import VitrineMath
import VitrineVision

extension ARFrame {
    /// The transform from the captured image to a view that it fills (aspect fill): normalized coordinates, 0…1 to the right and down from the
    /// upper left corner; homogeneous, column-major, the last row is (0, 0, 1). It rotates the image to the orientation and centres it.
    ///
    /// For a lens with distortion, it applies to the undistorted image: that of a pinhole camera with the camera's `intrinsics`.
    ///
    /// - Parameter viewportSize: Width and height of the view in its orientation, in any unit, above 0.
    public func displayTransform(for orientation: InterfaceOrientation, viewportSize: Vector2) -> Matrix3 {
        camera.fit(orientation, viewportSize).viewFromImage
    }

    /// The point in the captured image that a view shows at a point, for example a tap: 0…1, as `raycastQuery(from:allowing:alignment:)` takes
    /// it. Applies the lens distortion.
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
