internal import CSDL
import VitrineGPU

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// SDL's video part, started once for the process.
@MainActor
enum SDLVideo {
    private static var users = 0

    static func start() throws(WindowError) {
        users += 1
        guard users == 1 else { return }
        // SDL connects to Wayland too.
        _ = WaylandLog.isQuiet
        setHints()
        takeCharacterSet()
        SDL_SetMainReady()
        guard SDL_InitSubSystem(SDL_INIT_VIDEO) == 0 else {
            users = 0
            throw WindowError("open a window", reason: "SDL: \(errorText)")
        }
        // Nothing here takes text, and an input method would swallow keys.
        SDL_StopTextInput()
        // A picture that stands still is no film: the screen may go dark.
        SDL_EnableScreenSaver()
    }

    static func stop() {
        users -= 1
        if users == 0 { SDL_QuitSubSystem(SDL_INIT_VIDEO) }
    }

    private static func setHints() {
        // Touches come as touches only, not as a mouse too.
        SDL_SetHint(SDL_HINT_TOUCH_MOUSE_EVENTS, "0")
        SDL_SetHint(SDL_HINT_MOUSE_TOUCH_EVENTS, "0")
        // The click that brings a window to the front already counts.
        SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1")
        SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1")
        // Control-C ends the program, as a person expects of a command.
        SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1")
    }

    /// SDL hands titles to X11 in the process's character set, and a process has ASCII until it asks for the person's own.
    private static func takeCharacterSet() {
        if isASCIIOnly { setlocale(LC_CTYPE, "") }
    }

    private static var isASCIIOnly: Bool { setlocale(LC_CTYPE, nil).map { ["C", "POSIX"].contains(String(cString: $0)) } ?? true }

    /// A title that can be shown: without a character set SDL would drop one with other letters as a whole.
    static func displayable(_ title: String) -> String {
        isASCIIOnly ? String(title.map { $0.isASCII ? $0 : "?" }) : title
    }

    static var errorText: String { String(cString: SDL_GetError()) }

    /// Seconds since SDL began: the clock of events and frames.
    static var now: Double {
        Double(SDL_GetPerformanceCounter() &- firstCount) / Double(SDL_GetPerformanceFrequency())
    }
    private static let firstCount = SDL_GetPerformanceCounter() &- SDL_GetTicks64() &* (SDL_GetPerformanceFrequency() / 1000)
}
