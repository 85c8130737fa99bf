internal import CSDL
import Glibc
import VitrineMath

/// One window of SDL's, from creation to destruction.
@MainActor
final class SDLWindow {
    let handle: OpaquePointer
    let id: UInt32

    /// Hidden until `show()`.
    init(title: String, width: Int, height: Int, isResizable: Bool, isBorderless: Bool = false) throws(WindowError) {
        try SDLVideo.start()
        var flags = SDL_WINDOW_HIDDEN.rawValue | SDL_WINDOW_ALLOW_HIGHDPI.rawValue
        if isResizable { flags |= SDL_WINDOW_RESIZABLE.rawValue }
        if isBorderless { flags |= SDL_WINDOW_BORDERLESS.rawValue }
        // SDL_WINDOWPOS_CENTERED, a macro that Swift doesn't see.
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

    /// Explicit, because it must happen on the main actor.
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

    /// Points.
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

    /// Pictures a second that the display shows; 60 where it doesn't say.
    var refreshRate: Double {
        var mode = SDL_DisplayMode()
        let index = SDL_GetWindowDisplayIndex(handle)
        guard index >= 0, SDL_GetCurrentDisplayMode(index, &mode) == 0, mode.refresh_rate > 0 else { return 60 }
        return Double(mode.refresh_rate)
    }

    var native: vitrine_native_window { vitrine_native_window_of(handle) }

    /// What tells of new events when it is waited for; nil where there is no such thing.
    var connection: Int32? {
        let native = native
        switch native.system {
        case VITRINE_WINDOW_SYSTEM_X11: return native.connection
        case VITRINE_WINDOW_SYSTEM_WAYLAND:
            // SDL has loaded the library; linking it here would make it a must on machines without Wayland.
            typealias GetDescriptor = @convention(c) (UnsafeMutableRawPointer?) -> Int32
            guard let symbol = dlsym(nil, "wl_display_get_fd") else { return nil }
            return unsafeBitCast(symbol, to: GetDescriptor.self)(native.display)
        default: return nil
        }
    }

    /// Brings events to where SDL looks for them.
    ///
    /// On X11 the GPU's driver talks over the same connection; while it waits for an answer it reads whatever comes, and events then lie in
    /// a queue that neither SDL's look at the socket nor `poll` sees. `XPending` takes them out of there.
    func collectEvents() {
        guard native.system == VITRINE_WINDOW_SYSTEM_X11, let display = native.display else { return }
        _ = Self.pending?(display)
    }

    private typealias Pending = @convention(c) (UnsafeMutableRawPointer) -> Int32
    private static let pending: Pending? = {
        // The library that SDL has loaded already: no second copy, and no need for it where there is no X11.
        guard let library = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD), let symbol = dlsym(library, "XPending") else { return nil }
        return unsafeBitCast(symbol, to: Pending.self)
    }()

    var isWayland: Bool { native.system == VITRINE_WINDOW_SYSTEM_WAYLAND }
}
