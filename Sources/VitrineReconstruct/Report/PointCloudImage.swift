import VitrineMath
import VitrineScene

/// Draws a point cloud without a GPU: each point a small square, the nearest on top.
struct PointCloudImage {
    let points: [PhotogrammetrySession.PointCloud.Point]
    let bounds: BoundingBox

    /// Viewed from `azimuth` and `elevation` (degrees), in parallel projection.
    func image(azimuth: Float, elevation: Float, side: Int) -> Image? {
        guard !bounds.isEmpty, side > 0 else { return nil }
        let (a, e) = (Angle.degrees(azimuth).radians, Angle.degrees(elevation).radians)
        let back = Vector3(sin(a) * cos(e), sin(e), cos(a) * cos(e))
        let right = normalize(cross(Vector3.up, back))
        let up = cross(back, right)
        let scale = Float(side) / max(bounds.radius * 2.05, 1e-9)
        var depths = [Float](repeating: -.infinity, count: side * side)
        var bytes = [UInt8](repeating: 255, count: side * side * 4)
        for pixel in 0..<side * side { (bytes[pixel * 4], bytes[pixel * 4 + 1], bytes[pixel * 4 + 2]) = (24, 27, 32) }
        let dot = points.count > 8_000 ? 1 : 2
        for point in points {
            let offset = point.position - bounds.center
            let x = VitrineMath.dot(offset, right) * scale + Float(side) / 2
            let y = Float(side) / 2 - VitrineMath.dot(offset, up) * scale
            let depth = VitrineMath.dot(offset, back)
            guard x.isFinite, y.isFinite, x >= 0, y >= 0, x < Float(side), y < Float(side) else { continue }
            for row in Int(y)...min(side - 1, Int(y) + dot) {
                for column in Int(x)...min(side - 1, Int(x) + dot) where depth > depths[row * side + column] {
                    let pixel = row * side + column
                    depths[pixel] = depth
                    for channel in 0..<3 { bytes[pixel * 4 + channel] = point.color[channel] }
                }
            }
        }
        return try? Image(width: side, height: side, format: .rgba8, bytes: bytes)
    }
}
