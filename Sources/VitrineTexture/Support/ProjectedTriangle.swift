import VitrineMath

/// A triangle in an image: its corners, and the inverse depth at each pixel, which is linear in the image.
struct ProjectedTriangle {
    /// The corners in pixels.
    let corners: (Vector2, Vector2, Vector2)
    /// The inverse depths at the corners.
    let inverseDepths: Vector3
    /// Twice the area, in square pixels; negative if the triangle shows its front.
    let area: Float
    /// The change of the inverse depth per pixel to the right and per pixel down.
    let slope: Vector2

    /// Projects a triangle.
    ///
    /// - Parameters: The corners as `Projection.homogeneous` returns them: pixels times depth, and the depth.
    /// - Returns: nil if the triangle reaches behind the camera, or has no area.
    init?(_ a: Vector3, _ b: Vector3, _ c: Vector3) {
        guard min(a.z, min(b.z, c.z)) > 0 else { return nil }
        let (wa, wb, wc) = (1 / a.z, 1 / b.z, 1 / c.z)
        let (p, q, r) = (Vector2(a.x, a.y) * wa, Vector2(b.x, b.y) * wb, Vector2(c.x, c.y) * wc)
        let (e, f) = (q - p, r - p)
        let area = e.x * f.y - e.y * f.x
        guard area != 0 else { return nil }
        (corners, inverseDepths, self.area) = ((p, q, r), Vector3(wa, wb, wc), area)
        slope = Vector2(((wb - wa) * f.y - (wc - wa) * e.y) / area, ((wc - wa) * e.x - (wb - wa) * f.x) / area)
    }

    /// The inverse depth at the centre of a pixel.
    @inline(__always) func inverseDepth(x: Int, y: Int) -> Float {
        inverseDepths.x + (Float(x) + 0.5 - corners.0.x) * slope.x + (Float(y) + 0.5 - corners.0.y) * slope.y
    }

    /// Calls `body` for each row with its range of pixels: see `TriangleRaster`.
    @inline(__always) func scan(width: Int, height: Int, _ body: (_ y: Int, _ xs: Range<Int>) -> Void) {
        TriangleRaster.scan(corners.0, corners.1, corners.2, width: width, height: height, body)
    }
}
