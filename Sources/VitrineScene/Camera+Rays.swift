import VitrineGeometry

extension Camera {
    /// Returns the ray through a point of the image, in the world frame, with unit direction. It starts at the near plane.
    ///
    /// - Parameters:
    ///   - point: From the upper left corner of the image, +x right, +y down, in the units of `viewportSize`.
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

    /// Projects a point of the world to the image: x and y in the units of `viewportSize`, z the reversed depth (1 near, 0 far).
    /// Returns nil for points behind the camera.
    public func project(_ point: Vector3, viewportSize: Vector2, worldFromCamera: Matrix4) -> Vector3? {
        let inView = worldFromCamera.affineInverse.transform(point: point)
        let clip = clipFromView(aspectRatio: viewportSize.x / viewportSize.y) * Vector4(inView, 1)
        guard clip.w > 0 else { return nil }
        let ndc = clip.xyz / clip.w
        return Vector3((ndc.x + 1) / 2 * viewportSize.x, (1 - ndc.y) / 2 * viewportSize.y, ndc.z)
    }
}
