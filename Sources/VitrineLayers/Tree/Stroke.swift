import VitrineMath

/// A stroke along the outline of a shape.
public struct Stroke: Equatable, Sendable {
    /// The position of a stroke relative to the outline.
    public enum Placement: Equatable, Hashable, Sendable {
        /// The whole width is inside the outline.
        case inside
        /// The stroke is centred on the outline, with half of its width on each side.
        case center
        /// The whole width is outside the outline.
        case outside
    }
    /// The ends of open outlines.
    public enum Cap: Equatable, Hashable, Sendable {
        /// Ends at the end point.
        case butt
        /// A semicircle around the end point.
        case round
        /// Extends beyond the end point by half the width.
        case square
    }
    /// The corners of paths. Rectangles have sharp or rounded corners by their corner radius.
    public enum Join: Equatable, Hashable, Sendable {
        /// A pointed corner, or a bevel beyond the mitre limit.
        case miter
        /// A rounded corner.
        case round
        /// A corner that is cut off.
        case bevel
    }

    /// The colour or gradient of a stroke.
    public enum Paint: Equatable, Sendable {
        /// One colour.
        case color(Color)
        /// A gradient across the layer's bounds.
        case gradient(Gradient)
    }

    /// The colour or gradient.
    public var paint: Paint
    /// The width in points.
    public var width: Float
    /// The position relative to the outline. Default: centre. The stroke of an open outline is always centred.
    public var placement: Placement
    /// The shape of the ends. Default butt.
    public var cap: Cap
    /// The shape of the corners. Default mitre.
    public var join: Join
    /// The largest length of a mitre in half widths; longer ones are bevelled. Default 10.
    public var miterLimit: Float
    /// The alternating lengths of dashes and gaps in points, starting `dashPhase` into the pattern. Empty for a continuous line.
    public var dashes: [Float]
    /// The offset in points into the pattern of dashes.
    public var dashPhase: Float

    /// Creates a stroke.
    public init(
        _ paint: Paint, width: Float = 1, placement: Placement = .center, cap: Cap = .butt, join: Join = .miter, miterLimit: Float = 10,
        dashes: [Float] = [], dashPhase: Float = 0
    ) {
        (self.paint, self.width, self.placement, self.cap, self.join) = (paint, width, placement, cap, join)
        (self.miterLimit, self.dashes, self.dashPhase) = (miterLimit, dashes, dashPhase)
    }

    /// Creates a stroke of one colour.
    public init(_ color: Color, width: Float = 1, placement: Placement = .center) {
        self.init(.color(color), width: width, placement: placement)
    }

    /// The stroke's geometry, without its paint.
    var outline: Stroke {
        var outline = self
        outline.paint = .color(.clear)
        return outline
    }

    /// The extents on both sides of the outline.
    var reach: (inside: Float, outside: Float) {
        guard width > 0, width.isFinite else { return (0, 0) }
        switch placement {
        case .inside: return (width, 0)
        case .center: return (width / 2, width / 2)
        case .outside: return (0, width)
        }
    }
}
