import VitrineMath
import VitrineScene

/// A lens as many pinholes: each frame of a still is rendered from another point of the aperture, all with the same plane in focus.
enum LensSampling {
    /// Points of the unit disc, evenly distributed, in an order uncorrelated with `PixelFilter.offsets`.
    static func points(count: Int) -> [Vector2] {
        guard count > 1 else { return [Vector2(0, 0)] }
        let stride = coprime(near: Float(count) * 0.618, to: count)
        let goldenAngle: Float = 2.399_963_2
        return (0..<count).map { index in
            // Vogel's spiral (1979).
            let number = index * stride % count
            let radius = ((Float(number) + 0.5) / Float(count)).squareRoot()
            let angle = Float(number) * goldenAngle
            return Vector2(radius * cos(angle), radius * sin(angle))
        }
    }

    /// The camera moved to a point of its aperture, and the shift of the image, as in `RenderOptions.subpixelOffset`, that keeps the
    /// plane in focus fixed. The remaining lens is the part of the aperture that one of `count` points represents.
    static func view(_ view: View, through point: Vector2, width: Int, height: Int, count: Int) -> (View, shift: Vector2) {
        guard let lens = view.camera.lens, case .perspective(let fieldOfView) = view.camera.projection else { return (view, Vector2(0, 0)) }
        let offset = point * (lens.apertureDiameter(fieldOfView: fieldOfView) / 2)
        var moved = view
        moved.worldFromCamera = view.worldFromCamera * Matrix4(translation: Vector3(offset.x, offset.y, 0))
        moved.camera.lens?.fNumber = min(lens.fNumber * Float(count).squareRoot(), 1000)
        let pixelsPerMetre = Float(height) / 2 / (tan(fieldOfView.radians / 2) * lens.focusDistance)
        // A fixed aspect ratio stretches the image horizontally.
        let aspect = view.camera.aspectRatio ?? Float(width) / Float(height)
        let across = pixelsPerMetre * Float(width) / Float(height) / aspect
        return (moved, Vector2(-offset.x * across, offset.y * pixelsPerMetre))
    }

    private static func coprime(near value: Float, to count: Int) -> Int {
        var candidate = max(Int(value), 1)
        while greatestCommonDivisor(candidate, count) != 1 { candidate += 1 }
        return candidate
    }

    private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : greatestCommonDivisor(b, a % b) }
}
