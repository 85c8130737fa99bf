import VitrineMath

/// An input event of a window or a device, with its time and the modifier keys.
///
/// Positions are in points from the window's upper left corner, y down. A point is one pixel on standard displays and several on
/// high-density ones.
public struct InputEvent: Equatable, Sendable {
    /// The kind of an event, with its data.
    public enum Kind: Equatable, Sendable {
        /// `clicks` counts quick presses at one position: 2 is a double click.
        case pointerPressed(PointerButton, at: Vector2, clicks: Int)
        /// The mouse moved, with or without a button down.
        case pointerMoved(to: Vector2)
        /// A mouse button was released.
        case pointerReleased(PointerButton, at: Vector2)
        /// Notches of a wheel, fractions from a touchpad; positive y rolls away from the user, positive x to the right.
        case scrolled(Vector2, at: Vector2)
        /// A finger, identified by `id` until it ends.
        case touchBegan(id: Int64, at: Vector2)
        /// A finger moved.
        case touchMoved(id: Int64, to: Vector2)
        /// A finger was lifted.
        case touchEnded(id: Int64, at: Vector2)
        /// The system has taken over the finger for a system gesture.
        case touchCancelled(id: Int64)
        /// A key went down, or the keyboard repeats a key that is down.
        case keyPressed(Key, isRepeat: Bool)
        /// A key was released.
        case keyReleased(Key)
        /// The paths of files that were dropped together.
        case filesDropped([String])
        /// The window has lost the keyboard and the pointer: all keys, buttons and fingers count as released.
        case focusLost
        /// A game controller; `id` identifies it until it is disconnected.
        case gamepad(GamepadEvent, id: Int32)
        /// The attitude of the device: `referenceFromDevice`, +x right, +y up and +z out of the screen.
        case attitude(Quaternion)
    }

    /// The kind of the event.
    public var kind: Kind
    /// The modifier keys that were down.
    public var modifiers: KeyModifiers
    /// The time in seconds on the clock of the frames (`WindowFrame.time`).
    public var time: Double

    /// Creates an event.
    public init(_ kind: Kind, modifiers: KeyModifiers = [], time: Double) {
        (self.kind, self.modifiers, self.time) = (kind, modifiers, time)
    }

    /// The position in points; nil for events without one.
    public var position: Vector2? {
        switch kind {
        case .pointerPressed(_, let position, _), .pointerMoved(let position), .pointerReleased(_, let position),
            .scrolled(_, let position), .touchBegan(_, let position), .touchMoved(_, let position), .touchEnded(_, let position):
            position
        case .touchCancelled, .keyPressed, .keyReleased, .filesDropped, .focusLost, .gamepad, .attitude: nil
        }
    }
}

/// A mouse button.
public enum PointerButton: Equatable, Hashable, Sendable {
    /// The left button, or the right one for users who swapped them.
    case left
    /// The middle button, or a press of the wheel.
    case middle
    /// The right button, which usually opens menus.
    case right
    /// A further button, from 4.
    case other(Int)
}

/// A set of modifier keys.
public struct KeyModifiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The shift key.
    public static let shift = KeyModifiers(rawValue: 1)
    /// The control key.
    public static let control = KeyModifiers(rawValue: 2)
    /// The alt or option key.
    public static let alt = KeyModifiers(rawValue: 4)
    /// The command key, or the Windows key.
    public static let command = KeyModifiers(rawValue: 8)
}

/// A key, by the character that it types in the user's keyboard layout, in lower case.
public enum Key: Equatable, Hashable, Sendable {
    /// A letter, digit or symbol, in lower case.
    case character(Character)
    /// The left arrow key.
    case left
    /// The right arrow key.
    case right
    /// The up arrow key.
    case up
    /// The down arrow key.
    case down
    /// The Home key.
    case home
    /// The End key.
    case end
    /// The Page Up key.
    case pageUp
    /// The Page Down key.
    case pageDown
    /// The Escape key.
    case escape
    /// The space bar.
    case space
    /// The Tab key.
    case tab
    /// Enter or return, also of the keypad.
    case enter
    /// The Backspace key, which deletes backwards.
    case backspace
    /// The Delete key, which deletes forwards.
    case delete
    /// F1 is 1.
    case function(Int)
    /// Any other key, identified by its SDL key code.
    case other(Int32)
}
