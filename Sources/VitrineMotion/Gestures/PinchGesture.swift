import VitrineMath

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
