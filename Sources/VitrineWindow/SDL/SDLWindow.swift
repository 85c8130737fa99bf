internal import CSDL
import Glibc
import VitrineMath

/// An SDL window, from creation to destruction.
@MainActor
final class SDLWindow {
    let handle: OpaquePointer
    let id: UInt32

    /// Creates a window that is hidden until `show()`.
    init(title: String, width: Int, height: Int, isResizable: Bool, isBorderless: Bool = false) throws(WindowError) {
        try SDLVideo.start()
        var flags = SDL_WINDOW_HIDDEN.rawValue | SDL_WINDOW_ALLOW_HIGHDPI.rawValue
        if isResizable { flags |= SDL_WINDOW_RESIZABLE.rawValue }
        if isBorderless { flags |= SDL_WINDOW_BORDERLESS.rawValue }
        // SDL_WINDOWPOS_CENTERED, a macro that Swift does not import.
        let centered: Int32 = 0x2FFF_0000
        guard
            let handle = SDL_CreateWindow(
                SDLVideo.displayable(title), centered, centered, Int32(clamping: width), Int32(clamping: height), flags)
        else {
            let reason = SDLVideo.errorText
            SDLVideo.stop()
            throw WindowError("open a window", reason: "SDL: \(reason)")
        }
        self.handle = handle
        id = SDL_GetWindowID(handle)
    }

    /// Destroys the window. Not in `deinit`, because it must run on the main actor.
    func destroy() {
        SDL_DestroyWindow(handle)
        SDLVideo.stop()
    }

    var title: String {
        get { String(cString: SDL_GetWindowTitle(handle)) }
        set { SDL_SetWindowTitle(handle, SDLVideo.displayable(newValue)) }
    }

    func show() {
        SDL_ShowWindow(handle)
        SDL_RaiseWindow(handle)
    }

    /// The size in points.
    var size: Vector2 {
        var (width, height): (Int32, Int32) = (0, 0)
        SDL_GetWindowSize(handle, &width, &height)
        return Vector2(Float(width), Float(height))
    }

    var pixelSize: (width: Int, height: Int) {
        var (width, height): (Int32, Int32) = (0, 0)
        SDL_GetWindowSizeInPixels(handle, &width, &height)
        return (Int(width), Int(height))
    }

    var isMinimized: Bool { SDL_GetWindowFlags(handle) & SDL_WINDOW_MINIMIZED.rawValue != 0 }

    var isFullscreen: Bool {
        get { SDL_GetWindowFlags(handle) & SDL_WINDOW_FULLSCREEN_DESKTOP.rawValue != 0 }
        set { SDL_SetWindowFullscreen(handle, newValue ? SDL_WINDOW_FULLSCREEN_DESKTOP.rawValue : 0) }
    }

    /// The refresh rate of the display in hertz; 60 if unknown.
    var refreshRate: Double {
        var mode = SDL_DisplayMode()
        let index = SDL_GetWindowDisplayIndex(handle)
        guard index >= 0, SDL_GetCurrentDisplayMode(index, &mode) == 0, mode.refresh_rate > 0 else { return 60 }
        return Double(mode.refresh_rate)
    }

    var native: vitrine_native_window { vitrine_native_window_of(handle) }

    /// The file descriptor of the connection to the window system, on which to wait; nil if there is none.
    var connection: Int32? {
        let native = native
        switch native.system {
        case VITRINE_WINDOW_SYSTEM_X11: return native.connection
        case VITRINE_WINDOW_SYSTEM_WAYLAND:
            // The library that SDL has loaded. Linking it here would require it on machines without Wayland.
            typealias GetDescriptor = @convention(c) (UnsafeMutableRawPointer?) -> Int32
            guard let symbol = dlsym(nil, "wl_display_get_fd") else { return nil }
            return unsafeBitCast(symbol, to: GetDescriptor.self)(native.display)
        default: return nil
        }
    }

    /// Moves events that the GPU driver has read into the queue that SDL reads.
    ///
    /// On X11, the driver uses the same connection. While it waits for a reply, it also reads events into a queue that neither SDL's check of the socket
    /// nor `poll` detects. `XPending` moves them from there.
    func collectEvents() {
        guard native.system == VITRINE_WINDOW_SYSTEM_X11, let display = native.display else { return }
        _ = Self.pending?(display)
    }

    private typealias Pending = @convention(c) (UnsafeMutableRawPointer) -> Int32
    private static let pending: Pending? = {
        // The library that SDL has already loaded, on X11.
        guard let library = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD), let symbol = dlsym(library, "XPending") else { return nil }
        return unsafeBitCast(symbol, to: Pending.self)
    }()

    var isWayland: Bool { native.system == VITRINE_WINDOW_SYSTEM_WAYLAND }
}
