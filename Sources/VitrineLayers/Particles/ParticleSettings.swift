import VitrineMath

/// The unit of a particle cloud's lengths.
public enum ParticleUnit: Equatable, Hashable, Sendable, CaseIterable {
    /// Points of the layer: the cloud looks the same on every screen.
    case points
    /// Pixels of the drawable, `scale` of them per point: on a screen with 3 pixels per point, everything is a third as large and as fast as in
    /// `points`. For ports of shaders that simulate in pixels.
    case pixels
}

/// Number, look and motion of the particles of a cloud. By default, a few discs that gather around a touch.
public struct ParticleSettings: Equatable, Sendable {
    /// Number of particles, 1…`maximumCount`.
    public var count: Int
    /// Each particle takes one of these at random; 1…8 colours.
    public var colors: [Color]
    /// Each particle takes a radius from this range at random, in `unit`s, 0…4096.
    public var radius: ClosedRange<Float>
    /// The unit of `radius`, `velocity`, `captureDistance`, and of all positions and lengths that an `update` function sees. Default points.
    public var unit = ParticleUnit.points
    /// The velocity a particle is born with, in `unit`s per tick. `gather` uses its length as the speed: √50 ≈ 7.07 by default.
    public var velocity = Vector2(5, 5)
    /// Ticks after which a particle that has not reached the centre is born again.
    public var lifetime: Float = 100
    /// A particle nearer than this to the centre is born again; in `unit`s.
    public var captureDistance: Float = 20
    /// Ticks per second.
    public var ticksPerSecond: Double = 60
    /// The appearance by age, in increasing order; 1…8 stages, interpolated. By default particles fade in and are brightest at the end.
    public var stages = [ParticleStage(age: 0, opacity: 0), ParticleStage(age: 1, opacity: 1)]
    /// The shape of the particles. Default disc.
    public var sprite = ParticleSprite.disc
    /// How overlapping particles blend. Default additive.
    public var blending = ParticleBlending.additive
    /// The same seed gives the same cloud on every machine.
    public var seed: UInt32 = 0
    /// The function that updates a particle; nil: `gather`, which moves it towards the centre.
    public var update: ParticleFunction?

    /// The largest number of particles; a device may support fewer.
    public static let maximumCount = 4_000_000

    /// Creates settings.
    public init(
        count: Int = 32, colors: [Color] = ParticleSettings.sunset, radius: ClosedRange<Float> = 4...30, sprite: ParticleSprite = .disc,
        update: ParticleFunction? = nil
    ) {
        (self.count, self.colors, self.radius, self.sprite, self.update) = (count, colors, radius, sprite, update)
    }

    /// A palette of warm colours.
    public static let sunset = [
        Color(sRGB: 0xFF5E3A), Color(sRGB: 0xFF9F1C), Color(sRGB: 0xF72585), Color(sRGB: 0x7209B7), Color(sRGB: 0x4CC9F0),
    ]
}

/// The appearance of a particle at one age.
public struct ParticleStage: Equatable, Sendable {
    /// The life divided by the lifetime, 0…1.
    public var age: Float
    /// The factor on the radius.
    public var size: Float
    /// The factor on the opacity.
    public var opacity: Float
    /// The factor on the colour.
    public var tint: Color

    /// Creates a stage.
    public init(age: Float, size: Float = 1, opacity: Float = 1, tint: Color = .white) {
        (self.age, self.size, self.opacity, self.tint) = (age, size, opacity, tint)
    }
}

/// The shape of a particle: its opacity at the distance d from its centre, in radii.
public enum ParticleSprite: Equatable, Hashable, Sendable, CaseIterable {
    /// 1 up to an antialiased edge.
    case disc
    /// (1 − d²)²: a soft ball.
    case soft
    /// A bright core in a wide halo: 0.6 (1 − d²)⁴ + 0.4 (1 − d² / 0.09)², each where it is above 0.
    case glow
}

/// How overlapping particles blend.
public enum ParticleBlending: Equatable, Hashable, Sendable {
    /// Adds light.
    case additive
    /// Particles with higher numbers cover the others.
    case over
}
