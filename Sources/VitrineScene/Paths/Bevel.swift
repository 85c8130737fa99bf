import VitrineMath

/// How the edges between an extruded path's side and its front and back are taken off.
///
/// The outline keeps its size: the front becomes smaller by `radius`. Where a piece of the path is too narrow for that, the bevel of this
/// piece (an outline with its holes) is narrowed to 95 % of the widest at which its front doesn't meet itself or vanish, all around alike;
/// and it is never deeper than half the shape, or the whole where only one side has it.
public struct Bevel: Equatable, Hashable, Sendable {
    /// The cross-section of the bevel.
    public enum Profile: Equatable, Hashable, Sendable {
        /// One flat facet at 45°.
        case flat
        /// A quarter of a circle of that many facets, shaded smoothly.
        case round(segments: Int)
    }

    /// Metres, into the front and down the side alike; 0: a sharp edge.
    public var radius: Float
    /// Default: round, six segments.
    public var profile: Profile
    /// Which edges have it.
    public var front, back: Bool

    /// Makes a bevel of this radius in metres.
    public init(radius: Float, profile: Profile = .round(segments: 6), front: Bool = true, back: Bool = true) {
        (self.radius, self.profile, self.front, self.back) = (radius, profile, front, back)
    }

    /// No bevel.
    public static var none: Bevel { Bevel(radius: 0, profile: .flat, front: false, back: false) }

    /// From the side to the front: how far in and how far up (0…1 of the radius), and the normal's part outwards and forwards.
    var steps: [(inset: Double, rise: Double, normal: (out: Float, forward: Float))] {
        switch profile {
        case .flat:
            let half = Float(0.5).squareRoot()
            return [(0, 0, (half, half)), (1, 1, (half, half))]
        case .round(let segments):
            let count = clamp(segments, 1, 64)
            return (0...count).map { step in
                let angle = Double.pi / 2 * Double(step) / Double(count)
                let (s, c) = step == 0 ? (0, 1) : step == count ? (1, 0) : (sin(angle), cos(angle))
                return (1 - c, s, (Float(c), Float(s)))
            }
        }
    }
}
