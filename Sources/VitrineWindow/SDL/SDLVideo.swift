internal import CSDL
import VitrineGPU

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// SDL's video subsystem, started once for the process.
@MainActor
enum SDLVideo {
    private static var users = 0

    static func start() throws(WindowError) {
        users += 1
        guard users == 1 else { return }
        // SDL connects to Wayland, which logs to standard error.
        _ = WaylandLog.isQuiet
        setHints()
        setCharacterSet()
        SDL_SetMainReady()
        guard SDL_InitSubSystem(SDL_INIT_VIDEO) == 0 else {
            users = 0
            throw WindowError("open a window", reason: "SDL: \(errorText)")
        }
        // An input method would consume key events.
        SDL_StopTextInput()
        // SDL disables the screen saver by default, as for games.
        SDL_EnableScreenSaver()
    }

    static func stop() {
        users -= 1
        if users == 0 { SDL_QuitSubSystem(SDL_INIT_VIDEO) }
    }

    private static func setHints() {
        // Do not report touches as mouse events too.
        SDL_SetHint(SDL_HINT_TOUCH_MOUSE_EVENTS, "0")
        SDL_SetHint(SDL_HINT_MOUSE_TOUCH_EVENTS, "0")
        // Report the click that activates a window.
        SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1")
        SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1")
        // Control-C ends the program.
        SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1")
    }

    /// Sets the character set of the process to that of the user: SDL passes titles to X11 in this character set, which is initially ASCII.
    private static func setCharacterSet() {
        if isASCIIOnly { setlocale(LC_CTYPE, "") }
    }

    private static var isASCIIOnly: Bool { setlocale(LC_CTYPE, nil).map { ["C", "POSIX"].contains(String(cString: $0)) } ?? true }

    /// Replaces characters that the process's character set does not contain, because SDL would drop the whole title.
    static func displayable(_ title: String) -> String {
        isASCIIOnly ? String(title.map { $0.isASCII ? $0 : "?" }) : title
    }

    static var errorText: String { String(cString: SDL_GetError()) }

    /// The time in seconds since SDL started: the clock of events and frames.
    static var now: Double {
        Double(SDL_GetPerformanceCounter() &- firstCount) / Double(SDL_GetPerformanceFrequency())
    }
    private static let firstCount = SDL_GetPerformanceCounter() &- SDL_GetTicks64() &* (SDL_GetPerformanceFrequency() / 1000)
}
