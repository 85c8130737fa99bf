import VitrineMath
import VitrineVision

extension ARFrame {
    /// The ray that ends in a point of the picture, ready to be cast.
    ///
    /// - Parameter point: In the captured image, 0…1 to the right and down from its upper left corner. The lens's distortion is undone.
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
