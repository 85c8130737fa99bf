import VitrineMath

/// An event of a game controller; `InputEvent.Kind.gamepad` adds the controller's identifier.
public enum GamepadEvent: Equatable, Sendable {
    /// The controller was connected, or is connected at the start.
    case connected
    /// The controller was disconnected; its identifier is never used again.
    case disconnected
    /// The new position of the left stick: +x right, +y *up*, each −1…1 as the device reports it. `Gamepad` removes the dead zone.
    case leftStick(Vector2)
    /// The new position of the right stick; see `leftStick`.
    case rightStick(Vector2)
    /// The new position of the left trigger: 0 released … 1 pulled.
    case leftTrigger(Float)
    /// The new position of the right trigger: 0 released … 1 pulled.
    case rightTrigger(Float)
    /// A button went down.
    case pressed(GamepadButton)
    /// A button was released.
    case released(GamepadButton)
}

/// The buttons of a game controller, by position: controllers label them differently.
public enum GamepadButton: Equatable, Hashable, Sendable {
    /// The lowest of the four buttons on the right: A on Xbox, × on PlayStation.
    case south
    /// The right one of the four: B on Xbox, ○ on PlayStation.
    case east
    /// The left one of the four face buttons: X on Xbox, □ on PlayStation.
    case west
    /// The upper one of the four face buttons: Y on Xbox, △ on PlayStation.
    case north
    /// The upper arm of the directional pad.
    case up
    /// The lower arm of the directional pad.
    case down
    /// The left arm of the directional pad.
    case left
    /// The right arm of the directional pad.
    case right
    /// The button above the left trigger.
    case leftShoulder
    /// The button above the right trigger.
    case rightShoulder
    /// The left stick, pressed in.
    case leftStick
    /// The right stick, pressed in.
    case rightStick
    /// The menu or options button.
    case start
    /// The view, share or select button.
    case back
    /// The button with the manufacturer's logo.
    case guide
}
