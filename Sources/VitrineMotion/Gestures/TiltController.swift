import VitrineGeometry

/// Tilts a layer or node during a drag and springs it back.
///
/// During a drag, the angle about y is (π/4) · dx / (half the width) and about x −(π/4) · dy / (half the height), with dx and dy from the start
/// of the drag in points, y down; the rotations are applied in the order x, y. After release or cancellation, the controller springs to `rest`:
/// it settles in 1.5 s with damping ratio 0.35 and a relative initial velocity of 0.3 (fractions of the remaining distance per second, as UIKit
/// defines it).
///
/// A press during the motion continues from the current angles: the drag adds to them, and the velocity v at that moment decays as
/// v t e^{−t/τ} (`catchTime`), so that neither position nor velocity jumps. A second finger is ignored.
///
/// ```swift
/// var tilt = TiltController(bounds: Rectangle(x: 0, y: 0, width: 200, height: 200))
/// for event in events { tilt.handle(event) }
/// node.orientation = tilt.orientation(at: time)
/// ```
///
/// Times are seconds on the clock of the events.
public struct TiltController: Equatable, Sendable {
    /// The rectangle in points, y down, in which drags begin. A drag by half its size rotates by `angleAcrossHalf`.
    public var bounds: Rectangle
    /// The rotation for a drag of half the height (about x) or half the width (about y). Default 45°.
    public var angleAcrossHalf: Angle = .radians(.pi / 4)
    /// The angle about either axis beyond which a rubber band resists, by at most half the limit. Default nil: no limit.
    public var limit: Angle?
    /// The spring to `rest` after release.
    public var releaseSpring = Spring(settlingDuration: 1.5, dampingRatio: 0.35)
    /// The initial velocity after release, in fractions of the remaining distance to `rest` per second. Default 0.3.
    public var initialVelocity = 0.3
    /// Whether the velocity of the drag is added at release. Default false.
    public var keepsHandVelocity = false
    /// The time constant τ in seconds with which a motion decays after a press interrupts it; 0 stops it at once. Default 0.05.
    public var catchTime = 0.05
    /// The spring to a new `rest`, set by keys, sticks or the attitude of the device.
    public var leanSpring = Spring(duration: 0.3, bounce: 0)
    /// Whether motion is reduced: the layer returns within a third of a second without oscillation. Default false.
    public var reducesMotion = false

    /// The angles at rest, in radians about x and y.
    public private(set) var rest = Vector2(0, 0)

    private var drag = DragGesture(minimumDistance: 0)
    private var motion = Animated(Vector2(0, 0))
    private var grip: Grip?

    /// The state during a drag, before the resistance of the limit is applied.
    private struct Grip: Equatable, Sendable {
        var angles: Vector2
        var caught: CaughtMotion<Vector2>
        var pull = Vector2(0, 0)

        func free(at time: Double) -> Vector2 { angles + pull + caught.offset(at: time) }
    }

    /// Creates a controller at rest.
    public init(bounds: Rectangle) { self.bounds = bounds }

    /// Whether a drag is in progress.
    public var isDragging: Bool { grip != nil }

    // MARK: Output

    /// Returns the angles about x and y in radians, y down.
    public func angles(at time: Double) -> Vector2 {
        guard let grip else { return motion.value(at: time) }
        return limited(grip.free(at: time))
    }

    /// Returns the angular velocity in radians per second, without that of the drag.
    public func angularVelocity(at time: Double) -> Vector2 {
        guard let grip else { return motion.velocity(at: time) }
        return grip.caught.velocity(at: time) * limitSlope(grip.free(at: time))
    }

    /// Returns the orientation for layers, whose y points down: R(y) R(x).
    public func orientation(at time: Double) -> Quaternion { TiltController.orientation(angles(at: time)) }

    /// Returns the orientation for scenes, whose y points up.
    public func orientationInScene(at time: Double) -> Quaternion {
        TiltController.orientation(angles(at: time) * Vector2(-1, 1))
    }

    static func orientation(_ angles: Vector2) -> Quaternion {
        Quaternion(angle: .radians(angles.y), axis: .up) * Quaternion(angle: .radians(angles.x), axis: .right)
    }

    /// Whether the angles are constant until the next event.
    public func isAtRest(at time: Double) -> Bool {
        grip?.caught.isAtRest(at: time) ?? motion.isAtRest(at: time)
    }
}

// MARK: - Drags

extension TiltController {
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

    private mutating func follow(_ change: GestureChange<PointerMotion>) {
        let pull = angles(for: change.value.translation)
        switch change.phase {
        case .began: take(at: change.time)
        case .changed: grip?.pull = pull
        case .ended, .cancelled:
            grip?.pull = pull
            let hand = change.phase == .ended && keepsHandVelocity ? angles(for: change.value.velocity) : .zero
            release(at: change.time, hand: hand)
        }
    }

    /// Converts points to radians about x and y.
    private func angles(for points: Vector2) -> Vector2 {
        let half = pointwiseMax(bounds.size / 2, Vector2(repeating: 1e-3))
        return Vector2(-points.y / half.y, points.x / half.x) * angleAcrossHalf.radians
    }

    private mutating func take(at time: Double) {
        let (shown, velocity) = (motion.value(at: time), motion.velocity(at: time))
        let free = unlimited(shown)
        grip = Grip(angles: free, caught: CaughtMotion(velocity: velocity / limitSlope(free), time: time, timeConstant: catchTime))
    }

    private mutating func release(at time: Double, hand: Vector2) {
        guard let grip else { return }
        let shown = angles(at: time)
        let velocity = angularVelocity(at: time) + hand * limitSlope(grip.free(at: time)) + (rest - shown) * Float(initialVelocity)
        self.grip = nil
        motion.set(shown)
        let animation = Animation.spring(releaseSpring)
        motion.animate(to: rest, with: reducesMotion ? animation.reduced : animation, velocity: velocity, at: time)
    }

    // MARK: Limit

    private func limited(_ free: Vector2) -> Vector2 {
        guard let (band, range) = limits else { return free }
        return Vector2(band.hold(free.x, in: range), band.hold(free.y, in: range))
    }

    /// Returns the inverse of `limited`.
    private func unlimited(_ shown: Vector2) -> Vector2 {
        guard let (band, range) = limits else { return shown }
        return Vector2(band.release(shown.x, in: range), band.release(shown.y, in: range))
    }

    /// Returns the derivative of `limited`.
    private func limitSlope(_ free: Vector2) -> Vector2 {
        guard let (band, range) = limits else { return Vector2(1, 1) }
        func slope(_ value: Float) -> Float {
            let over = value - clamp(value, range.lowerBound, range.upperBound)
            return over == 0 ? 1 : band.slope(over)
        }
        return Vector2(slope(free.x), slope(free.y))
    }

    private var limits: (RubberBand, ClosedRange<Float>)? {
        guard let limit else { return nil }
        let angle = max(limit.radians, 1e-3)
        return (RubberBand(dimension: angle / 2), -angle...angle)
    }
}

// MARK: - Other input

extension TiltController {
    /// Springs to new angles at rest, in radians about x and y, for keys, sticks and the attitude of the device. During a drag, the new angles take
    /// effect at the release.
    public mutating func lean(to angles: Vector2, at time: Double) {
        guard angles.isFinite, time.isFinite, angles != rest else { return }
        rest = angles
        if grip == nil {
            let animation = Animation.spring(leanSpring)
            motion.animate(to: angles, with: reducesMotion ? animation.reduced : animation, at: time)
        }
    }

    /// Leans in the direction of arrow keys or a stick: +x right, +y *up*, length at most 1.
    public mutating func lean(towards direction: Vector2, at time: Double) {
        lean(to: Vector2(direction.y, direction.x) * angleAcrossHalf.radians, at: time)
    }

    /// Adds an angular velocity in radians per second and springs back. Has no effect during a drag or with reduced motion.
    public mutating func nudge(by velocity: Vector2, at time: Double) {
        guard velocity.isFinite, grip == nil, !reducesMotion else { return }
        motion.animate(to: rest, with: .spring(releaseSpring), velocity: motion.velocity(at: time) + velocity, at: time)
    }
}
