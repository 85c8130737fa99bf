import VitrineMath

/// An event of a game controller.
public struct GamepadEvent: Equatable, Sendable {
    /// The kind of an event, with its data.
    public enum Kind: Equatable, Sendable {
        /// The controller was connected, or is connected at the start.
        case connected
        case disconnected
        /// The new position of a stick: +x right, +y *up*, each −1…1 as the device reports it. `Gamepad` removes the dead zone.
        case stick(GamepadSide, Vector2)
        /// The new position of a trigger: 0 released … 1 pulled.
        case trigger(GamepadSide, Float)
        case pressed(GamepadButton)
        case released(GamepadButton)
    }

    /// Identifies the controller. Never reused after `disconnected`.
    public var id: Int32
    /// The kind of the event.
    public var kind: Kind

    /// Creates an event.
    public init(_ kind: Kind, id: Int32) { (self.kind, self.id) = (kind, id) }
}

/// The side of a stick or trigger.
public enum GamepadSide: Equatable, Hashable, Sendable {
    case left, right
}

/// The buttons of a game controller, by position: `south` is the lowest of the four on the right.
public enum GamepadButton: Equatable, Hashable, Sendable {
    case south, east, west, north
    case up, down, left, right
    case leftShoulder, rightShoulder
    case leftStick, rightStick
    case start, back, guide
}
