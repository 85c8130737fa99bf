import VitrineMotion

/// A command that moves the camera of a view, by a key or by the program.
public enum CameraCommand: String, CaseIterable, Sendable {
    /// Orbits by 15° to the left.
    case orbitLeft
    /// Orbits by 15° to the right.
    case orbitRight
    /// Orbits by 15° upwards.
    case orbitUp
    /// Orbits by 15° downwards.
    case orbitDown
    /// Moves the camera to the left by a tenth of the view's height.
    case panLeft
    /// Moves the camera to the right by a tenth of the view's height.
    case panRight
    /// Moves the camera up by a tenth of the view's height.
    case panUp
    /// Moves the camera down by a tenth of the view's height.
    case panDown
    /// Divides the distance by 1.25.
    case zoomIn
    /// Multiplies the distance by 1.25.
    case zoomOut
    /// Shows the whole scene from the same direction.
    case fit
    /// Returns to the initial camera.
    case reset

    /// Returns the command of a key; nil if it has none. Keys with control, alt or command are reserved for the desktop and have none.
    public init?(_ key: Key, _ modifiers: KeyModifiers) {
        guard let command = Self.bindings.command(key, modifiers) else { return nil }
        self = command
    }

    private static let bindings = KeyBindings<CameraCommand>([
        (.orbitLeft, .left, false), (.orbitRight, .right, false), (.orbitUp, .up, false), (.orbitDown, .down, false),
        (.panLeft, .left, true), (.panRight, .right, true), (.panUp, .up, true), (.panDown, .down, true),
        (.zoomIn, .character("+"), nil), (.zoomIn, .character("="), nil), (.zoomOut, .character("-"), nil),
        (.fit, .character("f"), nil), (.reset, .character("r"), nil), (.reset, .home, nil),
    ])

    /// Whether holding the key repeats the command.
    package var repeats: Bool { self != .fit && self != .reset }
}
