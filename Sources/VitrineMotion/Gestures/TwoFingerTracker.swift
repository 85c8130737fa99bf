import VitrineMath

/// Tracks the distance and the direction between two fingers, for `PinchGesture` and `RotateGesture`.
struct TwoFingerTracker: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        case none, began, changed, ended, cancelled
    }

    private var contacts = Contacts(limit: 2)
    private var clock = GestureClock()
    private var lastSpan = Vector2(0, 0)
    private var isTracking = false
    /// The logarithm of the distance divided by the distance when both fingers were down.
    private(set) var logScale: Float = 0
    /// The rotation in radians, clockwise on the screen (y down). Not reduced to one turn.
    private(set) var turn: Float = 0
    /// The mean position of the fingers in points.
    private(set) var center = Vector2(0, 0)
    /// The changes of (`logScale`, `turn`) per second.
    private(set) var rates = Vector2(0, 0)
    private var speed = VelocityTracker(startingAt: 0)

    var time: Double { clock.time }

    mutating func handle(_ event: InputEvent) -> Step {
        guard let contactEvent = event.contact() else { return .none }
        clock.advance(to: event.time)
        switch contactEvent {
        case .down(let id, let position): return press(id, at: position)
        case .moved(let id, let position): return contacts.move(id, to: position) && contacts.count == 2 ? move() : .none
        case .up(let id, _): return contacts.remove(id) ? stop(.ended) : .none
        case .cancelled(let id): return contacts.remove(id) ? stop(.cancelled) : .none
        case .allCancelled:
            contacts.removeAll()
            return stop(.cancelled)
        }
    }

    mutating func cancel(at time: Double) -> Step {
        clock.advance(to: time)
        return stop(.cancelled)
    }

    private mutating func press(_ id: Int64, at position: Vector2) -> Step {
        // A mouse has one pointer.
        guard id != ContactEvent.mouse, contacts.add(id, at: position), contacts.count == 2 else { return .none }
        (logScale, turn, rates, isTracking) = (0, 0, .zero, true)
        (lastSpan, center) = (contacts.span, contacts.center)
        speed = VelocityTracker(startingAt: clock.time)
        return .began
    }

    private mutating func move() -> Step {
        guard isTracking else { return .none }
        center = contacts.center
        let span = contacts.span
        // The ratio of distances and the direction are unreliable for fingers that touch each other.
        guard length(span) > 1, length(lastSpan) > 1 else {
            if length(span) > 1 { lastSpan = span }
            return .changed
        }
        let across = lastSpan.x * span.y - lastSpan.y * span.x
        let step = Vector2(log(length(span) / length(lastSpan)), atan2(across, dot(lastSpan, span)))
        (logScale, turn, lastSpan) = (logScale + step.x, turn + step.y, span)
        speed.move(by: step, at: clock.time)
        rates = speed.velocity(releasedAt: clock.time)
        return .changed
    }

    private mutating func stop(_ step: Step) -> Step {
        guard isTracking else { return .none }
        isTracking = false
        rates = step == .ended ? speed.velocity(releasedAt: clock.time) : .zero
        return step
    }
}

extension TwoFingerTracker {
    /// The current state of both fingers.
    private var motion: TwoFingerMotion {
        // Event scripts can move fingers farther than a Float represents.
        let scale = clamp(exp(clamp(logScale, -30, 30)), 1e-12, 1e12)
        return TwoFingerMotion(
            scale: scale, rotation: .radians(turn), location: center, scaleVelocity: rates.x * scale, rotationVelocity: .radians(rates.y))
    }

    /// Returns the steps of a gesture that begins when `mayBegin` is first true.
    func changes(for step: Step, isActive: inout Bool, mayBegin: Bool) -> [GestureChange<TwoFingerMotion>] {
        let phase: GesturePhase
        switch step {
        case .none: return []
        case .began, .changed:
            phase = isActive ? .changed : .began
            guard isActive || mayBegin else { return [] }
            isActive = true
        case .ended, .cancelled:
            guard isActive else { return [] }
            phase = step == .ended ? .ended : .cancelled
            isActive = false
        }
        return [GestureChange(phase: phase, value: motion, time: time)]
    }
}
