import VitrineMath
import VitrineVision

extension OrientedBox {
    /// The outline of the box in a photo: 255 inside, 0 elsewhere; nil if the box surrounds the camera or covers the whole photo.
    ///
    /// The object is inside: depth need not be estimated elsewhere. Includes the lens distortion along the box's edges.
    ///
    /// - Parameter margin: The distance by which the outline is enlarged, pixels.
    func outline(in camera: PosedCamera, margin: Double = 3) -> MaskPlane? {
        let intrinsics = camera.intrinsics
        var pixels: [Vector2d] = []
        for point in edgePoints {
            let inCamera = camera.cameraFromWorld * point
            guard inCamera.z > 1e-3 * longestSide else { return nil }
            let pixel = intrinsics.project(inCamera)
            guard pixel.x.isFinite, pixel.y.isFinite else { return nil }
            pixels.append(pixel)
        }
        let hull = Polygon.convexHull(pixels)
        guard hull.count >= 3 else { return nil }
        var mask = MaskPlane(width: intrinsics.width, height: intrinsics.height, repeating: 0)
        for y in 0..<mask.height {
            guard let span = OrientedBox.span(of: hull, atY: Double(y) + 0.5, margin: margin) else { continue }
            let first = max(0, Int(clamp(span.lower - margin, -1, Double(mask.width)).rounded(.down)))
            let last = min(mask.width - 1, Int(clamp(span.upper + margin, -1, Double(mask.width)).rounded(.up)))
            if first <= last { for x in first...last { mask[x, y] = 255 } }
        }
        return mask.values.contains(0) ? mask : nil
    }

    /// Points along all twelve edges, so that lens distortion applies to them.
    private var edgePoints: [Vector3d] {
        let corners = corners
        var points: [Vector3d] = []
        for (a, b) in [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7)] {
            for step in 0...8 { points.append(mix(corners[a], corners[b], Double(step) / 8)) }
        }
        return points
    }

    /// The part of a row of pixels inside a convex polygon that is moved up and down by `margin`.
    private static func span(of hull: [Vector2d], atY y: Double, margin: Double) -> (lower: Double, upper: Double)? {
        var (lower, upper) = (Double.infinity, -Double.infinity)
        for (index, a) in hull.enumerated() {
            let b = hull[(index + 1) % hull.count]
            for row in [y - margin, y, y + margin] where min(a.y, b.y) <= row && row <= max(a.y, b.y) {
                let t = a.y == b.y ? 0 : (row - a.y) / (b.y - a.y)
                for x in a.y == b.y ? [a.x, b.x] : [a.x + (b.x - a.x) * t] { (lower, upper) = (min(lower, x), max(upper, x)) }
            }
            if abs(a.y - y) <= margin { (lower, upper) = (min(lower, a.x), max(upper, a.x)) }
        }
        return lower <= upper ? (lower, upper) : nil
    }
}
