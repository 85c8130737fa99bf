import VitrineMath

/// The rule that defines the interior of a path that intersects itself.
public enum FillRule: Equatable, Hashable, Sendable {
    /// Points with a winding number other than 0.
    case nonZero
    /// Points with an odd winding number.
    case evenOdd
}

/// An outline of lines and curves in the plane, x to the right and y up, in metres.
///
/// ```swift
/// var leaf = Path()
/// leaf.move(to: [0, 0])
/// leaf.cubic(to: [0, 1], control1: [0.6, 0.3], control2: [0.4, 0.8])
/// leaf.cubic(to: [0, 0], control1: [-0.4, 0.8], control2: [-0.6, 0.3])
/// leaf.close()
/// let pendant = try Geometry.extruded(leaf, depth: 0.1, bevel: Bevel(radius: 0.03))
/// let heart = try Path(svg: "M50 90 C-40 30 20 -20 50 20 C80 -20 140 30 50 90 Z")
/// ```
///
/// Several outlines of one path may overlap, intersect and nest: `FillRule` defines the interior. For filling, open outlines are closed with a
/// line.
public struct Path: Equatable, Sendable {
    /// An element of a path.
    package enum Element: Equatable, Sendable {
        case move(Vector2)
        case line(Vector2)
        case quadratic(Vector2, control: Vector2)
        case cubic(Vector2, control1: Vector2, control2: Vector2)
        /// A line back to the last `move`.
        case close
    }

    /// The maximum number of line segments of a filled path.
    public static let maximumPieces = 32_768

    /// The elements, in order.
    package private(set) var elements: [Element] = []
    /// The end of the last element and the start of the next one.
    public private(set) var currentPoint = Vector2(0, 0)
    private var start = Vector2(0, 0)

    /// Creates an empty path.
    public init() {}

    /// Whether the path has no elements.
    public var isEmpty: Bool { elements.isEmpty }

    // MARK: Drawing

    /// Starts an outline.
    public mutating func move(to point: Vector2) {
        elements.append(.move(point))
        (currentPoint, start) = (point, point)
    }

    /// Adds a line to a point. Lines and curves without a `move` before them start at the origin.
    public mutating func line(to point: Vector2) {
        begin()
        elements.append(.line(point))
        currentPoint = point
    }

    /// Appends a quadratic Bézier curve.
    public mutating func quadratic(to point: Vector2, control: Vector2) {
        begin()
        elements.append(.quadratic(point, control: control))
        currentPoint = point
    }

    /// Appends a cubic Bézier curve.
    public mutating func cubic(to point: Vector2, control1: Vector2, control2: Vector2) {
        begin()
        elements.append(.cubic(point, control1: control1, control2: control2))
        currentPoint = point
    }

    /// Closes an outline with a line to its start, which becomes the current point.
    public mutating func close() {
        guard let last = elements.last, last != .close else { return }
        elements.append(.close)
        currentPoint = start
    }

    /// Starts the next outline after `close` at the start of the last one.
    private mutating func begin() {
        if elements.isEmpty || elements.last == .close { move(to: currentPoint) }
    }

    /// Adds an elliptical arc around `center`, preceded by a line to its start, or starts a new outline there. Angles are counter-clockwise from +x;
    /// with `end` below `start`, the arc is clockwise.
    ///
    /// The arc is approximated by cubic curves of at most 45° with an error of at most 5 · 10⁻⁶ of the radius.
    public mutating func arc(center: Vector2, radii: Vector2, start: Angle, end: Angle) {
        let from = center + radii * Vector2(cos(start.radians), sin(start.radians))
        if elements.isEmpty || elements.last == .close { move(to: from) } else { line(to: from) }
        addArc(center: center, axes: (Vector2(radii.x, 0), Vector2(0, radii.y)), start: start.radians, sweep: end.radians - start.radians)
    }

    /// Adds the curves of an arc from the current point: the points `center + cos(a) · axes.0 + sin(a) · axes.1`.
    mutating func addArc(center: Vector2, axes: (Vector2, Vector2), start: Float, sweep: Float, end: Vector2? = nil) {
        guard sweep.isFinite, sweep != 0 else { return }
        let count = Int((min(abs(sweep), 1000) / (.pi / 4)).rounded(.up))
        let step = sweep / Float(count)
        // The length of the handle with which the midpoint of the curve is on the circle.
        let handle = 4 / 3 * tan(step / 4)
        func point(_ a: Float) -> Vector2 { center + axes.0 * cos(a) + axes.1 * sin(a) }
        func direction(_ a: Float) -> Vector2 { axes.1 * cos(a) - axes.0 * sin(a) }
        for number in 0..<count {
            let (a, b) = (start + Float(number) * step, start + Float(number + 1) * step)
            let to = number == count - 1 ? end ?? point(b) : point(b)
            cubic(to: to, control1: currentPoint + direction(a) * handle, control2: to - direction(b) * handle)
        }
    }

    // MARK: Transforms

    /// Adds another path's outlines.
    public mutating func append(_ other: Path) {
        elements += other.elements
        (currentPoint, start) = (other.currentPoint, other.start)
    }

    /// Returns the path with every point mapped by a function. Curves keep their kind, so a map that is not affine gives an approximation.
    public func mapPoints(_ move: (Vector2) -> Vector2) -> Path {
        var moved = self
        moved.elements = elements.map { element in
            switch element {
            case .move(let point): .move(move(point))
            case .line(let point): .line(move(point))
            case .quadratic(let point, let control): .quadratic(move(point), control: move(control))
            case .cubic(let point, let first, let second): .cubic(move(point), control1: move(first), control2: move(second))
            case .close: .close
            }
        }
        (moved.currentPoint, moved.start) = (move(currentPoint), move(start))
        return moved
    }

    /// Returns the path moved by an offset.
    public func translated(by offset: Vector2) -> Path { mapPoints { $0 + offset } }
    /// Returns the path scaled about the origin.
    public func scaled(by factor: Float) -> Path { mapPoints { $0 * factor } }

    /// Returns the path scaled and moved so that its control bounds are centred at the origin and have this height, or this width if it is given.
    public func fitted(width: Float? = nil, height: Float? = nil) -> Path {
        guard let box = controlBounds else { return self }
        let size = box.maximum - box.minimum
        var factor = Float.infinity
        if let width, size.x > 0 { factor = min(factor, width / size.x) }
        if let height, size.y > 0 { factor = min(factor, height / size.y) }
        if !factor.isFinite { factor = 1 }
        let middle = (box.minimum + box.maximum) / 2
        return mapPoints { ($0 - middle) * factor }
    }

    /// The bounds of all points, including control points of curves; nil for an empty path.
    public var controlBounds: (minimum: Vector2, maximum: Vector2)? {
        var (least, most) = (Vector2(repeating: .infinity), Vector2(repeating: -.infinity))
        func add(_ point: Vector2) { (least, most) = (pointwiseMin(least, point), pointwiseMax(most, point)) }
        for element in elements {
            switch element {
            case .move(let point), .line(let point): add(point)
            case .quadratic(let point, let control):
                add(point)
                add(control)
            case .cubic(let point, let first, let second):
                add(point)
                add(first)
                add(second)
            case .close: break
            }
        }
        return least.x <= most.x ? (least, most) : nil
    }
}

extension Path {
    /// Creates a rectangle around the origin; counter-clockwise, as all shapes here.
    public static func rectangle(width: Float, height: Float) -> Path {
        polygon([Vector2(-width, -height) / 2, Vector2(width, -height) / 2, Vector2(width, height) / 2, Vector2(-width, height) / 2])
    }

    /// Creates a rectangle around the origin with rounded corners.
    ///
    /// - Parameter cornerRadius: The radius of the corners, clamped to half the shorter side.
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

    /// Creates an ellipse around `center`.
    public static func ellipse(center: Vector2 = Vector2(0, 0), radii: Vector2) -> Path {
        var path = Path()
        path.arc(center: center, radii: radii, start: .zero, end: .degrees(360))
        path.close()
        return path
    }

    /// Creates a circle.
    public static func circle(center: Vector2 = Vector2(0, 0), radius: Float) -> Path {
        ellipse(center: center, radii: Vector2(repeating: radius))
    }

    /// Creates a polygon through these points.
    public static func polygon(_ points: [Vector2]) -> Path {
        var path = Path()
        for (number, point) in points.enumerated() {
            if number == 0 { path.move(to: point) } else { path.line(to: point) }
        }
        path.close()
        return path
    }

    /// Creates a star around the origin, with one point up.
    ///
    /// - Parameters:
    ///   - points: The number of points, at least 2.
    ///   - radius: The radius of the points.
    ///   - innerRadius: The radius of the corners between the points.
    public static func star(points: Int = 5, radius: Float, innerRadius: Float) -> Path {
        let count = max(points, 2)
        return polygon(
            (0..<2 * count).map { number in
                let angle = .pi / 2 + .pi * Float(number) / Float(count)
                return Vector2(cos(angle), sin(angle)) * (number % 2 == 0 ? radius : innerRadius)
            })
    }
}
