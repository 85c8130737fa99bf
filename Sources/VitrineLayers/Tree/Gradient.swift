import VitrineMath

/// A colour gradient across a layer's bounds.
public struct Gradient: Equatable, Sendable {
    /// The geometry of a gradient. Positions are in units of the bounds: (0, 0) is the upper left corner, (1, 1) the lower right one.
    public enum Kind: Equatable, Sendable {
        /// The colour changes along a line and is constant perpendicular to it.
        case linear(from: Vector2, to: Vector2)
        /// Circles around a centre, with radii in units of half the shorter side of the bounds.
        case radial(center: Vector2 = Vector2(0.5, 0.5), from: Float = 0, to: Float = 1)
        /// The colour changes clockwise around a centre, from the direction `start`, measured from +x.
        case conic(center: Vector2 = Vector2(0.5, 0.5), start: Angle = .zero)
    }

    /// The colour space of the interpolation, with premultiplied alpha.
    public enum Interpolation: UInt32, Equatable, Hashable, Sendable {
        /// Interpolates in Oklab (Ottosson 2020), with perceptually even steps.
        case perceptual = 0
        /// Interpolates in linear light.
        case linear = 1
        /// sRGB-encoded values, as CSS and Core Animation do.
        case encoded = 2
    }

    /// A colour at a position of the gradient.
    public struct Stop: Equatable, Sendable {
        /// The colour at the stop's position.
        public var color: Color
        /// The position along the gradient, 0…1.
        public var location: Float

        /// Creates a stop.
        public init(_ color: Color, at location: Float) { (self.color, self.location) = (color, location) }
    }

    /// The largest number of stops; further ones are ignored.
    public static let maximumStops = 64

    /// The geometry of the gradient.
    public var kind: Kind
    /// The stops in increasing order; a stop before its predecessor moves to its location. The first and last colours extend beyond them.
    public var stops: [Stop]
    /// The colour space of the interpolation.
    public var interpolation: Interpolation

    /// Creates a gradient.
    public init(_ kind: Kind, stops: [Stop], interpolation: Interpolation = .perceptual) {
        (self.kind, self.stops, self.interpolation) = (kind, stops, interpolation)
    }

    /// Creates a gradient with evenly spaced colours.
    public init(_ kind: Kind, _ colors: [Color], interpolation: Interpolation = .perceptual) {
        let step = 1 / Float(max(colors.count - 1, 1))
        self.init(kind, stops: colors.enumerated().map { Stop($1, at: Float($0) * step) }, interpolation: interpolation)
    }

    /// Creates a gradient from the upper edge to the lower one.
    public static func vertical(_ colors: [Color], interpolation: Interpolation = .perceptual) -> Gradient {
        Gradient(.linear(from: Vector2(0.5, 0), to: Vector2(0.5, 1)), colors, interpolation: interpolation)
    }
}
