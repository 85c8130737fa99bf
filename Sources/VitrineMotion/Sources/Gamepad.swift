import VitrineMath

/// The current state of a game controller, from its events.
///
/// ```swift
/// var pad = Gamepad()
/// pad.handle(event)
/// tilt.lean(towards: pad.left, at: event.time)
/// ```
///
/// With several controllers, reports the one that was used last.
public struct Gamepad: Equatable, Sendable {
    /// The radius within which a stick counts as released, 0…0.99, because worn sticks do not return to the centre. Default 0.15.
    public var deadZone: Float
    /// The identifier of the current controller; nil if none is connected.
    public private(set) var id: Int32?
    /// The position of the left trigger: 0 released … 1 pulled.
    public private(set) var leftTrigger: Float = 0
    /// The position of the right trigger: 0 released … 1 pulled.
    public private(set) var rightTrigger: Float = 0
    /// The buttons that are down, in the order in which they were pressed.
    public private(set) var pressed: [GamepadButton] = []
    private var rawLeft = Vector2(0, 0)
    private var rawRight = Vector2(0, 0)
    private var connected: [Int32] = []

    /// Creates a state without a controller.
    public init(deadZone: Float = 0.15) { self.deadZone = clamp(deadZone, 0, 0.99) }

    /// Whether a controller is connected.
    public var isConnected: Bool { !connected.isEmpty }

    /// The left stick: +x right, +y *up*, length at most 1; 0 in the dead zone and continuous at its edge.
    public var left: Vector2 { withoutDeadZone(rawLeft) }
    /// The right stick; see `left`.
    public var right: Vector2 { withoutDeadZone(rawRight) }

    /// Handles an event.
    ///
    /// - Returns: Whether the event came from a game controller.
    @discardableResult public mutating func handle(_ event: InputEvent) -> Bool {
        if event.kind == .focusLost { release() }
        guard case .gamepad(let padEvent, let source) = event.kind else { return false }
        switch padEvent {
        case .disconnected:
            connected.removeAll { $0 == source }
            guard id == source else { break }
            release()
            id = connected.last
        default:
            // An event implies that the controller is connected, even without `connected`.
            if !connected.contains(source) { connected.append(source) }
            if padEvent == .connected, id != nil { break }
            if id != source { release() }
            id = source
            apply(padEvent)
        }
        return true
    }

    private mutating func apply(_ event: GamepadEvent) {
        func clamped(_ position: Vector2) -> Vector2 { position.clamped(lowerBound: Vector2(-1, -1), upperBound: Vector2(1, 1)) }
        switch event {
        case .leftStick(let position): if position.isFinite { rawLeft = clamped(position) }
        case .rightStick(let position): if position.isFinite { rawRight = clamped(position) }
        case .leftTrigger(let pull): leftTrigger = clamp(pull, 0, 1)
        case .rightTrigger(let pull): rightTrigger = clamp(pull, 0, 1)
        case .pressed(let button): if !pressed.contains(button) { pressed.append(button) }
        case .released(let button): pressed.removeAll { $0 == button }
        case .connected, .disconnected: break
        }
    }

    private mutating func release() {
        (rawLeft, rawRight, leftTrigger, rightTrigger, pressed) = (.zero, .zero, 0, 0, [])
    }

    /// Maps the distance beyond the round dead zone to 0…1.
    private func withoutDeadZone(_ raw: Vector2) -> Vector2 {
        let size = length(raw)
        guard size > deadZone else { return .zero }
        return raw / size * min((size - deadZone) / (1 - deadZone), 1)
    }
}
