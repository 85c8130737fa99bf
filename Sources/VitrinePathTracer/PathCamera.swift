import VitrineGeometry
import VitrineMath
import VitrineScene

/// The visible background.
struct PathBackground {
    enum Kind { case none, environment, image }

    let kind: Kind
    let blur: Float
    let ground: GroundProjection?

    init(_ environment: Environment) {
        kind =
            switch environment.background {
            case .transparent, .color: .none
            case .environment: environment.image == nil ? .none : .environment
            case .image: .image
            }
        blur = saturate(environment.backgroundBlur)
        ground = environment.ground
    }
}

/// The rays of a camera, and the radiance of those that hit no surface.
struct PathCamera {
    struct Ray {
        var origin, direction: Vector3
        var length: Float
    }

    let width, height: Int
    private let worldFromCamera: Matrix4
    private let near, far: Float
    /// Half the width and half the height of the image: at distance 1, or in metres.
    private let extent: Vector2
    private let isPerspective: Bool
    private let partOrigin, partSize: Vector2
    /// The aperture in metres; 0 for a pinhole.
    private let aperture: Float
    private let focus: Float
    private let background: PathBackground

    init(_ camera: Camera, worldFromCamera: Matrix4, part: Rectangle?, width: Int, height: Int, _ background: PathBackground) {
        (self.width, self.height, self.worldFromCamera) = (width, height, worldFromCamera)
        (near, far) = (camera.near, camera.far)
        let shape = Float(width) / Float(height)
        let aspect = camera.aspectRatio ?? part.map { shape * $0.size.y / $0.size.x } ?? shape
        switch camera.projection {
        case .perspective(let fieldOfView):
            let slope = tan(fieldOfView.radians / 2)
            (isPerspective, extent) = (true, Vector2(slope * aspect, slope))
            aperture = camera.lens.map { $0.apertureDiameter(fieldOfView: fieldOfView) / 2 } ?? 0
        case .orthographic(let scale): (isPerspective, extent, aperture) = (false, Vector2(scale * aspect, scale), 0)
        }
        focus = camera.lens?.focusDistance ?? 1
        partOrigin = part?.origin ?? Vector2(0, 0)
        partSize = part?.size ?? Vector2(1, 1)
        self.background = background
    }

    /// Returns the camera's ray through a point of the image.
    ///
    /// - Parameters:
    ///   - pixel: The position in pixels from the upper left corner.
    ///   - lens: 0 ..< 1 each.
    func ray(through pixel: Vector2, lens: Vector2) -> Ray {
        let x = partOrigin.x + partSize.x * pixel.x / Float(width)
        let y = partOrigin.y + partSize.y * pixel.y / Float(height)
        let (a, b) = ((2 * x - 1) * extent.x, (1 - 2 * y) * extent.y)
        guard isPerspective else {
            let origin = worldFromCamera.transform(point: Vector3(a, b, -near))
            return Ray(origin: origin, direction: unit(worldFromCamera.transform(direction: Vector3(0, 0, -1))), length: far - near)
        }
        var (from, through) = (Vector3(repeating: 0), Vector3(a, b, -1))
        if aperture > 0 {
            let d = Warp.disc(lens) * aperture
            from = Vector3(d.x, d.y, 0)
            through = (through * focus - from) * (1 / focus)
        }
        let start = from + through * near
        let stretch = dot(through, through).squareRoot()
        return Ray(
            origin: worldFromCamera.transform(point: start), direction: unit(worldFromCamera.transform(direction: through)),
            length: (far - near) * stretch)
    }

    /// Radiance of the visible background, and its alpha.
    ///
    /// - Parameter u: 0 ..< 1 each, for the blur.
    func background(_ environment: EnvironmentLighting, _ origin: Vector3, _ direction: Vector3, _ u: Vector2) -> Vector4 {
        let map: RadianceMap?
        switch background.kind {
        case .none: return Vector4(repeating: 0)
        case .environment: map = environment.map
        case .image: map = environment.backdrop
        }
        guard let map else { return Vector4(0, 0, 0, 1) }
        var d = direction
        if let ground = background.ground { d = ground.direction(ofRayFrom: origin, along: direction) }
        if background.blur > 0 {
            // A mirror of this roughness, seen straight on.
            let x = anyPerpendicular(d)
            let m = Microfacets(roughness: background.blur).sample(Vector3(0, 0, 1), u)
            let l = m * (2 * m.z) - Vector3(0, 0, 1)
            d = unit(x * l.x + cross(d, x) * l.y + d * l.z)
        }
        return Vector4(map.radiance(environment.inMap(d)) * environment.intensity, 1)
    }
}
