import VitrineMath

/// Particles that live on the GPU: moved there tick by tick, drawn from there, never copied.
///
/// ```swift
/// let cloud = ParticleCloud(ParticleSettings(count: 10_000, sprite: .soft))
/// cloud.center = Vector2(0.5, 0.5)        // where the finger is, as a share of the layer
/// cloud.progress = 1                      // 0: nothing is computed and nothing drawn
/// ```
public final class ParticleCloud {
    /// Another count or seed begins anew; all else takes effect with the next tick.
    public var settings: ParticleSettings {
        didSet { if settings.count != oldValue.count || settings.seed != oldValue.seed { reset() } }
    }
    /// Where they go: 0…1 from the left and from the top of what they are drawn in. What is no number is taken for the middle.
    public var center = Vector2(0.5, 0.5)
    /// How far they have come into being, 0…1: it multiplies size and colour. At 0 nothing is computed and nothing drawn, and time stands
    /// still for them.
    public var progress: Float = 0
    /// Ticks since the beginning.
    public private(set) var tick = 0
    /// Ticks that are still to be computed.
    private(set) var pendingTicks = 0
    private var clock: ParticleClock
    /// What the GPU holds of it.
    var state: ParticleState?

    /// The most ticks that one frame catches up on: after a pause they go on from where they were.
    public static let maximumTicksPerFrame = 8

    public init(_ settings: ParticleSettings = ParticleSettings()) {
        self.settings = settings
        clock = ParticleClock()
    }

    /// Whether there is anything to compute or to draw.
    public var isVisible: Bool { progress > 0 }

    /// Goes on to the moment `time`, in seconds on any clock that doesn't run backwards. The first call only sets the clock.
    public func advance(to time: Double) {
        let ticks = clock.advance(to: time, ticksPerSecond: settings.ticksPerSecond)
        guard isVisible else { return }
        pendingTicks = min(pendingTicks + ticks, Self.maximumTicksPerFrame)
    }

    /// Begins anew: all are born with the next tick.
    public func reset() {
        (tick, pendingTicks, state) = (0, 0, nil)
        clock = ParticleClock()
    }

    /// Hands out the ticks that are due.
    func takeTicks() -> Int {
        defer { pendingTicks = 0 }
        tick += pendingTicks
        return pendingTicks
    }
}

/// Counts whole ticks of a clock that is looked at now and then: however often, the sum is the same.
struct ParticleClock {
    private var last: Double?
    /// The part of a tick that has passed.
    private var rest = 0.0

    mutating func advance(to time: Double, ticksPerSecond: Double) -> Int {
        guard time.isFinite else { return 0 }
        defer { last = time }
        guard let last, time > last else { return 0 }
        // A hair more than it is: a sixtieth of a second is one tick in spite of rounding.
        let due = min((time - last) * ticksPerSecond + rest, 1e6) + 1e-6
        let whole = due.rounded(.down)
        rest = max(due - whole - 1e-6, 0)
        return Int(whole)
    }
}
