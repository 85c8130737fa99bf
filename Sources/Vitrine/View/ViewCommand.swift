import VitrineWindow

/// What a key does in a `SceneView`.
public enum ViewCommand: String, CaseIterable, Sendable {
    case orbitLeft, orbitRight, orbitUp, orbitDown
    case panLeft, panRight, panUp, panDown
    case zoomIn, zoomOut
    case fit, reset, nextCamera, toggleProjection
    case playOrPause, nextAnimation
    case turnEnvironmentLeft, turnEnvironmentRight
    case nextBackground, nextToneMapping, moreExposure, lessExposure, toggleAntialiasing, nextDebugView, previousDebugView
    case toggleStatistics, toggleFullscreen
    case screenshot, help, quit

    /// Whether it moves the camera or plays: what `SceneView.allowsCameraControl` switches. The rest are a viewer's own
    /// (`SceneView.allowsViewerCommands`).
    public var isCameraControl: Bool {
        switch self {
        case .orbitLeft, .orbitRight, .orbitUp, .orbitDown, .panLeft, .panRight, .panUp, .panDown, .zoomIn, .zoomOut, .fit, .reset: true
        default: false
        }
    }

    private typealias Binding = (command: ViewCommand, key: Key, shift: Bool?)

    /// Shift nil: with or without.
    private static let bindings: [Binding] = [
        (.orbitLeft, .left, false), (.orbitRight, .right, false), (.orbitUp, .up, false), (.orbitDown, .down, false),
        (.panLeft, .left, true), (.panRight, .right, true), (.panUp, .up, true), (.panDown, .down, true),
        (.zoomIn, .character("+"), nil), (.zoomIn, .character("="), nil), (.zoomOut, .character("-"), nil),
        (.fit, .character("f"), nil), (.reset, .character("r"), nil), (.reset, .home, nil),
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
    ]

    /// The command of a key; nil where it has none. Keys with control, alt or command held have none: they belong to the desktop.
    public init?(_ key: Key, _ modifiers: KeyModifiers) {
        guard modifiers.isDisjoint(with: [.control, .alt, .command]) else { return nil }
        let shift = modifiers.contains(.shift)
        guard let found = Self.bindings.first(where: { $0.key == key && ($0.shift ?? shift) == shift }) else { return nil }
        self = found.command
    }

    /// Whether holding the key does it again and again.
    var repeats: Bool {
        switch self {
        case .turnEnvironmentLeft, .turnEnvironmentRight, .moreExposure, .lessExposure: true
        default: isCameraControl && self != .fit && self != .reset
        }
    }

    /// Gestures and keys, and what they do.
    private static let helpRows = [
        ("left drag, one finger", "turn the camera"), ("wheel, pinch", "nearer, farther"),
        ("right drag, two fingers", "move the camera"), ("shift + drag", "turn the environment"),
        ("double click", "turn around that point"), ("arrows", "turn"),
        ("shift + arrows", "move"), ("+ -", "nearer, farther"),
        ("F", "show all of it"), ("R Home", "back to the start"),
        ("C", "next camera of the file"), ("O", "perspective, orthographic"),
        ("Space", "play, pause"), ("N", "next animation"),
        (", .", "turn the environment"), ("B", "next background"),
        ("PageUp PageDown", "brighter, darker"), ("T", "next tone mapping"),
        ("M", "antialiasing on, off"), ("D, shift + D", "next, previous debug view"),
        ("S", "statistics"), ("F11", "full screen"),
        ("P F12", "write an image"), ("H F1", "this help"),
        ("Esc Q", "close"),
    ]

    /// The help for gestures and keys that `H` shows, in two columns.
    public static let helpText = helpLines(columns: 2).joined(separator: "\n")

    /// - Parameter columns: 1 or 2.
    static func helpLines(columns: Int) -> [String] {
        func pad(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
        let keys = helpRows.map(\.0.count).max() ?? 0
        let width = keys + 2 + (helpRows.map(\.1.count).max() ?? 0) + 3
        let cells = helpRows.map { pad($0.0, keys + 2) + $0.1 }
        let rows = (cells.count + columns - 1) / columns
        let table = (0..<rows).map { row in
            let line = (0..<columns).map { $0 * rows + row }.filter { $0 < cells.count }.map { cells[$0] }
            return line.count > 1 ? pad(line[0], width) + line[1] : line[0]
        }
        let drop = ["Drop a model or an environment image on the window to show it."]
        return table + (columns == 1 ? ["Drop a model or an environment", "image on the window to show it."] : drop)
    }
}
