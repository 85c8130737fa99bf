import VitrineMath
import VitrineScene

/// A camera and its pose.
public struct View: Equatable, Sendable {
    /// The camera's projection, exposure and lens.
    public var camera: Camera
    /// The pose of the camera in the world, a rigid transform; the camera looks along its −Z.
    public var worldFromCamera: Matrix4
    /// The rendered part of the camera's image, 0…1 from its upper left corner; it may extend beyond the image. Default nil: the whole
    /// image. For crops, and for cameras whose axis does not pass through the centre of the image. Not with a lens.
    public var part: Rectangle?

    /// Creates a view from a camera and its pose.
    public init(camera: Camera = Camera(), worldFromCamera: Matrix4, part: Rectangle? = nil) {
        (self.camera, self.worldFromCamera, self.part) = (camera, worldFromCamera, part)
    }

    /// Throws `RenderError.invalidOption` if the camera's lens or the part is out of range.
    public func validate() throws(RenderError) {
        if let part, part.isEmpty || !part.origin.isFinite || !part.size.isFinite {
            throw .invalidOption(name: "view.part", reason: "must be a rectangle with an area")
        }
        guard let lens = camera.lens else { return }
        guard part == nil else { throw .invalidOption(name: "camera.lens", reason: "cannot be combined with a part of the image") }
        guard case .perspective = camera.projection else {
            throw .invalidOption(name: "camera.lens", reason: "needs a perspective camera")
        }
        guard lens.focusDistance > 0, lens.focusDistance.isFinite else {
            throw .invalidOption(name: "camera.lens.focusDistance", reason: "must be more than 0 metres")
        }
        guard lens.fNumber >= 0.001, lens.fNumber <= 1000 else {
            throw .invalidOption(name: "camera.lens.fNumber", reason: "must lie in 0.001…1000")
        }
        guard lens.sensorHeight > 0, lens.sensorHeight.isFinite else {
            throw .invalidOption(name: "camera.lens.sensorHeight", reason: "must be more than 0 millimetres")
        }
    }

    /// Width / height of the camera's whole image if the rendered part has this many pixels.
    func wholeAspectRatio(width: Int, height: Int) -> Float {
        let ratio = Float(width) / Float(height)
        return part.map { ratio * $0.size.y / $0.size.x } ?? ratio
    }

    /// View frame to clip space; of the part if there is one.
    ///
    /// - Parameter aspectRatio: The width of the whole image divided by its height.
    func clipFromView(aspectRatio: Float) -> Matrix4 {
        let whole = camera.clipFromView(aspectRatio: aspectRatio)
        guard let part else { return whole }
        let scale = 1 / part.size
        let middle = (part.center * 2 - Vector2(1, 1)) * scale
        return Matrix4(
            Matrix3(Vector3(scale.x, 0, 0), Vector3(0, scale.y, 0), Vector3(0, 0, 1)), translation: Vector3(-middle.x, middle.y, 0)) * whole
    }

    /// The view of the scene's `pointOfView`; nil if that is not a node with a camera.
    public init?(pointOfViewOf scene: Scene) {
        guard let node = scene.pointOfView else { return nil }
        self.init(of: node)
    }

    /// The view of a node's camera; nil if the node has no camera.
    public init?(of node: Node) {
        guard let camera = node.camera else { return nil }
        // A camera ignores its node's scale.
        let transform = Transform(node.worldTransform)
        self.init(camera: camera, worldFromCamera: Transform(translation: transform.translation, rotation: transform.rotation).matrix)
    }

    /// A camera on an orbit around `target`: eye = target + distance · (sin azimuth · cos elevation, sin elevation, cos azimuth · cos elevation).
    public static func orbit(
        target: Vector3, azimuth: Angle, elevation: Angle, distance: Float, fieldOfView: Angle = .degrees(45), near: Float? = nil,
        far: Float = .infinity
    ) -> View {
        let (sinA, cosA) = (sin(azimuth.radians), cos(azimuth.radians))
        let (sinE, cosE) = (sin(elevation.radians), cos(elevation.radians))
        let eye = target + distance * Vector3(sinA * cosE, sinE, cosA * cosE)
        // Straight up or down, the image's upper edge keeps its direction.
        let up = abs(cosE) < 1e-4 ? Vector3(-sinA, 0, -cosA) * (sinE < 0 ? -1 : 1) : .up
        let camera = Camera(projection: .perspective(fieldOfView: fieldOfView), near: near ?? distance * 0.01, far: far)
        return View(camera: camera, worldFromCamera: .lookAt(eye: eye, target: target, up: up))
    }

    /// A camera that frames `bounds` from the given side: the box's bounding sphere touches the nearer edges of the image.
    ///
    /// - Parameters:
    ///   - azimuth: 0 is the view from +Z, 90° from +X.
    ///   - fieldOfView: Vertical.
    ///   - aspectRatio: Width / height of the image.
    ///   - margin: Factor on the distance at which the sphere touches the edges.
    public static func framing(
        _ bounds: BoundingBox, azimuth: Angle = .degrees(30), elevation: Angle = .degrees(15), fieldOfView: Angle = .degrees(45),
        aspectRatio: Float = 1, margin: Float = 1.05
    ) -> View {
        let isUsable = !bounds.isEmpty && bounds.minimum.isFinite && bounds.maximum.isFinite
        let center = isUsable ? bounds.center : Vector3(0, 0, 0)
        let radius = isUsable ? max(bounds.radius, 1e-6) : 1
        let halfVertical = fieldOfView.radians / 2
        let halfHorizontal = atan2(tan(halfVertical) * aspectRatio, 1)
        let distance = radius * margin / sin(min(halfVertical, halfHorizontal))
        return orbit(
            target: center, azimuth: azimuth, elevation: elevation, distance: distance, fieldOfView: fieldOfView,
            near: max(distance - radius * 1.5, distance * 0.01))
    }
}

extension View {
    /// The same view with the depth range of an orthographic camera narrowed to the scene's bounds; perspective cameras stay unchanged.
    ///
    /// Orthographic depth is linear, so that reversed depth does not help it: over the 10⁶ m of a camera without a far plane, 32-bit floats
    /// leave steps of 6 cm. Over the scene's own range they are a ten-millionth of its size. The image does not change, because nothing lies
    /// in the parts that are cut off; planes that the camera sets inside the scene stay.
    func fittingDepthRange(to store: NodeStore) -> View {
        guard case .orthographic = camera.projection else { return self }
        let (eye, forward) = (worldFromCamera.translation, -normalize(worldFromCamera.z.xyz))
        let across = Vector3(abs(forward.x), abs(forward.y), abs(forward.z))
        var (nearest, farthest) = (Float.infinity, -Float.infinity)
        for box in store.worldBounds where !box.isEmpty && box.minimum.isFinite && box.maximum.isFinite {
            let (middle, half) = (dot(box.center - eye, forward), dot((box.maximum - box.minimum) / 2, across))
            (nearest, farthest) = (min(nearest, middle - half), max(farthest, middle + half))
        }
        guard nearest <= farthest else { return self }
        // Room for rounding of positions and of matrices.
        let margin = 1e-3 * (farthest - nearest) + 1e-5 * max(abs(nearest), abs(farthest)) + 1e-6
        var fitted = self
        fitted.camera.near = max(camera.near, nearest - margin)
        fitted.camera.far = min(camera.far, farthest + margin)
        return fitted.camera.near < fitted.camera.far ? fitted : self
    }
}
