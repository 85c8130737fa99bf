import VitrineGeometry

extension Camera {
    /// The ray through a point of the picture, world frame, unit direction, from the near plane on: nothing before it is drawn.
    ///
    /// - Parameters:
    ///   - point: From the picture's upper left corner, +x right, +y down, in the units of `viewportSize`.
    ///   - worldFromCamera: The camera's pose; without scale.
    public func ray(through point: Vector2, viewportSize: Vector2, worldFromCamera: Matrix4) -> Ray {
        let aspect = aspectRatio ?? viewportSize.x / viewportSize.y
        let x = (2 * point.x / viewportSize.x - 1) * aspect
        let y = 1 - 2 * point.y / viewportSize.y
        let inView: Ray
        switch projection {
        case .perspective(let fieldOfView):
            let slope = tan(fieldOfView.radians / 2)
            let through = Vector3(x * slope, y * slope, -1)
            inView = Ray(origin: through * near, direction: normalize(through))
        case .orthographic(let scale):
            inView = Ray(origin: Vector3(x * scale, y * scale, -near), direction: .forward)
        }
        let ray = inView.transformed(by: worldFromCamera)
        return Ray(origin: ray.origin, direction: normalize(ray.direction))
    }

    /// Where a point of the world is in the picture: x and y as `ray(through:…)` takes them, z the depth that is drawn (1 near, 0 far).
    /// nil behind the camera.
    public func project(_ point: Vector3, viewportSize: Vector2, worldFromCamera: Matrix4) -> Vector3? {
        let inView = worldFromCamera.affineInverse.transform(point: point)
        let clip = clipFromView(aspectRatio: viewportSize.x / viewportSize.y) * Vector4(inView, 1)
        guard clip.w > 0 else { return nil }
        let ndc = clip.xyz / clip.w
        return Vector3((ndc.x + 1) / 2 * viewportSize.x, (1 - ndc.y) / 2 * viewportSize.y, ndc.z)
    }
}
