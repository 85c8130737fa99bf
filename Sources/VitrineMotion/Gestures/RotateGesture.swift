import VitrineMath

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
