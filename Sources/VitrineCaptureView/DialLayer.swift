/// The dial: a ring for each height with a segment for each direction, seen from above; the camera at the bottom is at azimuth 0.
final class DialLayer {
    let layer = Layer(name: "dial")
    private var segments: [[Layer]] = []
    private let marker = Layer(name: "camera")
    private let fraction: CaptureLabel
    private let radius: Float

    /// Radii of the rings, low to high, as parts of the dial's.
    private static let rings: [ClosedRange<Float>] = [0.78...1, 0.55...0.74, 0.34...0.51]

    init(radius: Float, font: Font?) {
        self.radius = radius
        layer.bounds = Rectangle(x: -radius, y: -radius, width: 2 * radius, height: 2 * radius)
        let count = CaptureDial.directionCount
        for ring in Self.rings {
            segments.append((0..<count).map { Self.segment($0, of: count, ring.lowerBound * radius, ring.upperBound * radius) })
        }
        for segment in segments.joined() { layer.add(segment) }
        var triangle = Path()
        triangle.move(to: Vector2(0, -7))
        triangle.line(to: Vector2(6.5, 6))
        triangle.line(to: Vector2(0, 3))
        triangle.line(to: Vector2(-6.5, 6))
        triangle.close()
        marker.shape = .path(triangle)
        marker.bounds = Rectangle(x: -7, y: -7, width: 14, height: 14)
        marker.fill = .color(CaptureStyle.ink)
        marker.stroke = Stroke(.black, width: 1, placement: .outside)
        layer.add(marker)
        fraction = CaptureLabel(size: 0.24 * radius, font: font)
        layer.add(fraction.layer)
        layer.allowsHitTesting = false
    }

    private static func segment(_ index: Int, of count: Int, _ inner: Float, _ outer: Float) -> Layer {
        let step = 2 * Float.pi / Float(count)
        let gap: Float = 1.2
        var path = Path()
        func point(_ radius: Float, _ angle: Float) -> Vector2 { Vector2(radius * sin(angle), radius * cos(angle)) }
        for (number, radius) in [inner, outer].enumerated() {
            let (from, to) = (step * Float(index) + gap / radius, step * Float(index + 1) - gap / radius)
            for part in 0...3 {
                let share = Float(number == 0 ? part : 3 - part) / 3
                let vertex = point(radius, from + (to - from) * share)
                if number == 0, part == 0 { path.move(to: vertex) } else { path.line(to: vertex) }
            }
        }
        path.close()
        let layer = Layer(name: "segment", bounds: Rectangle(x: -outer, y: -outer, width: 2 * outer, height: 2 * outer))
        layer.shape = .path(path)
        return layer
    }

    func update(_ dial: CaptureDial, isActive: Bool) {
        layer.isHidden = !isActive
        for height in CaptureDial.Height.allCases {
            for direction in 0..<CaptureDial.directionCount {
                let isCovered = dial.covered[height.rawValue][direction]
                let hasShot = dial.counts[height.rawValue][direction] > 0
                segments[height.rawValue][direction].fill = .color(
                    isCovered ? CaptureStyle.accent : hasShot ? CaptureStyle.soft : CaptureStyle.faint)
            }
        }
        fraction.set("\(Int((dial.fraction * 100).rounded())) %")
        fraction.layer.position = Vector2(0, 0)
        marker.isHidden = dial.camera == nil
        if let camera = dial.camera {
            let ring = Self.rings[CaptureDial.height(atElevation: camera.elevation).rawValue]
            let angle = Float(camera.azimuth)
            let distance = (ring.lowerBound + ring.upperBound) / 2 * radius
            marker.position = Vector2(distance * sin(angle), distance * cos(angle))
            // It points at the object.
            marker.transform = Matrix4(Matrix3(Quaternion(angle: Angle(radians: -angle), axis: Vector3(0, 0, 1))))
        }
    }
}
