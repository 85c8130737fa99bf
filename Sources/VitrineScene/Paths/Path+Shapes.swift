import VitrineMath

extension Path {
    /// A rectangle around the origin; counter-clockwise, as all shapes here.
    public static func rectangle(width: Float, height: Float) -> Path {
        polygon([Vector2(-width, -height) / 2, Vector2(width, -height) / 2, Vector2(width, height) / 2, Vector2(-width, height) / 2])
    }

    /// A rectangle around the origin with round corners.
    ///
    /// - Parameter cornerRadius: Held to half the shorter side.
    public static func roundedRectangle(width: Float, height: Float, cornerRadius: Float) -> Path {
        let radius = clamp(cornerRadius, 0, min(width, height) / 2)
        guard radius > 0 else { return rectangle(width: width, height: height) }
        let inner = Vector2(width, height) / 2 - radius
        var path = Path()
        let corners: [Vector2] = [[1, 1], [-1, 1], [-1, -1], [1, -1]]
        for (number, corner) in corners.enumerated() {
            let start = Angle.degrees(Float(number) * 90)
            path.arc(center: corner * inner, radii: Vector2(repeating: radius), start: start, end: start + .degrees(90))
        }
        path.close()
        return path
    }

    /// An ellipse around `center`.
    public static func ellipse(center: Vector2 = Vector2(0, 0), radii: Vector2) -> Path {
        var path = Path()
        path.arc(center: center, radii: radii, start: .zero, end: .degrees(360))
        path.close()
        return path
    }

    /// A circle.
    public static func circle(center: Vector2 = Vector2(0, 0), radius: Float) -> Path {
        ellipse(center: center, radii: Vector2(repeating: radius))
    }

    /// Straight lines through these points and back to the first.
    public static func polygon(_ points: [Vector2]) -> Path {
        var path = Path()
        for (number, point) in points.enumerated() {
            if number == 0 { path.move(to: point) } else { path.line(to: point) }
        }
        path.close()
        return path
    }

    /// A star around the origin, one point up.
    ///
    /// - Parameters: points: At least 2. radius: Of the points. innerRadius: Of the corners between them.
    public static func star(points: Int = 5, radius: Float, innerRadius: Float) -> Path {
        let count = max(points, 2)
        return polygon(
            (0..<2 * count).map { number in
                let angle = .pi / 2 + .pi * Float(number) / Float(count)
                return Vector2(cos(angle), sin(angle)) * (number % 2 == 0 ? radius : innerRadius)
            })
    }
}
