import VitrineMotion
import VitrineStage

/// A command of a `Viewer`, by a key or by the program. `CameraCommand` has those that move the camera.
public enum ViewerCommand: String, CaseIterable, Sendable {
    case nextCamera, toggleProjection
    case playOrPause, nextAnimation
    /// Rotates the environment by 5°.
    case turnEnvironmentLeft, turnEnvironmentRight
    case nextBackground, nextToneMapping
    /// Changes the exposure by a third of a stop.
    case moreExposure, lessExposure
    case toggleAntialiasing, nextDebugView, previousDebugView
    case toggleStatistics, toggleFullscreen
    case screenshot, help, quit

    /// Returns the command of a key; nil if it has none. Keys with control, alt or command belong to the desktop and have none.
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

    /// The table of gestures and keys that `H` shows, in two columns.
    public static var helpText: String { ViewerHelp.lines(columns: 2).joined(separator: "\n") }
}
