import VitrineMath

/// Colours that go over into each other across a layer's bounds.
public struct Gradient: Equatable, Sendable {
    /// Places are in units of the bounds: (0, 0) the upper left corner, (1, 1) the lower right one.
    public enum Kind: Equatable, Sendable {
        /// Along a line; at a right angle to it nothing changes.
        case linear(from: Vector2, to: Vector2)
        /// Circles of points around a centre: radii in units of half of the bounds' shorter side.
        case radial(center: Vector2 = Vector2(0.5, 0.5), from: Float = 0, to: Float = 1)
        /// Clockwise around a centre, from the direction `start`, which counts from +x.
        case conic(center: Vector2 = Vector2(0.5, 0.5), start: Angle = .zero)
    }

    /// In which numbers colours are mixed; with premultiplied alpha in each.
    public enum Interpolation: UInt32, Equatable, Hashable, Sendable {
        /// In Oklab (Ottosson 2020): even steps to the eye, no dark or grey middle.
        case perceptual = 0
        /// As light mixes.
        case linear = 1
        /// In sRGB-encoded values, as CSS and Core Animation do.
        case encoded = 2
    }

    public struct Stop: Equatable, Sendable {
        public var color: Color
        /// 0…1 along the gradient.
        public var location: Float

        public init(_ color: Color, at location: Float) { (self.color, self.location) = (color, location) }
    }

    /// The most stops of one gradient; more are left out.
    public static let maximumStops = 64

    public var kind: Kind
    /// In rising order; a stop before its forerunner counts as being in the same place. Beyond the first and the last their colours go on.
    public var stops: [Stop]
    public var interpolation: Interpolation

    public init(_ kind: Kind, stops: [Stop], interpolation: Interpolation = .perceptual) {
        (self.kind, self.stops, self.interpolation) = (kind, stops, interpolation)
    }

    /// Colours at even distances.
    public init(_ kind: Kind, _ colors: [Color], interpolation: Interpolation = .perceptual) {
        let step = 1 / Float(max(colors.count - 1, 1))
        self.init(kind, stops: colors.enumerated().map { Stop($1, at: Float($0) * step) }, interpolation: interpolation)
    }

    /// From the upper edge to the lower one.
    public static func vertical(_ colors: [Color], interpolation: Interpolation = .perceptual) -> Gradient {
        Gradient(.linear(from: Vector2(0.5, 0), to: Vector2(0.5, 1)), colors, interpolation: interpolation)
    }
}
