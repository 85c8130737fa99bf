import VitrineGeometry

/// Rotates a model about its own axes during a drag and springs it back.
///
/// A drag of half the width rotates by `angleAcrossHalfWidth` about the model's `horizontalAxis`, one of half the height by
/// `angleAcrossHalfHeight` about its `verticalAxis`, from the orientation at the start of the drag. After release it springs to `rest`. A press
/// during the motion causes no jump of position or velocity; see `TiltController`.
public struct TurnController: Equatable, Sendable {
    /// The rectangle in points, y down, in which drags begin. The angles below refer to half its size.
    public var bounds: Rectangle
    /// The rotation for a drag of half the width. Default 90°.
    public var angleAcrossHalfWidth: Angle = .radians(.pi / 2)
    /// The rotation for a drag of half the height. Default 45°.
    public var angleAcrossHalfHeight: Angle = .radians(.pi / 4)
    /// The axis of a drag to the right, in the model's frame. With the default, +y, the front tracks the pointer.
    public var horizontalAxis = Vector3.up
    /// The axis of a drag *down*, in the model's frame. Default +x.
    public var verticalAxis = Vector3.right
    /// The spring to `rest` after release. Default: mass 1, stiffness 100, damping 6.
    public var releaseSpring = Spring(mass: 1, stiffness: 100, damping: 6)
    /// The initial velocity after release, in fractions of the remaining distance to `rest` per second. Default 0.3.
    public var initialVelocity = 0.3
    /// The time in seconds after the release at which the motion ends, even if the spring has not settled. If nil (default), the spring settles.
    public var releaseDuration: Double?
    /// The time constant in seconds with which a motion decays after a press interrupts it. Default 0.05.
    public var catchTime = 0.05
    /// Whether motion is reduced. Default false.
    public var reducesMotion = false
    /// The orientation at rest.
    public private(set) var rest = Quaternion.identity

    private var drag = DragGesture(minimumDistance: 0)
    private var motion = Animated(Quaternion.identity)
    private var grip: Grip?
    /// The time at which `releaseDuration` ends the motion; nil if the spring settles.
    private var releaseEnd: Double?

    private struct Grip: Equatable, Sendable {
        var start: Quaternion
        var caught: CaughtMotion<Vector3>
        var turn = Quaternion.identity
    }

    /// Creates a controller at rest.
    public init(bounds: Rectangle) { self.bounds = bounds }

    /// Whether a drag is in progress.
    public var isDragging: Bool { grip != nil }

    /// Returns the orientation of the model.
    public func orientation(at time: Double) -> Quaternion {
        guard let grip else { return hasEnded(at: time) ? rest : motion.value(at: time) }
        return (grip.start * grip.turn).moved(by: grip.caught.offset(at: time))
    }

    /// Returns the angular velocity in radians per second about the axes of the parent frame, without that of the drag.
    public func angularVelocity(at time: Double) -> Vector3 {
        guard let grip else { return hasEnded(at: time) ? .zero : motion.velocity(at: time) }
        return Quaternion.velocity(rate: grip.caught.velocity(at: time), at: grip.caught.offset(at: time))
    }

    /// Whether the orientation is constant until the next event.
    public func isAtRest(at time: Double) -> Bool { grip?.caught.isAtRest(at: time) ?? (hasEnded(at: time) || motion.isAtRest(at: time)) }

    private func hasEnded(at time: Double) -> Bool { releaseEnd.map { time >= $0 } ?? false }

    /// Handles an event.
    ///
    /// - Returns: Whether the event belongs to a drag of this controller.
    @discardableResult public mutating func handle(_ event: InputEvent) -> Bool {
        if case .down(_, let position)? = event.contact(), !drag.isActive, !bounds.contains(position) { return false }
        let changes = drag.handle(event)
        for change in changes { follow(change) }
        return !changes.isEmpty
    }

    /// Cancels the drag, which then springs back.
    public mutating func cancel(at time: Double) { for change in drag.cancel(at: time) { follow(change) } }

    /// Springs to a new orientation at rest. During a drag, it takes effect at the release.
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

    private mutating func follow(_ change: GestureChange<PointerMotion>) {
        let time = change.time
        if change.phase == .began {
            let caught = CaughtMotion(velocity: angularVelocity(at: time), time: time, timeConstant: catchTime)
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
