import VitrineGeometry

extension ARCamera {
    /// How the picture fills a view, and with it what is drawn over the picture.
    func fit(_ orientation: InterfaceOrientation, _ viewportSize: Vector2) -> PictureFit {
        PictureFit(pictureSize: imageResolution, orientation: orientation, viewportSize: viewportSize)
    }

    /// From `viewMatrix(for:)`'s frame to clip space (x right, y up, −w…w; depth 0 at `zNear`, 1 at `zFar`), so that what is drawn lies over
    /// what the camera sees where the picture fills the view (`ARFrame.displayTransform`).
    ///
    /// That of a pinhole: the picture of a lens that distorts has to be straightened before it is drawn behind (`CameraBackground` does that).
    ///
    /// - Parameters:
    ///   - viewportSize: Width and height of the view as it is held, in any unit, above 0.
    ///   - zNear: In metres, above 0.
    ///   - zFar: In metres, beyond `zNear`; may be infinite.
    public func projectionMatrix(for orientation: InterfaceOrientation, viewportSize: Vector2, zNear: Float, zFar: Float) -> Matrix4 {
        fit(orientation, viewportSize).clipFromView(pictureFromCamera: intrinsics, zNear: zNear, zFar: zFar)
    }

    /// From the world to the camera as the view is held: x right, y up, −z ahead.
    public func viewMatrix(for orientation: InterfaceOrientation) -> Matrix4 {
        Matrix4(orientation.viewFromCamera) * transform.affineInverse
    }

    /// Where a point of the world is in the view, in the units of `viewportSize`, right and down from its upper left corner; nil where it is
    /// not in front of the camera. What is beside the view has a place, too.
    public func projectPoint(_ point: Vector3, orientation: InterfaceOrientation, viewportSize: Vector2) -> Vector2? {
        let projection = projectionMatrix(for: orientation, viewportSize: viewportSize, zNear: 0.001, zFar: .infinity)
        let clip = projection * (viewMatrix(for: orientation) * Vector4(point, 1))
        guard clip.w > 0 else { return nil }
        return Vector2(1 + clip.x / clip.w, 1 - clip.y / clip.w) / 2 * viewportSize
    }

    /// The ray of sight through a point of the view, from the camera on; of length 1, in the world.
    public func ray(through point: Vector2, orientation: InterfaceOrientation, viewportSize: Vector2) -> Ray {
        let pixel = fit(orientation, viewportSize).viewFromPicture.inverse.transform(point: point / viewportSize) * imageResolution
        let k = intrinsics
        let direction = Vector3((pixel.x - k.z.x) / k.x.x, -(pixel.y - k.z.y) / k.y.y, -1)
        return Ray(origin: transform.translation, direction: normalize(transform.transform(direction: direction)))
    }

    /// The point of a plane that is seen at a point of the view; nil where the plane isn't in front of the camera there.
    ///
    /// - Parameters:
    ///   - point: As `projectPoint` gives it.
    ///   - planeTransform: From the plane's frame to the world: x and z lie in the plane, y is its normal, as those of an `ARPlaneAnchor`.
    public func unprojectPoint(
        _ point: Vector2, ontoPlane planeTransform: Matrix4, orientation: InterfaceOrientation, viewportSize: Vector2
    ) -> Vector3? {
        let ray = ray(through: point, orientation: orientation, viewportSize: viewportSize)
        let normal = normalize(planeTransform.y.xyz)
        let distance = dot(normal, planeTransform.translation - ray.origin) / dot(normal, ray.direction)
        guard distance.isFinite, distance > 0 else { return nil }
        return ray.origin + ray.direction * distance
    }
}
