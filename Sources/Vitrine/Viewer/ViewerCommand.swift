import VitrineMotion
import VitrineStage

/// A command of a `Viewer`, by a key or by the program. `CameraCommand` has those that move the camera.
package enum ViewerCommand: String, CaseIterable, Sendable {
    /// Shows the next camera of the file; after the last one, the user's.
    case nextCamera
    /// Switches between perspective and orthographic projection.
    case toggleProjection
    /// Starts or pauses animations.
    case playOrPause
    /// Plays the next animation of the file.
    case nextAnimation
    /// Rotates the environment by 5° to the left.
    case turnEnvironmentLeft
    /// Rotates the environment by 5° to the right.
    case turnEnvironmentRight
    /// Shows the environment, white, grey, black or the scene's own background, in turn.
    case nextBackground
    /// Selects the next tone mapping.
    case nextToneMapping
    /// Increases the exposure by a third of a stop.
    case moreExposure
    /// Decreases the exposure by a third of a stop.
    case lessExposure
    /// Switches between 1 and 4 samples per pixel.
    case toggleAntialiasing
    /// Shows the next surface property (`DebugView`) in place of the shaded model.
    case nextDebugView
    /// Shows the previous surface property.
    case previousDebugView
    /// Shows or hides the cost of frames.
    case toggleStatistics
    /// Enters or leaves full screen.
    case toggleFullscreen
    /// Writes the current image as a PNG file.
    case screenshot
    /// Shows or hides the table of gestures and keys.
    case help
    /// Closes the window.
    case quit

    /// Returns the command of a key; nil if it has none. Keys with control, alt or command are reserved for the desktop and have none.
    public init?(_ key: Key, _ modifiers: KeyModifiers) {
        guard let command = Self.bindings.command(key, modifiers) else { return nil }
        self = command
    }

    private static let bindings = KeyBindings<ViewerCommand>([
        (.nextCamera, .character("c"), nil), (.toggleProjection, .character("o"), nil),
        (.playOrPause, .space, nil), (.nextAnimation, .character("n"), nil),
        (.turnEnvironmentLeft, .character(","), nil), (.turnEnvironmentRight, .character("."), nil),
        (.nextBackground, .character("b"), nil), (.nextToneMapping, .character("t"), nil),
        (.moreExposure, .pageUp, nil), (.lessExposure, .pageDown, nil),
        (.toggleAntialiasing, .character("m"), nil), (.nextDebugView, .character("d"), false), (.previousDebugView, .character("d"), true),
        (.toggleStatistics, .character("s"), nil), (.toggleFullscreen, .function(11), nil),
        (.screenshot, .character("p"), nil), (.screenshot, .function(12), nil),
        (.help, .character("h"), nil), (.help, .function(1), nil),
        (.quit, .escape, nil), (.quit, .character("q"), nil),
    ])

    /// Whether holding the key repeats the command.
    var repeats: Bool {
        switch self {
        case .turnEnvironmentLeft, .turnEnvironmentRight, .moreExposure, .lessExposure: true
        default: false
        }
    }

    /// The table of gestures and keys that the key H shows, in two columns.
    public static var helpText: String { ViewerHelp.lines(columns: 2).joined(separator: "\n") }
}
