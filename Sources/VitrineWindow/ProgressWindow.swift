internal import CSDL

/// A small bar that fills while something loads, drawn by SDL without the GPU. The title carries the words.
@MainActor
final class ProgressWindow {
    private let window: SDLWindow
    private let mailbox: EventMailbox
    private let name: String
    private var drawn = -1

    private static let (width, height, margin) = (420, 56, 22)

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

    /// - Parameter fraction: 0…1.
    /// - Returns: whether the person closed the window, which means: don't.
    func update(_ fraction: Double, stage: String) -> Bool {
        let events = mailbox.takeAll()
        let percent = Int((fraction * 100).rounded())
        let title = "\(name) - \(stage) \(percent) %"
        if window.title != title { window.title = title }
        if percent != drawn || events.contains(.exposed) { draw(percent) }
        return events.contains(.closeRequested)
    }

    private func draw(_ percent: Int) {
        guard let surface = SDL_GetWindowSurface(window.handle) else { return }
        let (width, height) = (Int(surface.pointee.w), Int(surface.pointee.h))
        let margin = min(Self.margin, height / 3)
        let bar = max(0, width - 2 * margin)
        fill(surface, x: 0, width: width, y: 0, height: height, 0x1C, 0x1C, 0x1E)
        fill(surface, x: margin, width: bar, y: margin, height: height - 2 * margin, 0x3A, 0x3A, 0x3C)
        fill(surface, x: margin, width: bar * percent / 100, y: margin, height: height - 2 * margin, 0xE8, 0xE8, 0xED)
        SDL_UpdateWindowSurface(window.handle)
        drawn = percent
    }

    private func fill(
        _ surface: UnsafeMutablePointer<SDL_Surface>, x: Int, width: Int, y: Int, height: Int, _ red: UInt8, _ green: UInt8, _ blue: UInt8
    ) {
        var rectangle = SDL_Rect(x: Int32(x), y: Int32(y), w: Int32(width), h: Int32(height))
        SDL_FillRect(surface, &rectangle, SDL_MapRGB(surface.pointee.format, red, green, blue))
    }
}
