import VitrineMath
import VitrineScene

/// From where, and through which lens, a scene is seen.
public struct View: Equatable, Sendable {
    public var camera: Camera
    /// Rigid: the camera looks along its −Z.
    public var worldFromCamera: Matrix4
    /// The part of the camera's picture that is drawn, 0…1 from its upper left corner; it may reach beyond the picture. nil, the default: all
    /// of it. For a picture of which only a part is wanted, and for a camera whose axis doesn't meet the middle of its picture. Not with a lens.
    public var part: Rectangle?

    public init(camera: Camera = Camera(), worldFromCamera: Matrix4, part: Rectangle? = nil) {
        (self.camera, self.worldFromCamera, self.part) = (camera, worldFromCamera, part)
    }

    /// Throws `RenderError.invalidOption` when the camera's lens can't be drawn through, or the part is none.
    public func validate() throws(RenderError) {
        if let part, part.isEmpty || !part.origin.isFinite || !part.size.isFinite {
            throw .invalidOption(name: "view.part", reason: "must be a rectangle with an area")
        }
        guard let lens = camera.lens else { return }
        guard part == nil else { throw .invalidOption(name: "camera.lens", reason: "draws whole pictures only, no part") }
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

    /// Width / height of the camera's whole picture, of which this view has a part of so many pixels.
    func wholeAspectRatio(width: Int, height: Int) -> Float {
        let ratio = Float(width) / Float(height)
        return part.map { ratio * $0.size.y / $0.size.x } ?? ratio
    }

    /// View frame to the clip space of what is drawn: of the part, where there is one.
    ///
    /// - Parameter aspectRatio: of the whole picture.
    func clipFromView(aspectRatio: Float) -> Matrix4 {
        let whole = camera.clipFromView(aspectRatio: aspectRatio)
        guard let part else { return whole }
        let scale = 1 / part.size
        let middle = (part.center * 2 - Vector2(1, 1)) * scale
        return Matrix4(
            Matrix3(Vector3(scale.x, 0, 0), Vector3(0, scale.y, 0), Vector3(0, 0, 1)), translation: Vector3(-middle.x, middle.y, 0)) * whole
    }

    /// The scene's point of view; nil when it has none with a camera.
    public init?(pointOfViewOf scene: Scene) {
        guard let node = scene.pointOfView else { return nil }
        self.init(of: node)
    }

    /// What a node's camera sees; nil when it has none.
    public init?(of node: Node) {
        guard let camera = node.camera else { return nil }
        // A camera's scale is no part of how it sees.
        let transform = Transform(node.worldTransform)
        self.init(camera: camera, worldFromCamera: Transform(translation: transform.translation, rotation: transform.rotation).matrix)
    }

    /// A camera that circles `target`: eye = target + distance · (sin azimuth · cos elevation, sin elevation, cos azimuth · cos elevation).
    public static func orbit(
        target: Vector3, azimuth: Angle, elevation: Angle, distance: Float, fieldOfView: Angle = .degrees(45), near: Float? = nil,
        far: Float = .infinity
    ) -> View {
        let (sinA, cosA) = (sin(azimuth.radians), cos(azimuth.radians))
        let (sinE, cosE) = (sin(elevation.radians), cos(elevation.radians))
        let eye = target + distance * Vector3(sinA * cosE, sinE, cosA * cosE)
        // Straight up or down, the picture's upper edge keeps pointing where it did just before.
        let up = abs(cosE) < 1e-4 ? Vector3(-sinA, 0, -cosA) * (sinE < 0 ? -1 : 1) : .up
        let camera = Camera(projection: .perspective(fieldOfView: fieldOfView), near: near ?? distance * 0.01, far: far)
        return View(camera: camera, worldFromCamera: .lookAt(eye: eye, target: target, up: up))
    }

    /// A camera that sees all of `bounds` from the given side: the sphere around the box touches the nearer edges of the picture.
    ///
    /// - Parameters:
    ///   - azimuth: 0 looks from +Z, 90° from +X.
    ///   - fieldOfView: vertical.
    ///   - aspectRatio: the picture's width / height.
    ///   - margin: how much farther than touching, as a factor.
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
