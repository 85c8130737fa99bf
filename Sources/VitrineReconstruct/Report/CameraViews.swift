import VitrineMath

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Draws the cameras and the object's points on plans: from above and from the side.
struct CameraViews {
    let summary: ReconstructionSummary

    enum Side { case top, front }

    private static let size = 420.0

    func markup(_ side: Side) -> String {
        var svg = SVG(width: Self.size, height: Self.size)
        let frame = PlanFrame(points: anchors.map { flat($0, side) }, size: Self.size)
        for point in summary.cloudSample.enumerated().lazy.filter({ $0.offset % max(1, summary.cloudSample.count / 1_500) == 0 }).map(
            \.element)
        {
            let (x, y) = frame.position(of: flat(point.position, side))
            guard x > 0, y > 0, x < Self.size, y < Self.size else { continue }
            let color = "rgb(\(point.color.x),\(point.color.y),\(point.color.z))"
            svg.rectangle(x - 0.9, y - 0.9, 1.8, 1.8, "fill=\"\(color)\"")
        }
        if let bounds = summary.bounds, !bounds.isEmpty {
            let (a, b) = (frame.position(of: flat(bounds.minimum, side)), frame.position(of: flat(bounds.maximum, side)))
            svg.rectangle(min(a.0, b.0), min(a.1, b.1), abs(a.0 - b.0), abs(a.1 - b.1), "class=\"bounds\"")
        }
        for photo in summary.photos {
            guard let pose = photo.pose else { continue }
            draw(pose, title: photo.name, side, frame, &svg)
        }
        return svg.markup
    }

    /// Draws a camera as its frustum.
    private func draw(_ pose: PhotogrammetrySession.Pose, title: String, _ side: Side, _ frame: PlanFrame, _ svg: inout SVG) {
        let reach = Float(frame.extent) * 0.06
        let half = reach * Float(pose.intrinsics.width) / Float(2 * max(1, pose.intrinsics.focalLength.x))
        let rise = reach * Float(pose.intrinsics.height) / Float(2 * max(1, pose.intrinsics.focalLength.y))
        let apex = frame.position(of: flat(pose.translation, side))
        let corners = [
            Vector3(-half, -rise, -reach), Vector3(half, -rise, -reach), Vector3(half, rise, -reach), Vector3(-half, rise, -reach),
        ]
        .map { frame.position(of: flat(pose.translation + pose.rotation.rotate($0), side)) }
        var commands = ""
        for index in corners.indices {
            let (a, b) = (corners[index], corners[(index + 1) % 4])
            commands += "M\(n(apex.0)) \(n(apex.1))L\(n(a.0)) \(n(a.1))L\(n(b.0)) \(n(b.1))Z"
        }
        svg.path(commands, "class=\"frustum\"", title: title)
        svg.circle(apex.0, apex.1, 2, "class=\"apex\"")
    }

    /// Everything that must fit on the plan.
    private var anchors: [Vector3] {
        var points = summary.photos.compactMap { $0.pose?.translation }
        if let bounds = summary.bounds, !bounds.isEmpty { points += [bounds.minimum, bounds.maximum] }
        return points
    }

    /// Returns the position of a point on the page, x to the right and y down.
    private func flat(_ point: Vector3, _ side: Side) -> SIMD2<Double> {
        switch side {
        case .top: SIMD2(Double(point.x), Double(point.z))
        case .front: SIMD2(Double(point.x), Double(-point.y))
        }
    }
}

/// Fits a plan into a square.
private struct PlanFrame {
    private let middle: SIMD2<Double>
    private let size: Double
    /// The plan's longer side, in the model's unit.
    let extent: Double

    init(points: [SIMD2<Double>], size: Double) {
        let finite = points.filter { $0.x.isFinite && $0.y.isFinite }
        var (low, high) = (finite.first ?? .zero, finite.first ?? .zero)
        for point in finite {
            low = pointwiseMin(low, point)
            high = pointwiseMax(high, point)
        }
        middle = (low + high) / 2
        extent = max(1e-9, (high - low).max()) * 1.2
        self.size = size
    }

    func position(of point: SIMD2<Double>) -> (Double, Double) {
        let scaled = (point - middle) / extent * size + size / 2
        return (scaled.x, scaled.y)
    }
}
