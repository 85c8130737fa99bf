import VitrineGeometry

/// A picture that tilts under the finger and springs back.
///
/// While it is dragged, the angle about y is (π/4) · dx / (half the width) and about x −(π/4) · dy / (half the height), dx and dy from where the
/// drag began, points, y down; the two are composed, x first. Let go, or taken away, it springs to `rest`: settling in 1.5 s with damping ratio
/// 0.35 and an initial velocity of 0.3 (shares of the way that is left, a second: UIKit's sense).
///
/// Caught in mid-flight it goes on from what is shown: the drag adds to the angles at the catch, and the velocity v that was there dies out
/// under the finger as v t e^{−t/τ} (`catchTime`), so that neither place nor speed jumps. A second finger is ignored.
///
/// ```swift
/// var tilt = TiltController(bounds: Rectangle(x: 0, y: 0, width: 200, height: 200))
/// for event in events { tilt.handle(event) }
/// node.orientation = tilt.orientation(at: time)
/// ```
///
/// It owns no clock: times are seconds on the events' clock.
public struct TiltController: Equatable, Sendable {
    /// What is tilted, points, y down: drags begin inside, and its half size is what they are measured by.
    public var bounds: Rectangle
    /// The turn for a drag of half the height (about x) and half the width (about y).
    public var angleAcrossHalf: Angle = .radians(.pi / 4)
    /// Beyond this angle, about either axis, it gives way like a rubber band, by at most half as much again. nil: no limit.
    public var limit: Angle?
    /// Takes it to `rest` when it is let go.
    public var releaseSpring = Spring(settlingDuration: 1.5, dampingRatio: 0.35)
    /// Towards rest, as a share of the way that is left, a second.
    public var initialVelocity = 0.3
    /// Whether the hand's own speed is added to that. Default false.
    public var keepsHandVelocity = false
    /// Seconds in which what was caught comes to rest under the finger: τ. 0: at once.
    public var catchTime = 0.05
    /// Takes it to a new `rest` (keys, sticks, how the device is held).
    public var leanSpring = Spring(duration: 0.3, bounce: 0)
    /// For people who asked for less motion: no swinging, and it is back within a third of a second.
    public var reducesMotion = false

    /// Where it springs to, radians about x and y.
    public private(set) var rest = Vector2(0, 0)

    private var drag = DragGesture(minimumDistance: 0)
    private var motion = Animated(Vector2(0, 0))
    private var grip: Grip?

    /// What was there when the finger came, without the limit's give.
    private struct Grip: Equatable, Sendable {
        var angles: Vector2
        var caught: Caught<Vector2>
        var pull = Vector2(0, 0)

        func free(at time: Double) -> Vector2 { angles + pull + caught.offset(at: time) }
    }

    public init(bounds: Rectangle) { self.bounds = bounds }

    public var isDragging: Bool { grip != nil }

    // MARK: What is shown

    /// Radians about x and about y, as the picture with y down has them.
    public func angles(at time: Double) -> Vector2 {
        guard let grip else { return motion.value(at: time) }
        return held(grip.free(at: time))
    }

    /// Radians a second, of what moves by itself: the hand's own is only in `angles`.
    public func angularVelocity(at time: Double) -> Vector2 {
        guard let grip else { return motion.velocity(at: time) }
        return grip.caught.velocity(at: time) * giveSlope(grip.free(at: time))
    }

    /// The two turns composed for layers, whose y points down: R(y) R(x).
    public func orientation(at time: Double) -> Quaternion { TiltController.orientation(angles(at: time)) }

    /// The same turn for scenes, whose y points up.
    public func orientationInScene(at time: Double) -> Quaternion {
        TiltController.orientation(angles(at: time) * Vector2(-1, 1))
    }

    static func orientation(_ angles: Vector2) -> Quaternion {
        Quaternion(angle: .radians(angles.y), axis: .up) * Quaternion(angle: .radians(angles.x), axis: .right)
    }

    /// Whether nothing moves until the next event.
    public func isAtRest(at time: Double) -> Bool {
        grip?.caught.isAtRest(at: time) ?? motion.isAtRest(at: time)
    }
}

// MARK: - The hand

extension TiltController {
    /// Whether the event was its own.
    @discardableResult public mutating func handle(_ event: InputEvent) -> Bool {
        if case .down(_, let position)? = event.contact(), !drag.isActive, !bounds.contains(position) { return false }
        let changes = drag.handle(event)
        for change in changes { follow(change) }
        return !changes.isEmpty
    }

    /// Lets go, as if the finger had been lifted.
    public mutating func cancel(at time: Double) { for change in drag.cancel(at: time) { follow(change) } }

    private mutating func follow(_ change: GestureChange<DragGesture.Value>) {
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

    /// Points to radians about x and y.
    private func angles(for points: Vector2) -> Vector2 {
        let half = pointwiseMax(bounds.size / 2, Vector2(repeating: 1e-3))
        return Vector2(-points.y / half.y, points.x / half.x) * angleAcrossHalf.radians
    }

    private mutating func take(at time: Double) {
        let (shown, velocity) = (motion.value(at: time), motion.velocity(at: time))
        let free = released(shown)
        grip = Grip(angles: free, caught: Caught(velocity: velocity / giveSlope(free), time: time, timeConstant: catchTime))
    }

    private mutating func release(at time: Double, hand: Vector2) {
        guard let grip else { return }
        let shown = angles(at: time)
        let velocity = angularVelocity(at: time) + hand * giveSlope(grip.free(at: time)) + (rest - shown) * Float(initialVelocity)
        self.grip = nil
        motion.set(shown)
        let animation = Animation.spring(releaseSpring)
        motion.animate(to: rest, with: reducesMotion ? animation.reduced : animation, velocity: velocity, at: time)
    }

    // MARK: The limit

    private func held(_ free: Vector2) -> Vector2 {
        guard let (band, range) = limits else { return free }
        return Vector2(band.hold(free.x, in: range), band.hold(free.y, in: range))
    }

    private func released(_ shown: Vector2) -> Vector2 {
        guard let (band, range) = limits else { return shown }
        return Vector2(band.release(shown.x, in: range), band.release(shown.y, in: range))
    }

    /// How much of a small turn of the hand is shown there.
    private func giveSlope(_ free: Vector2) -> Vector2 {
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

// MARK: - Other sources

extension TiltController {
    /// Springs to another rest, radians about x and y: for keys, sticks and how the device is held. While a finger holds it, it waits.
    public mutating func lean(to angles: Vector2, at time: Double) {
        guard angles.isFinite, time.isFinite, angles != rest else { return }
        rest = angles
        if grip == nil {
            let animation = Animation.spring(leanSpring)
            motion.animate(to: angles, with: reducesMotion ? animation.reduced : animation, at: time)
        }
    }

    /// Leans the way that arrow keys or a stick point: +x right, +y *up*, at most 1 long; let go it springs back.
    public mutating func lean(towards direction: Vector2, at time: Double) {
        lean(to: Vector2(direction.y, direction.x) * angleAcrossHalf.radians, at: time)
    }

    /// Gives it a push, radians a second, and lets it spring back: what a key may do.
    public mutating func nudge(by velocity: Vector2, at time: Double) {
        guard velocity.isFinite, grip == nil, !reducesMotion else { return }
        motion.animate(to: rest, with: .spring(releaseSpring), velocity: motion.velocity(at: time) + velocity, at: time)
    }
}
