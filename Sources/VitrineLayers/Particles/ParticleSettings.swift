import VitrineMath

/// What the particles of a cloud are like, where they are born and how they move. The defaults are few discs that gather around a touch.
public struct ParticleSettings: Equatable, Sendable {
    /// How many there are, 1…`maximumCount`.
    public var count: Int
    /// Each takes one of these by chance; 1…8.
    public var colors: [Color]
    /// Points; each takes one from this range by chance.
    public var radius: ClosedRange<Float>
    /// Points a tick along each axis.
    public var velocity = Vector2(5, 5)
    /// Ticks after which one that has not arrived is born anew.
    public var lifetime: Float = 100
    /// One that comes nearer than so many points to the centre is born anew.
    public var captureDistance: Float = 20
    public var ticksPerSecond: Double = 60
    /// How they look through their life, by rising age; 1…8. Between two stages all is interpolated. By default they come out of nothing
    /// and are brightest at the end.
    public var stages = [ParticleStage(age: 0, opacity: 0), ParticleStage(age: 1, opacity: 1)]
    public var sprite = ParticleSprite.disc
    public var blending = ParticleBlending.additive
    /// The same seed gives the same cloud on every machine.
    public var seed: UInt32 = 0
    /// How one moves from tick to tick; nil: `gather`, as above.
    public var update: ParticleFunction?

    /// The most that a cloud may have; a device may take fewer.
    public static let maximumCount = 4_000_000

    public init(
        count: Int = 32, colors: [Color] = ParticleSettings.sunset, radius: ClosedRange<Float> = 4...30, sprite: ParticleSprite = .disc,
        update: ParticleFunction? = nil
    ) {
        (self.count, self.colors, self.radius, self.sprite, self.update) = (count, colors, radius, sprite, update)
    }

    /// Warm colours that glow where they meet.
    public static let sunset = [
        Color(sRGB: 0xFF5E3A), Color(sRGB: 0xFF9F1C), Color(sRGB: 0xF72585), Color(sRGB: 0x7209B7), Color(sRGB: 0x4CC9F0),
    ]
}

/// How a particle looks at one age.
public struct ParticleStage: Equatable, Sendable {
    /// Life over lifetime, 0…1.
    public var age: Float
    /// Times its radius.
    public var size: Float
    /// Times its opacity.
    public var opacity: Float
    /// Times its colour.
    public var tint: Color

    public init(age: Float, size: Float = 1, opacity: Float = 1, tint: Color = .white) {
        (self.age, self.size, self.opacity, self.tint) = (age, size, opacity, tint)
    }
}

/// The shape of a particle: how much of its colour is at the distance d from its middle, in radii.
public enum ParticleSprite: Equatable, Hashable, Sendable, CaseIterable {
    /// All of it up to a sharp edge, which is antialiased.
    case disc
    /// (1 − d²)²: a ball of mist.
    case soft
    /// A bright core in a wide halo: 0.6 (1 − d²)⁴ + 0.4 (1 − d² / 0.09)², each where it is above 0.
    case glow
}

/// How particles add up where they overlap.
public enum ParticleBlending: Equatable, Hashable, Sendable {
    /// As light.
    case additive
    /// Those with higher numbers cover the others.
    case over
}
