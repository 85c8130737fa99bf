import VitrineMath

/// What a game controller holds at the moment, from its events.
///
/// ```swift
/// var pad = Gamepad()
/// pad.handle(event)
/// tilt.lean(towards: pad.left, at: event.time)
/// ```
///
/// Of several controllers the one that was touched last counts.
public struct Gamepad: Equatable, Sendable {
    /// The part of a stick's way in which it counts as let go: worn sticks don't come back to the middle.
    public var deadZone: Float
    /// Which one counts; nil: none is connected.
    public private(set) var id: Int32?
    public private(set) var leftTrigger: Float = 0
    public private(set) var rightTrigger: Float = 0
    /// Those that are down, in the order they were pressed.
    public private(set) var pressed: [GamepadButton] = []
    private var rawLeft = Vector2(0, 0)
    private var rawRight = Vector2(0, 0)
    private var connected: [Int32] = []

    public init(deadZone: Float = 0.15) { self.deadZone = clamp(deadZone, 0, 0.99) }

    public var isConnected: Bool { !connected.isEmpty }

    /// +x right, +y *up*, at most 1 long; exactly 0 in the dead zone, and 0 right outside it: nothing jumps.
    public var left: Vector2 { freed(rawLeft) }
    public var right: Vector2 { freed(rawRight) }

    /// Whether the event came from a controller.
    @discardableResult public mutating func handle(_ event: InputEvent) -> Bool {
        if event.kind == .focusLost { letGo() }
        guard case .gamepad(let event) = event.kind else { return false }
        switch event.kind {
        case .disconnected:
            connected.removeAll { $0 == event.id }
            guard id == event.id else { break }
            letGo()
            id = connected.last
        default:
            // One that is heard of is there, also where nobody said that it came.
            if !connected.contains(event.id) { connected.append(event.id) }
            if event.kind == .connected, id != nil { break }
            if id != event.id { letGo() }
            id = event.id
            take(event.kind)
        }
        return true
    }

    private mutating func take(_ kind: GamepadEvent.Kind) {
        switch kind {
        case .stick(let side, let place):
            guard place.isFinite else { return }
            let held = place.clamped(lowerBound: Vector2(-1, -1), upperBound: Vector2(1, 1))
            if side == .left { rawLeft = held } else { rawRight = held }
        case .trigger(.left, let pull): leftTrigger = clamp(pull, 0, 1)
        case .trigger(.right, let pull): rightTrigger = clamp(pull, 0, 1)
        case .pressed(let button): if !pressed.contains(button) { pressed.append(button) }
        case .released(let button): pressed.removeAll { $0 == button }
        case .connected, .disconnected: break
        }
    }

    private mutating func letGo() {
        (rawLeft, rawRight, leftTrigger, rightTrigger, pressed) = (.zero, .zero, 0, 0, [])
    }

    /// Without the dead zone, which is round: the rest of the way is spread over 0…1.
    private func freed(_ raw: Vector2) -> Vector2 {
        let size = length(raw)
        guard size > deadZone else { return .zero }
        return raw / size * min((size - deadZone) / (1 - deadZone), 1)
    }
}
