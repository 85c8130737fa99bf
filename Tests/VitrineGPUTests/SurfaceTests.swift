import Foundation
import Testing

@testable import VitrineGPU

/// A virtual X server of its own, driven through the few functions of libX11 that make a window.
///
/// nil without Xvfb or libX11: surfaces are then not tested.
final class VirtualScreen {
    private let server: Process
    private let library: UnsafeMutableRawPointer
    let display: UnsafeMutableRawPointer
    private let root: UInt

    init?() {
        let paths = ["/usr/bin/Xvfb", "/usr/local/bin/Xvfb"]
        guard let library = dlopen("libX11.so.6", RTLD_NOW),
            let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) })
        else { return nil }
        server = Process()
        server.executableURL = URL(fileURLWithPath: path)
        server.arguments = ["-displayfd", "1", "-screen", "0", "320x240x24", "-nolisten", "tcp"]
        let number = Pipe()
        server.standardOutput = number
        server.standardError = FileHandle.nullDevice
        guard (try? server.run()) != nil else { return nil }
        // The server writes its number when it is ready.
        let text = String(decoding: number.fileHandleForReading.availableData, as: UTF8.self).trimmingCharacters(
            in: .whitespacesAndNewlines)
        typealias OpenDisplay = @convention(c) (UnsafePointer<CChar>) -> UnsafeMutableRawPointer?
        typealias RootWindow = @convention(c) (UnsafeMutableRawPointer) -> UInt
        guard let display = Self.function("XOpenDisplay", in: library, OpenDisplay.self)(":" + text) else {
            server.terminate()
            return nil
        }
        self.library = library
        self.display = display
        root = Self.function("XDefaultRootWindow", in: library, RootWindow.self)(display)
        // Errors of the X server (an unknown window) must not end the process.
        typealias Handler = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32
        typealias SetHandler = @convention(c) (Handler) -> UnsafeMutableRawPointer?
        _ = Self.function("XSetErrorHandler", in: library, SetHandler.self)({ _, _ in 0 })
    }

    // The display stays open: drivers may use it until their instance is released.
    deinit { server.terminate() }

    func makeWindow(width: UInt32, height: UInt32) -> UInt {
        typealias Create = @convention(c) (UnsafeMutableRawPointer, UInt, Int32, Int32, UInt32, UInt32, UInt32, UInt, UInt) -> UInt
        typealias Map = @convention(c) (UnsafeMutableRawPointer, UInt) -> Int32
        let window = Self.function("XCreateSimpleWindow", in: library, Create.self)(display, root, 0, 0, width, height, 0, 0, 0)
        _ = Self.function("XMapWindow", in: library, Map.self)(display, window)
        synchronize()
        return window
    }

    func resize(_ window: UInt, width: UInt32, height: UInt32) {
        typealias Resize = @convention(c) (UnsafeMutableRawPointer, UInt, UInt32, UInt32) -> Int32
        _ = Self.function("XResizeWindow", in: library, Resize.self)(display, window, width, height)
        synchronize()
    }

    func destroy(_ window: UInt) {
        typealias Destroy = @convention(c) (UnsafeMutableRawPointer, UInt) -> Int32
        _ = Self.function("XDestroyWindow", in: library, Destroy.self)(display, window)
        synchronize()
    }

    private func synchronize() {
        typealias Sync = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32
        _ = Self.function("XSync", in: library, Sync.self)(display, 0)
    }

    private static func function<F>(_ name: String, in library: UnsafeMutableRawPointer, _ type: F.Type) -> F {
        unsafeBitCast(dlsym(library, name)!, to: type)
    }
}

@Suite(.serialized) struct SurfaceTests {
    /// Clears and presents one frame of the surface. Returns the state that `acquire` reported.
    func drawFrame(_ surface: GPUSurface, _ device: GPUDevice) throws -> String {
        switch try surface.acquire() {
        case .ready(let texture, let isSuboptimal):
            let encoder = try device.makeCommandEncoder("frame")
            encoder.renderPass(.init("frame", colors: [.init(try texture.makeView(), load: .clear(.init(1, 0, 0, 1)))])) { _ in }
            device.queue.submit(try encoder.finish())
            try surface.present()
            try device.checkErrors()
            return isSuboptimal ? "suboptimal" : "ready"
        case .outdated: return "outdated"
        case .lost: return "lost"
        case .timeout: return "timeout"
        case .occluded: return "occluded"
        }
    }

    @Test func surfaceLifecycleAndErrors() throws {
        guard let screen = VirtualScreen() else {
            print("no Xvfb or libX11: surfaces are not tested")
            return
        }
        let window = screen.makeWindow(width: 64, height: 48)
        let instance = GPUInstance()
        let surface = try GPUSurface(.xlib(display: screen.display, window: UInt64(window)), instance: instance)
        let adapter = try instance.adapter(.automatic, for: surface)
        let able = surface.capabilities(on: adapter)
        #expect(!able.formats.isEmpty && able.presentModes.contains(.fifo) && able.usage.contains(.renderAttachment))
        let device = try adapter.makeDevice()

        func message(_ body: () throws -> Void) -> String? {
            if case .surface(let message) = gpuError(body) { return message }
            return nil
        }
        #expect(message { _ = try surface.acquire() } == "a texture was acquired before the surface was configured")
        #expect(message { try surface.present() } == "the surface was presented before a texture was acquired")
        #expect(message { try surface.configure(device, .init(width: 0, height: 48, format: able.formats[0])) }?.contains("0×48") == true)
        #expect(message { try surface.configure(device, .init(width: 64, height: 48, format: .r32Float)) }?.contains("format") == true)
        if !able.presentModes.contains(.fifoRelaxed) {
            let configuration = GPUSurfaceConfiguration(width: 64, height: 48, format: able.formats[0], presentMode: .fifoRelaxed)
            #expect(message { try surface.configure(device, configuration) }?.contains("present mode") == true)
        }

        try surface.configure(device, .init(width: 64, height: 48, format: able.formats[0]))
        for _ in 0..<4 { #expect(try drawFrame(surface, device) == "ready") }

        // `acquire` returns the same texture until it is presented. Textures that were presented or invalidated by `configure` may stay referenced.
        guard case .ready(let first, _) = try surface.acquire(), case .ready(let again, _) = try surface.acquire() else {
            Issue.record("no texture")
            return
        }
        #expect(first === again)
        #expect(first.size == GPUExtent(64, 48))
        try surface.present()
        #expect(message { try surface.present() } == "the surface was presented before a texture was acquired")
        #expect(try drawFrame(surface, device) == "ready")
        guard case .ready(let second, _) = try surface.acquire() else {
            Issue.record("no texture")
            return
        }
        let view = try second.makeView()
        try surface.configure(device, .init(width: 64, height: 48, format: able.formats[0]))
        #expect(try drawFrame(surface, device) == "ready")
        _ = try first.makeView()
        #expect(view.texture === second)

        // After a resize the surface reports it, and works again once it is reconfigured.
        screen.resize(window, width: 100, height: 80)
        #expect(["suboptimal", "outdated"].contains(try drawFrame(surface, device)))
        try surface.configure(device, .init(width: 100, height: 80, format: able.formats[0]))
        #expect(try drawFrame(surface, device) == "ready")

        // A destroyed window causes an error or a state; the process continues.
        screen.destroy(window)
        for _ in 0..<2 { #expect(["lost", "outdated"].contains(try drawFrame(surface, device))) }
        #expect(message { try surface.configure(device, .init(width: 64, height: 48, format: able.formats[0])) } != nil)
        #expect(
            message {
                _ = try GPUSurface(.xlib(display: screen.display, window: 0), instance: instance).configure(
                    device, .init(width: 64, height: 48, format: able.formats[0]))
            } != nil)
    }
}
