import VitrineGeometry

extension ARCamera {
    /// How the image fills a view.
    func fit(_ orientation: InterfaceOrientation, _ viewportSize: Vector2) -> ImageFit {
        ImageFit(imageSize: imageResolution, orientation: orientation, viewportSize: viewportSize)
    }

    /// The projection from the frame of `viewMatrix(for:)` to clip space (x right, y up, −w…w; depth 0 at `zNear`, 1 at `zFar`). Rendered
    /// content aligns with an image that fills the view by `ARFrame.displayTransform`.
    ///
    /// The projection is that of a pinhole camera: undistort the image of a lens with distortion before drawing it behind (`CameraBackground`
    /// does that).
    ///
    /// - Parameters:
    ///   - viewportSize: Width and height of the view in its orientation, in any unit, above 0.
    ///   - zNear: In metres, above 0.
    ///   - zFar: In metres, greater than `zNear`; may be infinite.
    public func projectionMatrix(for orientation: InterfaceOrientation, viewportSize: Vector2, zNear: Float, zFar: Float) -> Matrix4 {
        fit(orientation, viewportSize).clipFromView(imageFromCamera: intrinsics, zNear: zNear, zFar: zFar)
    }

    /// The transform from the world to the camera in the view's orientation: x right, y up, −z forward.
    public func viewMatrix(for orientation: InterfaceOrientation) -> Matrix4 {
        Matrix4(orientation.viewFromCamera) * transform.affineInverse
    }

    /// Projects a world point to the view.
    ///
    /// - Returns: The point in the units of `viewportSize`, right and down from the upper left corner, also outside of the view; nil if it is
    ///   not in front of the camera.
    public func projectPoint(_ point: Vector3, orientation: InterfaceOrientation, viewportSize: Vector2) -> Vector2? {
        let projection = projectionMatrix(for: orientation, viewportSize: viewportSize, zNear: 0.001, zFar: .infinity)
        let clip = projection * (viewMatrix(for: orientation) * Vector4(point, 1))
        guard clip.w > 0 else { return nil }
        return Vector2(1 + clip.x / clip.w, 1 - clip.y / clip.w) / 2 * viewportSize
    }

    /// The ray from the camera through a point of the view, in the world, with unit direction.
    ///
    /// - Parameter point: In the units of `viewportSize`, right and down from the upper left corner.
    public func ray(through point: Vector2, orientation: InterfaceOrientation, viewportSize: Vector2) -> Ray {
        let pixel = fit(orientation, viewportSize).viewFromImage.inverse.transform(point: point / viewportSize) * imageResolution
        let k = intrinsics
        let direction = Vector3((pixel.x - k.z.x) / k.x.x, -(pixel.y - k.z.y) / k.y.y, -1)
        return Ray(origin: transform.translation, direction: normalize(transform.transform(direction: direction)))
    }

    /// Unprojects a point of the view onto a plane.
    ///
    /// - Parameters:
    ///   - point: As `projectPoint` returns it.
    ///   - planeTransform: The transform from the plane's frame to the world: x and z lie in the plane, y is its normal, as of an
    ///     `ARPlaneAnchor`.
    /// - Returns: nil if the plane is not in front of the camera there.
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
