import VitrineMath

/// Recognizes a pinch: two fingers that move apart or together.
public struct PinchGesture: Gesture {
    /// The change of `scale` that starts the gesture. Default 0.01.
    public var minimumScaleDelta: Float
    private var fingers = TwoFingerTracker()
    /// Whether the gesture has begun and not ended.
    public private(set) var isActive = false

    /// Creates a recognizer.
    public init(minimumScaleDelta: Float = 0.01) { self.minimumScaleDelta = minimumScaleDelta }

    /// Returns the step of the pinch that the event completes, if any.
    public mutating func handle(_ event: InputEvent) -> [GestureChange<TwoFingerMotion>] { update(fingers.handle(event)) }

    /// Cancels the pinch. Fingers that are down are ignored until they are lifted.
    public mutating func cancel(at time: Double) -> [GestureChange<TwoFingerMotion>] { update(fingers.cancel(at: time)) }

    private mutating func update(_ step: TwoFingerTracker.Step) -> [GestureChange<TwoFingerMotion>] {
        let isFarEnough = abs(exp(fingers.logScale) - 1) >= minimumScaleDelta
        return fingers.changes(for: step, isActive: &isActive, mayBegin: isFarEnough)
    }
}

/// Recognizes a rotation: two fingers that rotate about each other.
public struct RotateGesture: Gesture {
    /// The rotation that starts the gesture. Default 1°.
    public var minimumAngleDelta: Angle
    private var fingers = TwoFingerTracker()
    /// Whether the gesture has begun and not ended.
    public private(set) var isActive = false

    /// Creates a recognizer.
    public init(minimumAngleDelta: Angle = .degrees(1)) { self.minimumAngleDelta = minimumAngleDelta }

    /// Returns the step of the rotation that the event completes, if any.
    public mutating func handle(_ event: InputEvent) -> [GestureChange<TwoFingerMotion>] { update(fingers.handle(event)) }

    /// Cancels the rotation. Fingers that are down are ignored until they are lifted.
    public mutating func cancel(at time: Double) -> [GestureChange<TwoFingerMotion>] { update(fingers.cancel(at: time)) }

    private mutating func update(_ step: TwoFingerTracker.Step) -> [GestureChange<TwoFingerMotion>] {
        let isFarEnough = abs(fingers.turn) >= minimumAngleDelta.radians
        return fingers.changes(for: step, isActive: &isActive, mayBegin: isFarEnough)
    }
}
