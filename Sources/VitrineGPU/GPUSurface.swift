internal import CWebGPU

/// The window system's handles of a window. They must stay valid as long as the surface.
package enum GPUWindowHandle {
    /// `Display *` and `Window`.
    case xlib(display: UnsafeMutableRawPointer, window: UInt64)
    /// `wl_display *` and `wl_surface *`.
    case wayland(display: UnsafeMutableRawPointer, surface: UnsafeMutableRawPointer)
    /// `HINSTANCE` and `HWND`.
    case windows(instance: UnsafeMutableRawPointer, window: UnsafeMutableRawPointer)
    /// `CAMetalLayer *`.
    case metal(layer: UnsafeMutableRawPointer)
    /// `ANativeWindow *`.
    case android(window: UnsafeMutableRawPointer)
}

/// When finished frames appear on the screen.
package enum GPUPresentMode: UInt32, Sendable {
    /// In order, at the screen's rate; always there.
    case fifo = 1
    /// As `fifo`, but a late frame appears at once.
    case fifoRelaxed = 2
    /// At once, even in the middle of the screen's refresh.
    case immediate = 3
    /// At the screen's rate, newest first.
    case mailbox = 4
}

/// How the window system composites alpha.
package enum GPUAlphaMode: UInt32, Sendable {
    case automatic = 0
    case opaque = 1
    case premultiplied = 2
    case unpremultiplied = 3
    case inherit = 4
}

/// The capabilities of a surface on an adapter; empty if the adapter cannot present to it.
package struct GPUSurfaceCapabilities: Sendable {
    /// The best first.
    package let formats: [GPUTextureFormat]
    package let presentModes: [GPUPresentMode]
    package let alphaModes: [GPUAlphaMode]
    package let usage: GPUTextureUsage
}

/// How a surface is to be used.
package struct GPUSurfaceConfiguration: Sendable {
    /// In pixels, not points.
    package var width: Int
    package var height: Int
    package var format: GPUTextureFormat
    package var usage: GPUTextureUsage
    package var presentMode: GPUPresentMode
    package var alphaMode: GPUAlphaMode
    package var viewFormats: [GPUTextureFormat]

    package init(
        width: Int, height: Int, format: GPUTextureFormat, usage: GPUTextureUsage = .renderAttachment, presentMode: GPUPresentMode = .fifo,
        alphaMode: GPUAlphaMode = .automatic, viewFormats: [GPUTextureFormat] = []
    ) {
        self.width = width
        self.height = height
        self.format = format
        self.usage = usage
        self.presentMode = presentMode
        self.alphaMode = alphaMode
        self.viewFormats = viewFormats
    }
}

/// The result of `GPUSurface.acquire()`.
package enum GPUSurfaceFrame {
    /// Draw into it, then call `present()`. If `isSuboptimal`, configure the surface again soon: the window has changed.
    case ready(GPUTexture, isSuboptimal: Bool)
    /// The window has changed: configure the surface again before the next attempt.
    case outdated
    /// The surface is gone: make a new one from the window.
    case lost
    /// No texture became free in time: try again with the next frame.
    case timeout
    /// The window is hidden: try again when it is visible.
    case occluded
}

/// A window to draw into.
///
/// Configure, then for each frame: acquire a texture, draw, submit, present. wgpu-native ends the process over mistakes here, so each
/// function checks its preconditions first, except one: commands that draw into a texture must be submitted before that
/// texture is presented or the surface is configured again.
package final class GPUSurface {
    package let instance: GPUInstance
    /// The current configuration of the surface.
    package private(set) var configuration: GPUSurfaceConfiguration?

    private let handle: WGPUSurface
    private var device: GPUDevice?
    private var acquired: (texture: GPUTexture, isSuboptimal: Bool)?
    /// What presented textures stand for afterwards: wgpu-native must not see the release of an old one once the next is acquired.
    private var blank: GPUTexture?

    /// - Throws: `GPUError.surface` when no driver can draw into such a window.
    package init(_ window: GPUWindowHandle, instance: GPUInstance, label: String = "surface") throws(GPUError) {
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUSurfaceDescriptor()
        descriptor.label = memory.string(label)
        descriptor.nextInChain = window.source(in: &memory)
        guard let handle = wgpuInstanceCreateSurface(instance.handle, &descriptor) else {
            throw .surface(message: "no driver can draw into this window")
        }
        self.handle = handle
        self.instance = instance
    }

    deinit {
        giveUpTexture()
        wgpuSurfaceRelease(handle)
    }

    /// What the window takes on this adapter; ask before `configure`.
    package func capabilities(on adapter: GPUAdapter) -> GPUSurfaceCapabilities {
        var raw = WGPUSurfaceCapabilities()
        guard wgpuSurfaceGetCapabilities(handle, adapter.handle, &raw) == WGPUStatus_Success else {
            return GPUSurfaceCapabilities(formats: [], presentModes: [], alphaModes: [], usage: [])
        }
        defer { wgpuSurfaceCapabilitiesFreeMembers(raw) }
        return GPUSurfaceCapabilities(
            formats: (0..<raw.formatCount).compactMap { GPUTextureFormat(rawValue: raw.formats[$0].rawValue) },
            presentModes: (0..<raw.presentModeCount).compactMap { GPUPresentMode(rawValue: raw.presentModes[$0].rawValue) },
            alphaModes: (0..<raw.alphaModeCount).compactMap { GPUAlphaMode(rawValue: raw.alphaModes[$0].rawValue) },
            usage: GPUTextureUsage(rawValue: raw.usages))
    }

    /// Sets size, format and mode; again after every change of the window's size. An acquired texture is given back undrawn.
    package func configure(_ device: GPUDevice, _ configuration: GPUSurfaceConfiguration) throws(GPUError) {
        if let error = device.state.lossError { throw error }
        try check(configuration, on: device)
        giveUpTexture()
        blank = try device.makeTexture(
            GPUTextureDescriptor("presented", size: GPUExtent(1), format: configuration.format, usage: .renderAttachment))
        let mark = device.state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var raw = WGPUSurfaceConfiguration()
        raw.device = device.handle
        raw.format = configuration.format.raw
        raw.usage = configuration.usage.rawValue
        raw.width = UInt32(configuration.width)
        raw.height = UInt32(configuration.height)
        raw.viewFormatCount = configuration.viewFormats.count
        raw.viewFormats = memory.array(configuration.viewFormats.map { $0.raw })
        raw.alphaMode = WGPUCompositeAlphaMode(rawValue: configuration.alphaMode.rawValue)
        raw.presentMode = WGPUPresentMode(rawValue: configuration.presentMode.rawValue)
        wgpuSurfaceConfigure(handle, &raw)
        if let error = device.state.takeError(since: mark) { throw error.naming("surface") }
        self.device = device
        self.configuration = configuration
    }

    private func check(_ configuration: GPUSurfaceConfiguration, on device: GPUDevice) throws(GPUError) {
        let able = capabilities(on: device.adapter)
        let limit = device.limits.maxTextureDimension2D
        guard (1...limit).contains(configuration.width), (1...limit).contains(configuration.height) else {
            throw .surface(message: "a size of \(configuration.width)×\(configuration.height) is not within 1 to \(limit)")
        }
        if able.formats.isEmpty { throw .surface(message: "\(device.adapter.info.name) cannot draw into this window") }
        if !able.formats.contains(configuration.format) { throw .surface(message: "the window does not take this format") }
        if !able.presentModes.contains(configuration.presentMode) { throw .surface(message: "the window does not take this present mode") }
        if configuration.alphaMode != .automatic, !able.alphaModes.contains(configuration.alphaMode) {
            throw .surface(message: "the window does not take this alpha mode")
        }
        if !able.usage.isSuperset(of: configuration.usage) { throw .surface(message: "the window does not allow this usage") }
    }

    /// The texture for the next frame. With `GPUPresentMode.fifo` this waits for the screen.
    ///
    /// A texture that was acquired before and not presented, because drawing failed, is handed out again.
    package func acquire() throws(GPUError) -> GPUSurfaceFrame {
        guard let device, let configuration else { throw .surface(message: "acquired before it was configured") }
        if let error = device.state.lossError { throw error }
        if let acquired { return .ready(acquired.texture, isSuboptimal: acquired.isSuboptimal) }
        var raw = WGPUSurfaceTexture()
        wgpuSurfaceGetCurrentTexture(handle, &raw)
        let isSuboptimal = raw.status == WGPUSurfaceGetCurrentTextureStatus_SuccessSuboptimal
        if isSuboptimal || raw.status == WGPUSurfaceGetCurrentTextureStatus_SuccessOptimal, let handle = raw.texture {
            let texture = GPUTexture(
                device: device, handle: handle,
                descriptor: GPUTextureDescriptor(
                    "surface", size: GPUExtent(configuration.width, configuration.height), format: configuration.format,
                    usage: configuration.usage, viewFormats: configuration.viewFormats))
            acquired = (texture, isSuboptimal)
            return .ready(texture, isSuboptimal: isSuboptimal)
        }
        if let handle = raw.texture { wgpuTextureRelease(handle) }
        switch raw.status {
        case WGPUSurfaceGetCurrentTextureStatus_Timeout: return .timeout
        case WGPUSurfaceGetCurrentTextureStatus_Outdated: return .outdated
        case WGPUSurfaceGetCurrentTextureStatus_Lost: return .lost
        default:
            if raw.status.rawValue == WGPUSurfaceGetCurrentTextureStatus_Occluded.rawValue { return .occluded }
            if let error = device.state.lossError { throw error }
            throw .surface(message: "no texture (status \(raw.status.rawValue))")
        }
    }

    /// Presents the acquired texture, after its commands were submitted. The texture must not be used afterwards.
    package func present() throws(GPUError) {
        guard acquired != nil, let device else { throw .surface(message: "presented before a texture was acquired") }
        // Only afterwards: a texture that is released before it is presented is discarded.
        defer { giveUpTexture() }
        if let error = device.state.lossError { throw error }
        guard wgpuSurfacePresent(handle) == WGPUStatus_Success else { throw .surface(message: "the frame could not be presented") }
    }

    private func giveUpTexture() {
        if let acquired, let blank { acquired.texture.replace(with: blank) }
        acquired = nil
    }
}

extension GPUWindowHandle {
    fileprivate func source(in memory: inout DescriptorMemory) -> UnsafeMutablePointer<WGPUChainedStruct> {
        switch self {
        case .xlib(let display, let window):
            var source = WGPUSurfaceSourceXlibWindow()
            source.chain.sType = WGPUSType_SurfaceSourceXlibWindow
            source.display = display
            source.window = window
            return memory.chain(source)
        case .wayland(let display, let surface):
            var source = WGPUSurfaceSourceWaylandSurface()
            source.chain.sType = WGPUSType_SurfaceSourceWaylandSurface
            source.display = display
            source.surface = surface
            return memory.chain(source)
        case .windows(let instance, let window):
            var source = WGPUSurfaceSourceWindowsHWND()
            source.chain.sType = WGPUSType_SurfaceSourceWindowsHWND
            source.hinstance = instance
            source.hwnd = window
            return memory.chain(source)
        case .metal(let layer):
            var source = WGPUSurfaceSourceMetalLayer()
            source.chain.sType = WGPUSType_SurfaceSourceMetalLayer
            source.layer = layer
            return memory.chain(source)
        case .android(let window):
            var source = WGPUSurfaceSourceAndroidNativeWindow()
            source.chain.sType = WGPUSType_SurfaceSourceAndroidNativeWindow
            source.window = window
            return memory.chain(source)
        }
    }
}
