import VitrineGeometry

/// What a finger moves about inside limits: it follows, gives way beyond them like a rubber band, runs on when it is thrown, and springs back.
///
/// Thrown, it slows down by `deceleration`; where it passes a limit on the way, a spring takes over there with the velocity that it has.
/// Caught in mid-flight, neither place nor speed jumps (see `TiltController`). Wheels and touchpads move it too.
///
/// ```swift
/// var pan = PanController(limits: Rectangle(x: -300, y: 0, width: 300, height: 0), viewportSize: [200, 100])
/// for event in events { pan.handle(event) }
/// layer.position = origin + pan.offset(at: time)
/// ```
public struct PanController: Equatable, Sendable {
    /// Where the offset may rest, points. nil: anywhere.
    public var limits: Rectangle?
    /// What the rubber band's give is measured by: it never gives as much.
    public var viewportSize: Vector2
    public var deceleration = Deceleration.normal
    /// Back from beyond a limit.
    public var bounceSpring = Spring(response: 0.5, dampingRatio: 1)
    /// Points for a notch of a wheel.
    public var pointsPerNotch: Float = 40
    /// Seconds in which what was caught comes to rest under the finger.
    public var catchTime = 0.05
    /// For people who asked for less motion: nothing runs on.
    public var reducesMotion = false

    private var pan: PanGesture
    private var x = PanAxis()
    private var y = PanAxis()

    public init(limits: Rectangle? = nil, viewportSize: Vector2, minimumDistance: Float = 10) {
        (self.limits, self.viewportSize) = (limits, viewportSize)
        pan = PanGesture(minimumDistance: minimumDistance)
    }

    /// Points, +x right, y down.
    public func offset(at time: Double) -> Vector2 { Vector2(x.value(at: time, rules(0)), y.value(at: time, rules(1))) }

    /// Points a second, of what moves by itself.
    public func velocity(at time: Double) -> Vector2 { Vector2(x.velocity(at: time, rules(0)), y.velocity(at: time, rules(1))) }

    /// Where it will come to rest if nobody touches it.
    public var destination: Vector2 { Vector2(x.end, y.end) }

    public func isAtRest(at time: Double) -> Bool { x.isAtRest(at: time) && y.isAtRest(at: time) }

    /// Whether the event was its own.
    @discardableResult public mutating func handle(_ event: InputEvent) -> Bool {
        if case .scrolled(let notches, _) = event.kind { return scroll(notches, at: event.time) }
        let changes = pan.handle(event)
        for change in changes { follow(change) }
        return !changes.isEmpty
    }

    public mutating func cancel(at time: Double) { for change in pan.cancel(at: time) { follow(change) } }

    /// Glides there, held inside the limits.
    public mutating func move(to offset: Vector2, at time: Double) {
        guard offset.isFinite, !pan.isActive else { return }
        x.glide(to: offset.x, at: time, rules(0))
        y.glide(to: offset.y, at: time, rules(1))
    }

    private mutating func scroll(_ notches: Vector2, at time: Double) -> Bool {
        guard notches.isFinite, time.isFinite, !pan.isActive else { return false }
        let notches = notches.clamped(lowerBound: Vector2(repeating: -50), upperBound: Vector2(repeating: 50))
        // Rolling away shows what is above; to the right, what is to the right.
        move(to: destination + notches * Vector2(-pointsPerNotch, pointsPerNotch), at: time)
        return true
    }

    private mutating func follow(_ change: GestureChange<PanGesture.Value>) {
        let (time, way, speed) = (change.time, change.value.translation, change.value.velocity)
        if change.phase == .began {
            x.take(at: time, rules(0))
            y.take(at: time, rules(1))
        }
        x.pull(by: way.x)
        y.pull(by: way.y)
        guard change.phase == .ended || change.phase == .cancelled else { return }
        let runsOn = change.phase == .ended && !reducesMotion
        x.release(at: time, hand: runsOn ? speed.x : 0, rules(0))
        y.release(at: time, hand: runsOn ? speed.y : 0, rules(1))
    }

    private func rules(_ axis: Int) -> PanAxis.Rules {
        let range = limits.map { $0.minimum[axis]...max($0.maximum[axis], $0.minimum[axis]) }
        return PanAxis.Rules(
            range: range, band: RubberBand(dimension: viewportSize[axis]), deceleration: deceleration, spring: bounceSpring,
            catchTime: catchTime)
    }
}
