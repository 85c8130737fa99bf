import VitrineMath

/// Recognizes two fingers that move apart or together.
public struct PinchGesture: Gesture {
    /// The state of a pinch.
    public struct Value: Equatable, Sendable {
        /// The distance of the fingers divided by their distance at the start.
        public var scale: Float
        /// The change of `scale` per second.
        public var velocity: Float
        /// The mean position of the fingers, in points, y down.
        public var location: Vector2
    }

    /// The change of `scale` that starts the gesture. Default 0.01.
    public var minimumScaleDelta: Float
    private var fingers = TwoFingerTracker()
    /// Whether the gesture has begun and not ended.
    public private(set) var isActive = false

    /// Creates a recognizer.
    public init(minimumScaleDelta: Float = 0.01) { self.minimumScaleDelta = minimumScaleDelta }

    public mutating func handle(_ event: InputEvent) -> [GestureChange<Value>] { follow(fingers.handle(event)) }
    public mutating func cancel(at time: Double) -> [GestureChange<Value>] { follow(fingers.cancel(at: time)) }

    private mutating func follow(_ step: TwoFingerTracker.Step) -> [GestureChange<Value>] {
        let isFarEnough = abs(exp(fingers.logScale) - 1) >= minimumScaleDelta
        guard let phase = step.phase(isActive: &isActive, mayBegin: isFarEnough) else { return [] }
        // Scripts can move fingers farther than a Float can count.
        let scale = clamp(exp(clamp(fingers.logScale, -30, 30)), 1e-12, 1e12)
        let value = Value(scale: scale, velocity: fingers.rates.x * scale, location: fingers.center)
        return [GestureChange(phase: phase, value: value, time: fingers.time)]
    }
}
