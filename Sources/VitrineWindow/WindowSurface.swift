internal import CSDL
import VitrineGPU

/// The GPU surface and device of a window. Reconfigures or recreates the surface when the window changes.
@MainActor
final class WindowSurface {
    enum Outcome {
        case shown
        /// The window changed before the frame was presented.
        case tryAgain
        /// The window is occluded.
        case invisible
    }

    let device: GPUDevice
    let format: GPUTextureFormat
    private let window: SDLWindow
    private let instance: GPUInstance
    private let presentMode: GPUPresentMode
    private var surface: GPUSurface
    private var isConfigured = false

    init(_ window: SDLWindow, options: Window.Options) throws {
        self.window = window
        instance = GPUInstance()
        surface = try GPUSurface(try Self.handle(of: window), instance: instance)
        let adapter = try instance.adapter(options.adapter.choice, for: surface)
        device = try adapter.makeDevice(label: "window")
        let able = surface.capabilities(on: adapter)
        format = Self.format(among: able.formats)
        let mode = options.presentMode.gpu
        presentMode = able.presentModes.contains(mode) ? mode : .fifo
    }

    private static func handle(of window: SDLWindow) throws(WindowError) -> GPUWindowHandle {
        let native = window.native
        if native.system == VITRINE_WINDOW_SYSTEM_X11, let display = native.display {
            return .xlib(display: display, window: native.window)
        }
        if native.system == VITRINE_WINDOW_SYSTEM_WAYLAND, let display = native.display, let surface = native.surface {
            return .wayland(display: display, surface: surface)
        }
        let driver = SDL_GetCurrentVideoDriver().map { String(cString: $0) } ?? "none"
        throw WindowError(
            "open a window", reason: "no X11 or Wayland display: are DISPLAY or WAYLAND_DISPLAY set? (SDL's video driver is '\(driver)')")
    }

    /// Returns the best format; prefers sRGB formats, in which samples are averaged as linear light.
    private static func format(among formats: [GPUTextureFormat]) -> GPUTextureFormat {
        for wanted in [GPUTextureFormat.bgra8UnormSRGB, .rgba8UnormSRGB, .bgra8Unorm, .rgba8Unorm] where formats.contains(wanted) {
            return wanted
        }
        return formats.first ?? .bgra8Unorm
    }

    /// Draws a frame and presents it.
    func draw(width: Int, height: Int, _ body: (GPUTextureView) throws -> Void) throws -> Outcome {
        if !isConfigured || surface.configuration?.width != width || surface.configuration?.height != height {
            try configure(width: width, height: height)
        }
        switch try surface.acquire() {
        case .ready(let texture, let isSuboptimal):
            try body(try texture.makeView())
            try surface.present()
            if isSuboptimal { isConfigured = false }
            try device.checkErrors()
            return .shown
        case .outdated:
            isConfigured = false
            return .tryAgain
        case .lost:
            surface = try GPUSurface(try Self.handle(of: window), instance: instance)
            isConfigured = false
            return .tryAgain
        case .timeout: return .tryAgain
        case .occluded: return .invisible
        }
    }

    private func configure(width: Int, height: Int) throws {
        try surface.configure(
            device, GPUSurfaceConfiguration(width: width, height: height, format: format, presentMode: presentMode))
        isConfigured = true
    }
}
