import VitrineMath
import VitrineVision

extension ARFrame {
    /// Makes the query of a ray through a point of the image.
    ///
    /// - Parameter point: In the captured image with its lens distortion, 0…1 to the right and down from its upper left corner.
    public func raycastQuery(
        from point: Vector2, allowing target: ARRaycastQuery.Target, alignment: ARRaycastQuery.TargetAlignment
    ) -> ARRaycastQuery {
        let size = Vector2d(Double(camera.model.width), Double(camera.model.height))
        let normalized = camera.model.normalized(Vector2d(point) * size)
        let direction = Vector3(Float(normalized.x), Float(-normalized.y), -1)
        return ARRaycastQuery(
            origin: camera.transform.translation, direction: normalize(camera.transform.transform(direction: direction)),
            allowing: target, alignment: alignment)
    }
}
