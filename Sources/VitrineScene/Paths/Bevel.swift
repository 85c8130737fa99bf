import VitrineMath

/// Chamfered or rounded edges between the side of an extruded path and its front and back.
///
/// The outline keeps its size: the front becomes smaller by `radius`. If a piece of the path (an outline with its holes) is too narrow, its bevel is
/// reduced uniformly to 95 % of the widest one whose front does not intersect itself or vanish. A bevel is at most as deep as half the shape, or
/// as the shape if only one side has a bevel.
public struct Bevel: Equatable, Hashable, Sendable {
    /// The size of the bevel in metres, on the front and on the side; 0 for a sharp edge.
    public var radius: Float
    /// The number of facets of a quarter circle, shaded smoothly; 1 gives one flat facet at 45°. 1…64, default 6.
    public var segments: Int
    /// Whether the front and the back edges are bevelled. Default true.
    public var front, back: Bool

    /// Creates a bevel with this radius in metres.
    public init(radius: Float, segments: Int = 6, front: Bool = true, back: Bool = true) {
        (self.radius, self.segments, self.front, self.back) = (radius, segments, front, back)
    }

    /// A bevel of radius 0, for sharp edges.
    public static var none: Bevel { Bevel(radius: 0, segments: 1, front: false, back: false) }

    /// The steps from the side to the front: inset and height as fractions of the radius, and the outward and forward components of the normal.
    var steps: [(inset: Double, rise: Double, normal: (out: Float, forward: Float))] {
        let count = clamp(segments, 1, 64)
        guard count > 1 else {
            let half = Float(0.5).squareRoot()
            return [(0, 0, (half, half)), (1, 1, (half, half))]
        }
        return (0...count).map { step in
            let angle = Double.pi / 2 * Double(step) / Double(count)
            let (s, c) = step == 0 ? (0, 1) : step == count ? (1, 0) : (sin(angle), cos(angle))
            return (1 - c, s, (Float(c), Float(s)))
        }
    }
}
