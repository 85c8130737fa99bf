import VitrineGeometry

/// One shape as the GPU reads it: `Instance` of `layerShader`.
struct LayerInstance: BitwiseCopyable {
    /// Columns of the maps from the layer's plane to pixels and back; the fourth numbers are unused.
    var pixelFromLocal = (Vector4(), Vector4(), Vector4())
    var localFromPixel = (Vector4(), Vector4(), Vector4())
    /// Middle and half size of the shape; of a mask, in pixels.
    var rectangle = Vector4()
    /// Corner radius, how far the stroke reaches inwards and outwards, opacity.
    var outline = Vector4()
    /// Premultiplied, linear.
    var fill = Vector4()
    var stroke = Vector4()
    /// `Paint.geometry`.
    var fillGeometry = Vector4()
    var strokeGeometry = Vector4()
    /// Texture coordinates: factors, then offsets.
    var texture = Vector4()
    /// From pixels to the place in the mask's page.
    var mask = Vector4()
    /// The part of the shape that is drawn, from its middle: least x and y, greatest x and y. A side at or beyond the shape's own end is an
    /// outer one.
    var piece = Vector4(-.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .greatestFiniteMagnitude, .greatestFiniteMagnitude)
    /// First clip, number of clips; free.
    var clips = SIMD4<UInt32>()
    /// Of fill and of stroke: first stop, and `Paint.code`.
    var gradients = SIMD4<UInt32>()

    /// Sets both maps.
    mutating func place(_ pixelFromLocal: Homography, _ localFromPixel: Homography) {
        self.pixelFromLocal = (
            Vector4(SIMD3<Float>(pixelFromLocal.u), 0), Vector4(SIMD3<Float>(pixelFromLocal.v), 0),
            Vector4(SIMD3<Float>(pixelFromLocal.one), 0)
        )
        placeInverse(localFromPixel)
    }

    /// Draws no more than what lies around these pixels: a part of a layer that was cut is often small.
    mutating func limit(to corners: [SIMD2<Double>], _ localFromPixel: Homography) {
        guard !corners.isEmpty else { return }
        var (low, high) = (SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity))
        for corner in corners {
            for step in [SIMD2(-2.0, -2.0), SIMD2(2, -2), SIMD2(2, 2), SIMD2(-2, 2)] {
                guard let place = localFromPixel.map(corner + step) else { return }
                (low, high) = (pointwiseMin(low, place), pointwiseMax(high, place))
            }
        }
        let middle = SIMD2(Double(rectangle.x), Double(rectangle.y))
        let (a, b) = (SIMD2<Float>(low - middle), SIMD2<Float>(high - middle))
        let half = Vector2(rectangle.z, rectangle.w) + outline.z
        // Nothing is left of a part that lies outside: a piece without extent is drawn then.
        let (least, most) = (pointwiseMax(a, -half), pointwiseMin(b, half))
        piece = all(least .< most) ? Vector4(lowHalf: least, highHalf: most) : Vector4()
    }

    /// Sets only the map back: masks have their places in pixels.
    mutating func placeInverse(_ map: Homography) {
        // Single precision holds a homography best when its numbers are neither huge nor tiny.
        let largest = max(abs(map.one.x), abs(map.one.y), abs(map.one.z))
        let s = largest > 0 ? 1 / largest : 1
        localFromPixel = (Vector4(SIMD3<Float>(map.u * s), 0), Vector4(SIMD3<Float>(map.v * s), 0), Vector4(SIMD3<Float>(map.one * s), 0))
    }
}

/// What cuts off a shape, as the GPU reads it: `Clip` of `layerShader`.
struct LayerClip: BitwiseCopyable {
    /// Columns of the map from pixels to the clip's plane; the fourth numbers: kind (0: box, 1: ellipse, 2: half-plane), corner radius, free.
    var localFromPixel = (Vector4(), Vector4(), Vector4())
    /// Middle and half size. Of a half-plane: a, b, c of a·x + b·y + c ≥ 0 in pixels, (a, b) of length 1.
    var rectangle = Vector4()

    /// The inside of a rectangle, with round corners, or of the ellipse in it.
    init(_ rectangle: Rectangle, radius: Float, isEllipse: Bool, localFromPixel map: Homography) {
        let largest = max(max(abs(map.one.x), abs(map.one.y)), abs(map.one.z))
        let s = largest > 0 ? 1 / largest : 1
        localFromPixel = (
            Vector4(SIMD3<Float>(map.u * s), isEllipse ? 1 : 0), Vector4(SIMD3<Float>(map.v * s), radius),
            Vector4(SIMD3<Float>(map.one * s), 0)
        )
        self.rectangle = Vector4(lowHalf: rectangle.center, highHalf: rectangle.size / 2)
    }

    /// One side of a line.
    ///
    /// - Parameters: line: a, b, c, of any length. moreBy: Pixels that it reaches over the line.
    init(halfPlane line: SIMD3<Double>, moreBy: Double) {
        var unit = line / max(length(SIMD2(line.x, line.y)), .leastNormalMagnitude)
        unit.z += moreBy
        localFromPixel.0.w = 2
        rectangle = Vector4(SIMD3<Float>(unit), 0)
    }
}
