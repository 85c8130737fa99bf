import VitrineGeometry
import VitrineRender

/// The content of a frame: the shapes of all its surfaces, with their clips and gradient stops.
struct FrameDrawing {
    var instances: [LayerInstance] = []
    var clips: [LayerClip] = []
    var stops: [GradientStop] = []
    /// The number of shapes, not of the pieces in which they are drawn.
    var shapeCount = 0

    /// Clears the lists and keeps their memory.
    mutating func removeAll() {
        instances.removeAll(keepingCapacity: true)
        clips.removeAll(keepingCapacity: true)
        stops.removeAll(keepingCapacity: true)
        shapeCount = 0
    }

    /// Adds the stops of a gradient.
    ///
    /// - Returns: The index of the first stop, the code of the gradient in the shader, and its geometry.
    mutating func add(_ gradient: Gradient, in bounds: Rectangle) -> (first: UInt32, code: UInt32, geometry: Vector4) {
        let first = UInt32(stops.count)
        var last = -Float.infinity
        for stop in gradient.stops.prefix(Gradient.maximumStops) where stop.location.isFinite {
            last = max(last, stop.location)
            stops.append(GradientStop(stop.color, at: last, in: gradient.interpolation))
        }
        let count = UInt32(stops.count) - first
        guard count > 0 else { return (0, 0, Vector4()) }
        let (kind, geometry) = gradient.kind.placed(in: bounds)
        return (first, count | kind << 8 | gradient.interpolation.rawValue << 12, geometry)
    }
}

/// A gradient stop in the layout of the shader.
struct GradientStop: ShaderStructure {
    /// Premultiplied, in the colour space of the gradient's interpolation.
    var color: Vector4
    /// The location, 0…1; the other three components are unused.
    var location: Vector4

    static let name = "Stop"
    static let fields: [ShaderField<GradientStop>] = [.init("color") { $0.color }, .init("location") { $0.location }]

    init(_ color: Color, at location: Float, in interpolation: Gradient.Interpolation) {
        let straight: Vector3
        switch interpolation {
        case .linear: straight = color.linear.xyz
        case .encoded:
            straight = Vector3(sRGBFromLinear(color.linear.x), sRGBFromLinear(color.linear.y), sRGBFromLinear(color.linear.z))
        case .perceptual: straight = oklab(color.linear.xyz)
        }
        let alpha = clamp(color.linear.w, 0, 1)
        (self.color, self.location) = (Vector4(straight * alpha, alpha), Vector4(location, 0, 0, 0))
    }
}

/// Converts a linear Rec. 709 colour to Oklab (Ottosson, *A perceptual colour space for image processing*, 2020).
func oklab(_ c: Vector3) -> Vector3 {
    func root(_ value: Float) -> Float { value < 0 ? -pow(-value, 1 / 3) : pow(value, 1 / 3) }
    let l = root(dot(c, Vector3(0.4122214708, 0.5363325363, 0.0514459929)))
    let m = root(dot(c, Vector3(0.2119034982, 0.6806995451, 0.1073969566)))
    let s = root(dot(c, Vector3(0.0883024619, 0.2817188376, 0.6299787005)))
    let lms = Vector3(l, m, s)
    return Vector3(
        dot(lms, Vector3(0.2104542553, 0.7936177850, -0.0040720468)), dot(lms, Vector3(1.9779984951, -2.4285922050, 0.4505937099)),
        dot(lms, Vector3(0.0259040371, 0.7827717662, -0.8086757660)))
}

extension Gradient.Kind {
    /// Returns the number of the kind in the shader and its geometry in the layer's coordinates.
    fileprivate func placed(in bounds: Rectangle) -> (kind: UInt32, geometry: Vector4) {
        func point(_ unit: Vector2) -> Vector2 { bounds.origin + unit * bounds.size }
        switch self {
        case .linear(let from, let to):
            let (a, b) = (point(from), point(to))
            let squared = lengthSquared(b - a)
            return (0, Vector4(lowHalf: a, highHalf: squared > 0 ? (b - a) / squared : Vector2(0, 0)))
        case .radial(let center, let from, let to):
            let radius = min(bounds.size.x, bounds.size.y) / 2
            let span = (to - from) * radius
            return (1, Vector4(lowHalf: point(center), highHalf: Vector2(from * radius, span != 0 ? 1 / span : 0)))
        case .conic(let center, let start):
            return (2, Vector4(lowHalf: point(center), highHalf: Vector2(start.radians / (2 * .pi), 0)))
        }
    }
}
