import VitrineMath

/// The unit of a particle cloud's lengths.
public enum ParticleUnit: Equatable, Hashable, Sendable, CaseIterable {
    /// Lengths are points of the layer, so that the cloud has the same size on every screen.
    case points
    /// Pixels of the drawable, `scale` of them per point: on a screen with 3 pixels per point, sizes and speeds are a third of those in `points`. For
    /// ports of shaders that simulate in pixels.
    case pixels
}

/// The number, appearance and motion of the particles of a cloud. By default, a few discs that gather around a touch.
public struct ParticleSettings: Equatable, Sendable {
    /// The number of particles, 1…`maximumCount`.
    public var count: Int
    /// The colours, 1…8; each particle gets one of them at random.
    public var colors: [Color]
    /// The range of radii in `unit`s, 0…4096; each particle gets a random radius.
    public var radius: ClosedRange<Float>
    /// The unit of `radius`, `velocity`, `captureDistance`, and of all positions and lengths in an `update` function. Default points.
    public var unit = ParticleUnit.points
    /// The initial velocity of a particle in `unit`s per tick. `gather` uses its length as the speed: √50 ≈ 7.07 by default.
    public var velocity = Vector2(5, 5)
    /// The number of ticks after which a particle that has not reached the centre is born again.
    public var lifetime: Float = 100
    /// The distance from the centre in `unit`s below which a particle is born again.
    public var captureDistance: Float = 20
    /// The number of ticks per second.
    public var ticksPerSecond: Double = 60
    /// The appearance by age: 1…8 stages with increasing ages, interpolated. By default, particles fade in and are brightest at the end.
    public var stages = [ParticleStage(age: 0, opacity: 0), ParticleStage(age: 1, opacity: 1)]
    /// The shape of the particles. Default disc.
    public var sprite = ParticleSprite.disc
    /// How overlapping particles blend: `.plusLighter`, the default, adds light; with `.normal`, particles with higher numbers cover the others.
    public var blending = BlendMode.plusLighter
    /// The seed of random numbers. The same seed gives the same cloud on every machine.
    public var seed: UInt32 = 0
    /// The function that updates a particle; nil for `gather`, which moves it towards the centre.
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

extension ParticleSettings {
    /// Throws `LayerError` for the first field that is out of range.
    func validate() throws(LayerError) {
        try Self.require((1...Self.maximumCount).contains(count), "count", "must be 1 to \(Self.maximumCount)")
        try Self.require((1...8).contains(colors.count), "colors", "must be 1 to 8")
        try Self.require((1...8).contains(stages.count), "stages", "must be 1 to 8")
        try Self.require(radius.lowerBound >= 0 && radius.upperBound <= 4096, "radius", "must be 0 to 4096")
        try Self.require(lifetime >= 1 && lifetime <= 1e6, "lifetime", "must be 1 to 1,000,000 ticks")
        try Self.require(captureDistance >= 0 && captureDistance <= 1e6, "captureDistance", "must be 0 to 1,000,000")
        try Self.require(ticksPerSecond > 0 && ticksPerSecond <= 1000, "ticksPerSecond", "must be above 0 and at most 1000")
        try Self.require(abs(velocity.x) <= 1e6 && abs(velocity.y) <= 1e6, "velocity", "must be numbers up to 1,000,000")
        try Self.require(blending == .plusLighter || blending == .normal, "blending", "must be plusLighter or normal")
        var last: Float = 0
        for stage in stages {
            try Self.require(stage.age >= last && stage.age <= 1, "stages", "must have increasing ages from 0 to 1")
            try Self.require(stage.size >= 0 && stage.size <= 100, "stages", "must have sizes from 0 to 100")
            last = stage.age
        }
    }

    private static func require(_ holds: Bool, _ name: String, _ reason: String) throws(LayerError) {
        if !holds { throw .invalidOption(name: "ParticleSettings.\(name)", reason: reason) }
    }
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
    /// The opacity is 1 up to an antialiased edge.
    case disc
    /// The opacity is (1 − d²)²: a soft ball.
    case soft
    /// A bright core in a wide halo: 0.6 (1 − d²)⁴ + 0.4 (1 − d² / 0.09)², each where it is above 0.
    case glow
}
