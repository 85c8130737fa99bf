import VitrineMath

/// What a person did to a window or with a device, with the time and the modifier keys that were down.
///
/// Positions are in points from the window's upper left corner, y down. A point is a pixel on ordinary screens and several on
/// high-density ones.
public struct InputEvent: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        /// `clicks` counts quick presses at one place: 2 is a double click.
        case pointerPressed(PointerButton, at: Vector2, clicks: Int)
        case pointerMoved(to: Vector2)
        case pointerReleased(PointerButton, at: Vector2)
        /// Notches of a wheel, fractions from a touchpad; positive y rolls away from the person, positive x to the right.
        case scrolled(Vector2, at: Vector2)
        /// A finger, told from the others by `id` until it ends.
        case touchBegan(id: Int64, at: Vector2)
        case touchMoved(id: Int64, to: Vector2)
        case touchEnded(id: Int64, at: Vector2)
        /// The system took the finger away, for a gesture of its own.
        case touchCancelled(id: Int64)
        case keyPressed(Key, isRepeat: Bool)
        case keyReleased(Key)
        /// Paths of files that were dropped together, in the order they came.
        case filesDropped([String])
        /// The window no longer hears the keyboard and the pointer: what was held counts as let go.
        case focusLost
        case gamepad(GamepadEvent)
        /// How the device is held: `referenceFromDevice`, +x right, +y up and +z out of the screen.
        case attitude(Quaternion)
    }

    public var kind: Kind
    public var modifiers: KeyModifiers
    /// Seconds on the clock that frames are drawn by (`WindowFrame.time`).
    public var time: Double

    public init(_ kind: Kind, modifiers: KeyModifiers = [], time: Double) {
        (self.kind, self.modifiers, self.time) = (kind, modifiers, time)
    }

    /// Where it happened, points; nil where it has no place.
    public var position: Vector2? {
        switch kind {
        case .pointerPressed(_, let position, _), .pointerMoved(let position), .pointerReleased(_, let position),
            .scrolled(_, let position), .touchBegan(_, let position), .touchMoved(_, let position), .touchEnded(_, let position):
            position
        case .touchCancelled, .keyPressed, .keyReleased, .filesDropped, .focusLost, .gamepad, .attitude: nil
        }
    }
}

public enum PointerButton: Equatable, Hashable, Sendable {
    case left, middle, right
    /// The ones beyond, from 4.
    case other(Int)
}

public struct KeyModifiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let shift = KeyModifiers(rawValue: 1)
    public static let control = KeyModifiers(rawValue: 2)
    public static let alt = KeyModifiers(rawValue: 4)
    /// Command or the Windows key.
    public static let command = KeyModifiers(rawValue: 8)
}

/// A key by what it types, lower case, so that R is where the person's layout has it.
public enum Key: Equatable, Hashable, Sendable {
    case character(Character)
    case left, right, up, down
    case home, end, pageUp, pageDown
    case escape, space, tab, enter, backspace, delete
    /// F1 is 1.
    case function(Int)
    /// A key that has no name here.
    case other(Int32)
}
