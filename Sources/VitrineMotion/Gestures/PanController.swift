import VitrineGeometry

/// Moves an offset by pans, wheel and touchpad, like a scrolling page.
///
/// The offset tracks the pointer inside its limits; beyond them, a rubber band resists. After release it decelerates; if it passes a limit, a
/// spring continues from there with the current velocity. A press during the motion causes no jump of position or velocity (see
/// `TiltController`).
///
/// ```swift
/// var pan = PanController(limits: Rectangle(x: -300, y: 0, width: 300, height: 0), viewportSize: [200, 100])
/// for event in events { pan.handle(event) }
/// layer.position = origin + pan.offset(at: time)
/// ```
public struct PanController: Equatable, Sendable {
    /// The limits of the offset in points; nil for none.
    public var limits: Rectangle?
    /// The size of the view in points: the limit of the rubber band's displacement.
    public var viewportSize: Vector2
    /// The deceleration after release. Default `.normal`.
    public var deceleration = Deceleration.normal
    /// The spring back inside a limit.
    public var bounceSpring = Spring(response: 0.5, dampingRatio: 1)
    /// The offset for one notch of the wheel, in points. Default 40.
    public var pointsPerNotch: Float = 40
    /// The time constant in seconds with which a motion decays after a press interrupts it. Default 0.05.
    public var catchTime = 0.05
    /// Whether motion is reduced: a released pan stops at once. Default false.
    public var reducesMotion = false

    private var pan: DragGesture
    private var x = PanAxis()
    private var y = PanAxis()

    /// Creates a controller with offset 0, at rest.
    ///
    /// - Parameter minimumDistance: See `DragGesture.minimumDistance`.
    public init(limits: Rectangle? = nil, viewportSize: Vector2, minimumDistance: Float? = nil) {
        (self.limits, self.viewportSize) = (limits, viewportSize)
        pan = DragGesture(minimumDistance: minimumDistance, touches: 1...5)
    }

    /// Returns the offset in points, +x right, y down.
    public func offset(at time: Double) -> Vector2 { Vector2(x.value(at: time, rules(0)), y.value(at: time, rules(1))) }

    /// Returns the velocity in points per second, without that of the pan.
    public func velocity(at time: Double) -> Vector2 { Vector2(x.velocity(at: time, rules(0)), y.velocity(at: time, rules(1))) }

    /// The offset at which the motion ends without further input.
    public var destination: Vector2 { Vector2(x.end, y.end) }

    /// Whether the offset is constant until the next event.
    public func isAtRest(at time: Double) -> Bool { x.isAtRest(at: time) && y.isAtRest(at: time) }

    /// Handles an event.
    ///
    /// - Returns: Whether the event belongs to a pan or scroll.
    @discardableResult public mutating func handle(_ event: InputEvent) -> Bool {
        if case .scrolled(let notches, _) = event.kind { return scroll(notches, at: event.time) }
        let changes = pan.handle(event)
        for change in changes { follow(change) }
        return !changes.isEmpty
    }

    /// Cancels the pan.
    public mutating func cancel(at time: Double) { for change in pan.cancel(at: time) { follow(change) } }

    /// Moves smoothly to an offset, clamped to the limits. Has no effect during a pan.
    public mutating func move(to offset: Vector2, at time: Double) {
        guard offset.isFinite, !pan.isActive else { return }
        x.glide(to: offset.x, at: time, rules(0))
        y.glide(to: offset.y, at: time, rules(1))
    }

    private mutating func scroll(_ notches: Vector2, at time: Double) -> Bool {
        guard notches.isFinite, time.isFinite, !pan.isActive else { return false }
        let notches = notches.clamped(lowerBound: Vector2(repeating: -50), upperBound: Vector2(repeating: 50))
        // Rolling the wheel away from the user scrolls up; rolling it to the right scrolls to the right.
        move(to: destination + notches * Vector2(-pointsPerNotch, pointsPerNotch), at: time)
        return true
    }

    private mutating func follow(_ change: GestureChange<PointerMotion>) {
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
