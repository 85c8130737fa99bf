import VitrineMath

/// A cloud of particles, simulated and drawn on the GPU.
///
/// ```swift
/// let cloud = ParticleCloud(ParticleSettings(count: 10_000, sprite: .soft))
/// cloud.center = Vector2(0.5, 0.5)        // the position of the pointer, in fractions of the layer
/// cloud.progress = 1                      // 0: not simulated and not drawn
/// ```
public final class ParticleCloud {
    /// The settings. A new count or seed restarts the cloud; other changes take effect with the next tick.
    public var settings: ParticleSettings {
        didSet { if settings.count != oldValue.count || settings.seed != oldValue.seed { reset() } }
    }
    /// The target of the particles in fractions of the drawn area, from the upper left. Coordinates that are not finite count as 0.5.
    public var center = Vector2(0.5, 0.5)
    /// The factor on size and colour, 0…1. At 0 the cloud is neither simulated nor drawn, and its time stops.
    public var progress: Float = 0
    /// The number of ticks since the start.
    public private(set) var tick = 0
    /// The ticks that are not simulated yet.
    private(set) var pendingTicks = 0
    private var clock: ParticleClock
    /// The state on the GPU.
    var state: ParticleState?

    /// The largest number of ticks in one frame; after a pause, the cloud continues without catching up.
    public static let maximumTicksPerFrame = 8

    /// Creates a cloud.
    public init(_ settings: ParticleSettings = ParticleSettings()) {
        self.settings = settings
        clock = ParticleClock()
    }

    /// Whether the cloud is simulated and drawn.
    public var isVisible: Bool { progress > 0 }

    /// Advances to `time`, in seconds on any clock that does not run backwards. The first call only sets the clock.
    public func advance(to time: Double) {
        let ticks = clock.advance(to: time, ticksPerSecond: settings.ticksPerSecond)
        guard isVisible else { return }
        pendingTicks = min(pendingTicks + ticks, Self.maximumTicksPerFrame)
    }

    /// Restarts the cloud: all particles are born with the next tick.
    public func reset() {
        (tick, pendingTicks, state) = (0, 0, nil)
        clock = ParticleClock()
    }

    /// Removes and returns the number of pending ticks.
    func takeTicks() -> Int {
        defer { pendingTicks = 0 }
        tick += pendingTicks
        return pendingTicks
    }
}

/// Counts the whole ticks of a clock. The sum does not depend on the number of calls.
struct ParticleClock {
    private var last: Double?
    /// The elapsed fraction of a tick.
    private var rest = 0.0

    mutating func advance(to time: Double, ticksPerSecond: Double) -> Int {
        guard time.isFinite else { return 0 }
        defer { last = time }
        guard let last, time > last else { return 0 }
        // The tolerance makes a sixtieth of a second one tick in spite of rounding.
        let due = min((time - last) * ticksPerSecond + rest, 1e6) + 1e-6
        let whole = due.rounded(.down)
        rest = max(due - whole - 1e-6, 0)
        return Int(whole)
    }
}
