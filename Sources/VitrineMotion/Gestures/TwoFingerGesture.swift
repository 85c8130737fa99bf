import VitrineMath

/// What two fingers do to each other: their distance and their direction. `PinchGesture` and `RotateGesture` look at one half of it each.
struct TwoFingerTracker: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        case none, began, changed, ended, cancelled
    }

    private var contacts = Contacts(limit: 2)
    private var clock = GestureClock()
    private var lastSpan = Vector2(0, 0)
    private var isTracking = false
    /// Since both were down.
    private(set) var logScale: Float = 0
    /// Clockwise as seen (y down), radians, over any number of turns.
    private(set) var turn: Float = 0
    /// Their middle, points.
    private(set) var center = Vector2(0, 0)
    /// Of (log scale, turn), a second.
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
        // Fingers that touch each other have neither distance nor direction to measure by.
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

/// Two fingers apart or together.
public struct PinchGesture: Gesture {
    public struct Value: Equatable, Sendable {
        /// The fingers' distance over that at the start.
        public var scale: Float
        /// Change of `scale` a second.
        public var velocity: Float
        /// Between the fingers, points, y down.
        public var location: Vector2
    }

    /// Change of `scale` from which on it is a pinch.
    public var minimumScaleDelta: Float
    private var fingers = TwoFingerTracker()
    public private(set) var isActive = false

    public init(minimumScaleDelta: Float = 0.01) { self.minimumScaleDelta = minimumScaleDelta }

    public mutating func handle(_ event: InputEvent) -> [GestureChange<Value>] { follow(fingers.handle(event)) }
    public mutating func cancel(at time: Double) -> [GestureChange<Value>] { follow(fingers.cancel(at: time)) }

    private mutating func follow(_ step: TwoFingerTracker.Step) -> [GestureChange<Value>] {
        let isFarEnough = abs(exp(fingers.logScale) - 1) >= minimumScaleDelta
        guard let phase = step.phase(isActive: &isActive, mayBegin: isFarEnough) else { return [] }
        // Held where numbers end: fingers can't, scripts can.
        let scale = clamp(exp(clamp(fingers.logScale, -30, 30)), 1e-12, 1e12)
        let value = Value(scale: scale, velocity: fingers.rates.x * scale, location: fingers.center)
        return [GestureChange(phase: phase, value: value, time: fingers.time)]
    }
}

/// Two fingers that turn about each other.
public struct RotateGesture: Gesture {
    public struct Value: Equatable, Sendable {
        /// Clockwise as it is seen, from where the fingers went down; goes on over whole turns.
        public var rotation: Angle
        /// A second.
        public var velocity: Angle
        /// Between the fingers, points, y down.
        public var location: Vector2
    }

    /// The turn from which on it is one.
    public var minimumAngleDelta: Angle
    private var fingers = TwoFingerTracker()
    public private(set) var isActive = false

    public init(minimumAngleDelta: Angle = .degrees(1)) { self.minimumAngleDelta = minimumAngleDelta }

    public mutating func handle(_ event: InputEvent) -> [GestureChange<Value>] { follow(fingers.handle(event)) }
    public mutating func cancel(at time: Double) -> [GestureChange<Value>] { follow(fingers.cancel(at: time)) }

    private mutating func follow(_ step: TwoFingerTracker.Step) -> [GestureChange<Value>] {
        let isFarEnough = abs(fingers.turn) >= minimumAngleDelta.radians
        guard let phase = step.phase(isActive: &isActive, mayBegin: isFarEnough) else { return [] }
        let value = Value(rotation: .radians(fingers.turn), velocity: .radians(fingers.rates.y), location: fingers.center)
        return [GestureChange(phase: phase, value: value, time: fingers.time)]
    }
}

extension TwoFingerTracker.Step {
    /// What the step means to a gesture that begins only once it is far enough.
    func phase(isActive: inout Bool, mayBegin: Bool) -> GesturePhase? {
        switch self {
        case .none: return nil
        case .began, .changed:
            if isActive { return .changed }
            isActive = mayBegin
            return mayBegin ? .began : nil
        case .ended, .cancelled:
            defer { isActive = false }
            return isActive ? (self == .ended ? .ended : .cancelled) : nil
        }
    }
}
