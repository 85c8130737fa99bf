import VitrineMath

/// What happened to a game controller.
public struct GamepadEvent: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        /// It was plugged in, or was there at the start.
        case connected
        case disconnected
        /// A stick's new place: +x right, +y *up*, each −1…1 as the device says it. `Gamepad` cuts out the dead zone.
        case stick(GamepadStick, Vector2)
        /// 0 let go … 1 pulled.
        case trigger(GamepadSide, Float)
        case pressed(GamepadButton)
        case released(GamepadButton)
    }

    /// Tells several controllers apart; never used again once one is disconnected.
    public var id: Int32
    public var kind: Kind

    public init(_ kind: Kind, id: Int32) { (self.kind, self.id) = (kind, id) }
}

public enum GamepadSide: Equatable, Hashable, Sendable {
    case left, right
}

public enum GamepadStick: Equatable, Hashable, Sendable {
    case left, right
}

/// Buttons by their place: `south` is the lowest of the four on the right.
public enum GamepadButton: Equatable, Hashable, Sendable {
    case south, east, west, north
    case up, down, left, right
    case leftShoulder, rightShoulder
    case leftStick, rightStick
    case start, back, guide
}
