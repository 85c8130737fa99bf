import VitrineMath

/// Recognizes two fingers that rotate about each other.
public struct RotateGesture: Gesture {
    /// The state of a rotation.
    public struct Value: Equatable, Sendable {
        /// The rotation since both fingers came down, clockwise on the screen. Counts whole turns.
        public var rotation: Angle
        /// The change of `rotation` per second.
        public var velocity: Angle
        /// The mean position of the fingers, in points, y down.
        public var location: Vector2
    }

    /// The rotation that starts the gesture. Default 1°.
    public var minimumAngleDelta: Angle
    private var fingers = TwoFingerTracker()
    /// Whether the gesture has begun and not ended.
    public private(set) var isActive = false

    /// Creates a recognizer.
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
