internal import CSDL
import VitrineMotion
import VitrineRender

/// A small window with a progress bar and the loading stage, drawn by SDL without the GPU.
@MainActor
final class ProgressWindow {
    private let window: SDLWindow
    private let mailbox: EventMailbox
    private let name: String
    /// The text of the last drawing.
    private var drawn = ""

    private static let (width, height, margin) = (420, 84, 22)

    init(name: String) throws(WindowError) {
        self.name = name
        window = try SDLWindow(title: name, width: Self.width, height: Self.height, isResizable: false)
        mailbox = SDLEventHub.shared.open(for: window)
        window.show()
    }

    func close() {
        SDLEventHub.shared.close(mailbox)
        window.destroy()
    }

    /// Shows the progress.
    ///
    /// - Parameter fraction: The completed fraction, 0…1.
    /// - Returns: Whether the user closed the window, and the keys pressed in it.
    func update(_ fraction: Double, stage: String) -> (isClosed: Bool, keys: [InputEvent]) {
        let events = mailbox.takeAll()
        let percent = Int((fraction * 100).rounded())
        let title = "\(name) - \(stage) \(percent) %"
        if window.title != title { window.title = title }
        let text = "\(stage) \(percent) %"
        if text != drawn || events.contains(.exposed) { draw(percent, text) }
        let keys = events.compactMap { event -> InputEvent? in if case .input(let input) = event { input } else { nil } }
        return (events.contains(.closeRequested), keys)
    }

    private func draw(_ percent: Int, _ text: String) {
        guard let surface = SDL_GetWindowSurface(window.handle) else { return }
        let (width, height) = (Int(surface.pointee.w), Int(surface.pointee.h))
        let margin = min(Self.margin, height / 4)
        let bar = max(0, width - 2 * margin)
        // The bar is in the lower half, the text above.
        let (top, thickness) = (height / 2 + 4, max(1, height / 2 - 4 - margin))
        fill(surface, x: 0, width: width, y: 0, height: height, 0x1C, 0x1C, 0x1E)
        fill(surface, x: margin, width: bar, y: top, height: thickness, 0x3A, 0x3A, 0x3C)
        fill(surface, x: margin, width: bar * percent / 100, y: top, height: thickness, 0xE8, 0xE8, 0xED)
        write(text, surface, x: margin, y: top)
        SDL_UpdateWindowSurface(window.handle)
        drawn = text
    }

    /// Blends text onto the surface, with its left edge at `x` and its lower edge at `y`.
    private func write(_ text: String, _ surface: UnsafeMutablePointer<SDL_Surface>, x: Int, y: Int) {
        var raster = TextRaster([text], unit: 1.5)
        let (width, height) = (raster.width, raster.height)
        raster.withPixels { pixels in
            // SDL blends straight alpha: the font is white, the panel behind it is black.
            guard
                let image = SDL_CreateRGBSurfaceWithFormatFrom(
                    pixels, Int32(width), Int32(height), 32, Int32(width * 4), UInt32(SDL_PIXELFORMAT_RGBA32.rawValue))
            else { return }
            defer { SDL_FreeSurface(image) }
            var rectangle = SDL_Rect(x: Int32(x - 6), y: Int32(max(0, y - height)), w: Int32(width), h: Int32(height))
            SDL_SetSurfaceBlendMode(image, SDL_BLENDMODE_ADD)
            SDL_UpperBlit(image, nil, surface, &rectangle)
        }
    }

    private func fill(
        _ surface: UnsafeMutablePointer<SDL_Surface>, x: Int, width: Int, y: Int, height: Int, _ red: UInt8, _ green: UInt8, _ blue: UInt8
    ) {
        var rectangle = SDL_Rect(x: Int32(x), y: Int32(y), w: Int32(width), h: Int32(height))
        SDL_FillRect(surface, &rectangle, SDL_MapRGB(surface.pointee.format, red, green, blue))
    }
}
