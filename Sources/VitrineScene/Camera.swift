import VitrineGeometry
import VitrineMath

/// A camera of a node. It looks along the node's −Z; +Y is up in the image.
public struct Camera: Equatable, Sendable {
    /// The projection of points to the image.
    public enum Projection: Equatable, Sendable {
        /// A perspective projection with a vertical field of view.
        case perspective(fieldOfView: Angle)
        /// `scale` is half the height of the visible volume in metres (SceneKit's `orthographicScale`).
        case orthographic(scale: Float)
    }

    /// The projection; perspective by default.
    public var projection: Projection
    /// The distance of the near plane in metres; nothing nearer is drawn.
    public var near: Float
    /// The distance of the far plane in metres; nothing farther is drawn. May be infinite for perspective projections.
    public var far: Float
    /// A fixed ratio of width and height; nil for that of the image.
    public var aspectRatio: Float?
    /// The exposure in stops: linear values of the image are multiplied by 2 to this power.
    public var exposure: Float
    /// Depth of field, for perspective cameras. Default nil: a pinhole camera without blur.
    public var lens: Lens?

    /// Creates a camera. Default: a vertical field of view of 45°, depth from 0.01 m to infinity.
    public init(
        projection: Projection = .perspective(fieldOfView: .degrees(60)), near: Float = 0.01, far: Float = .infinity,
        aspectRatio: Float? = nil, exposure: Float = 0, lens: Lens? = nil
    ) {
        (self.projection, self.near, self.far, self.aspectRatio, self.exposure) = (projection, near, far, aspectRatio, exposure)
        self.lens = lens
    }

    /// Returns the projection from the view frame to WebGPU's clip space with *reversed* depth: 1 at `near`, 0 at `far`, for high precision at
    /// large distances.
    ///
    /// - Parameter aspectRatio: The ratio of width and height of the image; ignored if the property `aspectRatio` is set.
    public func clipFromView(aspectRatio: Float) -> Matrix4 {
        let aspect = self.aspectRatio ?? aspectRatio
        switch projection {
        case .perspective(let fieldOfView):
            return .perspective(fieldOfViewY: fieldOfView, aspectRatio: aspect, near: far, far: near)
        case .orthographic(let scale):
            let limit = far.isFinite ? far : near + 1e6
            return .orthographic(width: 2 * scale * aspect, height: 2 * scale, near: limit, far: near)
        }
    }
}

extension Camera {
    /// Returns the ray through a point of the image, in the world frame, with unit direction. It starts at the near plane.
    ///
    /// - Parameters:
    ///   - point: The point, from the upper left corner of the image, +x right, +y down, in the units of `viewportSize`.
    ///   - worldFromCamera: The camera's pose, without scale.
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
