import VitrineGeometry

/// A model that turns under the finger about its own axes and springs back.
///
/// A drag of half the width turns by `angleAcrossHalfWidth` about the model's own `horizontalAxis`, one of half the height by
/// `angleAcrossHalfHeight` about its own `verticalAxis`; both from what was on screen when the drag began. Let go, it springs to `rest`.
/// Caught in mid-flight, neither place nor speed jumps: see `TiltController`, which it is the three-dimensional sister of.
public struct TurnController: Equatable, Sendable {
    /// Points, y down: drags begin inside, and its half size is what they are measured by.
    public var bounds: Rectangle
    public var angleAcrossHalfWidth: Angle = .radians(.pi / 2)
    public var angleAcrossHalfHeight: Angle = .radians(.pi / 4)
    /// In the model's frame: what a drag to the right turns about. With +y up what is in front goes along.
    public var horizontalAxis = Vector3.up
    /// In the model's frame: what a drag *down* turns about.
    public var verticalAxis = Vector3.right
    /// Mass 1, stiffness 100, damping 6.
    public var releaseSpring = Spring(mass: 1, stiffness: 100, damping: 6)
    /// Towards rest, as a share of the way that is left, a second.
    public var initialVelocity = 0.3
    /// Seconds after the release at which it is at rest, even if the spring still moves a little. Default nil: the spring runs out.
    public var releaseDuration: Double?
    /// Seconds in which what was caught comes to rest under the finger.
    public var catchTime = 0.05
    public var reducesMotion = false
    /// Where it springs to.
    public private(set) var rest = Quaternion.identity

    private var drag = DragGesture(minimumDistance: 0)
    private var motion = Animated(Quaternion.identity)
    private var grip: Grip?
    /// When the release is cut off; nil: never.
    private var releaseEnd: Double?

    private struct Grip: Equatable, Sendable {
        var start: Quaternion
        var caught: Caught<Vector3>
        var turn = Quaternion.identity
    }

    public init(bounds: Rectangle) { self.bounds = bounds }

    public var isDragging: Bool { grip != nil }

    public func orientation(at time: Double) -> Quaternion {
        guard let grip else { return isCut(at: time) ? rest : motion.value(at: time) }
        return (grip.start * grip.turn).moved(by: grip.caught.offset(at: time))
    }

    /// Radians a second about the axes of what it stands in, of what moves by itself.
    public func angularVelocity(at time: Double) -> Vector3 {
        guard let grip else { return isCut(at: time) ? .zero : motion.velocity(at: time) }
        return Quaternion.velocity(rate: grip.caught.velocity(at: time), at: grip.caught.offset(at: time))
    }

    /// Whether nothing moves until the next event.
    public func isAtRest(at time: Double) -> Bool { grip?.caught.isAtRest(at: time) ?? (isCut(at: time) || motion.isAtRest(at: time)) }

    private func isCut(at time: Double) -> Bool { releaseEnd.map { time >= $0 } ?? false }

    /// Whether the event was its own.
    @discardableResult public mutating func handle(_ event: InputEvent) -> Bool {
        if case .down(_, let position)? = event.contact(), !drag.isActive, !bounds.contains(position) { return false }
        let changes = drag.handle(event)
        for change in changes { follow(change) }
        return !changes.isEmpty
    }

    /// Lets go, as if the finger had been lifted.
    public mutating func cancel(at time: Double) { for change in drag.cancel(at: time) { follow(change) } }

    /// Springs to another rest; while a finger holds it, it waits.
    public mutating func turn(to rest: Quaternion, at time: Double) {
        guard rest.vector.isFinite else { return }
        self.rest = rest
        guard grip == nil else { return }
        let (shown, velocity) = (orientation(at: time), angularVelocity(at: time))
        motion.set(shown)
        motion.animate(to: rest, with: release, velocity: velocity, at: time)
        releaseEnd = releaseDuration.map { time + $0 }
    }

    private var release: Animation {
        let animation = Animation.spring(releaseSpring)
        return reducesMotion ? animation.reduced : animation
    }

    private mutating func follow(_ change: GestureChange<DragGesture.Value>) {
        let time = change.time
        if change.phase == .began {
            let caught = Caught(velocity: angularVelocity(at: time), time: time, timeConstant: catchTime)
            grip = Grip(start: orientation(at: time), caught: caught)
        }
        let turn = turn(for: change.value.translation)
        grip?.turn = turn
        guard change.phase == .ended || change.phase == .cancelled else { return }
        let (shown, velocity) = (orientation(at: time), angularVelocity(at: time))
        grip = nil
        motion.set(shown)
        let kick = motion.relativeVelocity(initialVelocity, to: rest, at: time)
        motion.animate(to: rest, with: release, velocity: velocity + kick, at: time)
        releaseEnd = releaseDuration.map { time + $0 }
    }

    private func turn(for points: Vector2) -> Quaternion {
        let half = pointwiseMax(bounds.size / 2, Vector2(repeating: 1e-3))
        return Quaternion(angle: angleAcrossHalfWidth * (points.x / half.x), axis: horizontalAxis)
            * Quaternion(angle: angleAcrossHalfHeight * (points.y / half.y), axis: verticalAxis)
    }
}
