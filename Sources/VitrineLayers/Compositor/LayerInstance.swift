import VitrineGeometry
import VitrineRender

/// The region of a target in pixels.
struct LayerTarget: ShaderStructure {
    /// The upper left corner, in the pixels of the instances.
    var origin: Vector2
    /// The size in pixels.
    var size: Vector2

    init(_ region: PixelRectangle) {
        (origin, size) = (Vector2(Float(region.x), Float(region.y)), Vector2(Float(region.width), Float(region.height)))
    }

    static let name = "Frame"
    static let fields: [ShaderField<LayerTarget>] = [.init("origin") { $0.origin }, .init("size") { $0.size }]
}

/// A shape in the layout of the shader.
struct LayerInstance: ShaderStructure {
    /// The maps from the layer's plane to pixels and back.
    var pixelFromLocal = ShaderHomography()
    var localFromPixel = ShaderHomography()
    /// The centre and half size of the shape; for a mask, in pixels.
    var rectangle = Vector4()
    /// The corner radius, the stroke's extents inside and outside, the opacity.
    var outline = Vector4()
    /// The fill colour, premultiplied and linear.
    var fill = Vector4()
    var stroke = Vector4()
    /// `Paint.geometry`.
    var fillGeometry = Vector4()
    var strokeGeometry = Vector4()
    /// The factors and offsets of texture coordinates.
    var texture = Vector4()
    /// The offset from pixels to the mask's position in its page, and the page.
    var mask = Vector4()
    /// The part of the shape to draw, relative to its centre: minimum x and y, maximum x and y. A side at or beyond the shape's edge is an outer
    /// side.
    var piece = Vector4(-.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .greatestFiniteMagnitude, .greatestFiniteMagnitude)
    /// The index of the first clip and the number of clips.
    var firstClip: UInt32 = 0, clipCount: UInt32 = 0
    /// The index of the first stop of the fill's gradient, and the gradient's code: number of stops, kind and interpolation. Code 0 for no gradient.
    var fillStop: UInt32 = 0, fillGradient: UInt32 = 0
    /// The same for the stroke's gradient.
    var strokeStop: UInt32 = 0, strokeGradient: UInt32 = 0

    static let name = "Instance"
    static let fields: [ShaderField<LayerInstance>] = [
        .init("pixelFromLocal") { $0.pixelFromLocal }, .init("localFromPixel") { $0.localFromPixel },
        .init("rectangle") { $0.rectangle }, .init("outline") { $0.outline }, .init("fill") { $0.fill }, .init("stroke") { $0.stroke },
        .init("fillGeometry") { $0.fillGeometry }, .init("strokeGeometry") { $0.strokeGeometry }, .init("texture") { $0.texture },
        .init("mask") { $0.mask }, .init("piece") { $0.piece }, .init("firstClip") { $0.firstClip }, .init("clipCount") { $0.clipCount },
        .init("fillStop") { $0.fillStop }, .init("fillGradient") { $0.fillGradient }, .init("strokeStop") { $0.strokeStop },
        .init("strokeGradient") { $0.strokeGradient },
    ]

    /// Sets both maps.
    mutating func setMaps(_ pixelFromLocal: Homography, _ localFromPixel: Homography) {
        self.pixelFromLocal = ShaderHomography(
            u: Vector4(SIMD3<Float>(pixelFromLocal.u), 0), v: Vector4(SIMD3<Float>(pixelFromLocal.v), 0),
            one: Vector4(SIMD3<Float>(pixelFromLocal.one), 0))
        setInverseMap(localFromPixel)
    }

    /// Limits the drawn part to the surroundings of these pixels, because a part of a cut layer is often small.
    mutating func limit(to corners: [SIMD2<Double>], _ localFromPixel: Homography) {
        guard !corners.isEmpty else { return }
        var (low, high) = (SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity))
        for corner in corners {
            for step in [SIMD2(-2.0, -2.0), SIMD2(2, -2), SIMD2(2, 2), SIMD2(-2, 2)] {
                guard let point = localFromPixel.map(corner + step) else { return }
                (low, high) = (pointwiseMin(low, point), pointwiseMax(high, point))
            }
        }
        let middle = SIMD2(Double(rectangle.x), Double(rectangle.y))
        let (a, b) = (SIMD2<Float>(low - middle), SIMD2<Float>(high - middle))
        let half = Vector2(rectangle.z, rectangle.w) + outline.z
        // A part outside the shape becomes an empty piece.
        let (least, most) = (pointwiseMax(a, -half), pointwiseMin(b, half))
        piece = all(least .< most) ? Vector4(lowHalf: least, highHalf: most) : Vector4()
    }

    /// Sets only the inverse map, because masks are positioned in pixels.
    mutating func setInverseMap(_ map: Homography) {
        // Normalized, to preserve the precision of single-precision numbers.
        let largest = max(abs(map.one.x), abs(map.one.y), abs(map.one.z))
        let s = largest > 0 ? 1 / largest : 1
        localFromPixel = ShaderHomography(
            u: Vector4(SIMD3<Float>(map.u * s), 0), v: Vector4(SIMD3<Float>(map.v * s), 0), one: Vector4(SIMD3<Float>(map.one * s), 0))
    }
}

/// A clip of a shape in the layout of the shader.
struct LayerClip: ShaderStructure {
    /// The map from pixels to the clip's plane; the fourth components are the kind (0: box, 1: ellipse, 2: half-plane), the corner radius, and
    /// unused.
    var localFromPixel = ShaderHomography()
    /// The centre and half size; for a half-plane a, b and c of a·x + b·y + c ≥ 0 in pixels, with (a, b) of length 1.
    var rectangle = Vector4()

    static let name = "Clip"
    static let fields: [ShaderField<LayerClip>] = [
        .init("localFromPixel") { $0.localFromPixel }, .init("rectangle") { $0.rectangle },
    ]

    /// Creates a clip to a rounded rectangle, or to the ellipse in a rectangle.
    init(_ rectangle: Rectangle, radius: Float, isEllipse: Bool, localFromPixel map: Homography) {
        let largest = max(max(abs(map.one.x), abs(map.one.y)), abs(map.one.z))
        let s = largest > 0 ? 1 / largest : 1
        localFromPixel = ShaderHomography(
            u: Vector4(SIMD3<Float>(map.u * s), isEllipse ? 1 : 0), v: Vector4(SIMD3<Float>(map.v * s), radius),
            one: Vector4(SIMD3<Float>(map.one * s), 0))
        self.rectangle = Vector4(lowHalf: rectangle.center, highHalf: rectangle.size / 2)
    }

    /// Creates a clip to a half-plane.
    ///
    /// - Parameters:
    ///  - line: a, b and c, of any length.
    ///  - moreBy: The distance in pixels by which the clip extends beyond the line.
    init(halfPlane line: SIMD3<Double>, moreBy: Double) {
        var unit = line / max(length(SIMD2(line.x, line.y)), .leastNormalMagnitude)
        unit.z += moreBy
        localFromPixel.u.w = 2
        rectangle = Vector4(SIMD3<Float>(unit), 0)
    }
}
