internal import CWebGPU

/// The window system's handles of a window. They must stay valid while the surface exists.
package enum GPUWindowHandle {
    /// `Display *` and `Window`.
    case xlib(display: UnsafeMutableRawPointer, window: UInt64)
    /// `wl_display *` and `wl_surface *`.
    case wayland(display: UnsafeMutableRawPointer, surface: UnsafeMutableRawPointer)
    /// `HINSTANCE` and `HWND`.
    case windows(instance: UnsafeMutableRawPointer, window: UnsafeMutableRawPointer)
    /// A pointer to a `CAMetalLayer` (macOS, iOS).
    case metal(layer: UnsafeMutableRawPointer)
    /// A pointer to an `ANativeWindow` (Android).
    case android(window: UnsafeMutableRawPointer)
}

/// The mode in which the screen shows presented frames.
package enum GPUPresentMode: UInt32, Sendable {
    /// The screen shows frames in order, at its refresh rate. Supported everywhere.
    case fifo = 1
    /// The screen shows frames as with `fifo`, but a late frame appears immediately.
    case fifoRelaxed = 2
    /// The screen shows frames immediately, even during the screen's refresh, which causes tearing.
    case immediate = 3
    /// The screen shows frames at its refresh rate; a newer frame replaces a waiting one.
    case mailbox = 4
}

/// The mode in which the window system composites alpha.
package enum GPUAlphaMode: UInt32, Sendable {
    case automatic = 0
    case opaque = 1
    case premultiplied = 2
    case unpremultiplied = 3
    case inherit = 4
}

/// The capabilities of a surface on an adapter; empty if the adapter cannot present to it.
package struct GPUSurfaceCapabilities: Sendable {
    /// The supported formats, the best first.
    package let formats: [GPUTextureFormat]
    package let presentModes: [GPUPresentMode]
    package let alphaModes: [GPUAlphaMode]
    package let usage: GPUTextureUsage
}

/// The configuration of a surface.
package struct GPUSurfaceConfiguration: Sendable {
    /// The width in pixels, not points.
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
    /// A texture to draw into; call `present()` afterwards. If `isSuboptimal`, the window has changed: configure the surface again soon.
    case ready(GPUTexture, isSuboptimal: Bool)
    /// The window has changed: configure the surface again before the next `acquire()`.
    case outdated
    /// The surface is lost: create a new one for the window.
    case lost
    /// No texture became available in time: try again with the next frame.
    case timeout
    /// The window is hidden: try again when it is visible.
    case occluded
}

/// The drawable area of a window.
///
/// Configure the surface; then for each frame acquire a texture, draw, submit and present. wgpu-native ends the process if the order is
/// wrong, so each function checks its preconditions first. One precondition is not checked: submit the commands that draw into a texture
/// before presenting that texture or configuring the surface again.
package final class GPUSurface {
    package let instance: GPUInstance
    /// The current configuration of the surface.
    package private(set) var configuration: GPUSurfaceConfiguration?

    private let handle: WGPUSurface
    private var device: GPUDevice?
    private var acquired: (texture: GPUTexture, isSuboptimal: Bool)?
    /// Whether the acquired texture was presented.
    private var isPresented = false
    /// Whether the device was lost between acquiring a texture and presenting it. wgpu-native ends the process if that texture or its surface is
    /// released then; both stay for the life of the process.
    private var isLostWithTexture = false
    /// The texture whose handle replaces that of a presented texture: wgpu-native fails if an old texture is released after the next one was
    /// acquired.
    private var blank: GPUTexture?

    /// Creates a surface for a window.
    ///
    /// - Throws: `GPUError.surface` if no driver supports the window.
    package init(_ window: GPUWindowHandle, instance: GPUInstance, label: String = "surface") throws(GPUError) {
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUSurfaceDescriptor()
        descriptor.label = memory.string(label)
        descriptor.nextInChain = window.source(in: &memory)
        guard let handle = wgpuInstanceCreateSurface(instance.handle, &descriptor) else {
            throw .surface(message: "no driver supports this window")
        }
        self.handle = handle
        self.instance = instance
    }

    deinit {
        releaseTexture()
        if !isLostWithTexture { wgpuSurfaceRelease(handle) }
    }

    /// The capabilities of the surface on an adapter; query them before `configure`.
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

    /// Sets size, format and modes; call it again after each change of the window's size. An acquired texture is released without presenting it.
    package func configure(_ device: GPUDevice, _ configuration: GPUSurfaceConfiguration) throws(GPUError) {
        if let error = device.state.lossError { throw error }
        try check(configuration, on: device)
        releaseTexture()
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
        guard device.state.whileAlive(device.handle, { wgpuSurfaceConfigure(handle, &raw) }) != nil else { throw device.state.lossReport }
        if let error = device.state.takeError(since: mark) { throw error.naming("surface") }
        self.device = device
        self.configuration = configuration
    }

    private func check(_ configuration: GPUSurfaceConfiguration, on device: GPUDevice) throws(GPUError) {
        let able = capabilities(on: device.adapter)
        let limit = device.limits.maxTextureDimension2D
        guard (1...limit).contains(configuration.width), (1...limit).contains(configuration.height) else {
            throw .surface(message: "width and height must be 1 to \(limit), but are \(configuration.width)×\(configuration.height)")
        }
        if able.formats.isEmpty { throw .surface(message: "\(device.adapter.info.name) does not support this window") }
        if !able.formats.contains(configuration.format) { throw .surface(message: "the window does not support this format") }
        if !able.presentModes.contains(configuration.presentMode) {
            throw .surface(message: "the window does not support this present mode")
        }
        if configuration.alphaMode != .automatic, !able.alphaModes.contains(configuration.alphaMode) {
            throw .surface(message: "the window does not support this alpha mode")
        }
        if !able.usage.isSuperset(of: configuration.usage) { throw .surface(message: "the window does not support this usage") }
    }

    /// Returns the texture for the next frame. With `GPUPresentMode.fifo`, waits for the screen.
    ///
    /// If the last acquired texture was not presented, returns it again.
    package func acquire() throws(GPUError) -> GPUSurfaceFrame {
        guard let device, let configuration else { throw .surface(message: "a texture was acquired before the surface was configured") }
        // Not `whileAlive`: other threads would wait, too, while this one waits for the screen.
        guard device.state.isAlive(device.handle) else { throw device.state.lossReport }
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
            throw .surface(message: "no texture is available (status \(raw.status.rawValue))")
        }
    }

    /// Presents the acquired texture; submit its commands first, and do not use the texture afterwards.
    package func present() throws(GPUError) {
        guard acquired != nil, let device else { throw .surface(message: "the surface was presented before a texture was acquired") }
        // Release the texture only after presenting it: a texture that is released before is discarded.
        defer { releaseTexture() }
        guard let status = device.state.whileAlive(device.handle, { wgpuSurfacePresent(handle) }) else { throw device.state.lossReport }
        guard status == WGPUStatus_Success else { throw .surface(message: "the frame could not be presented") }
        isPresented = true
    }

    private func releaseTexture() {
        defer { (acquired, isPresented) = (nil, false) }
        guard let acquired, let blank, let device else { return }
        if isPresented {
            acquired.texture.replace(with: blank)
        } else if device.state.whileAlive(device.handle, { acquired.texture.replace(with: blank) }) == nil {
            acquired.texture.replace(with: blank, releases: false)
            isLostWithTexture = true
        }
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
