internal import CWebGPU

/// A GPU, or a software renderer, as one driver exposes it. A GPU has one adapter per driver.
package final class GPUAdapter {
    let instance: GPUInstance
    let handle: WGPUAdapter

    /// The name, vendor and kind of the adapter.
    package let info: GPUAdapterInfo

    init(instance: GPUInstance, handle: WGPUAdapter) {
        self.instance = instance
        self.handle = handle
        info = GPUAdapterInfo(of: handle)
    }

    deinit { wgpuAdapterRelease(handle) }

    /// Returns every adapter on this machine, including those of OpenGL, for display to the user.
    package static func all() -> [GPUAdapter] { GPUInstance(includingOpenGL: true).adapters() }

    /// The optional features of the adapter.
    package var features: GPUFeatures {
        var supported = WGPUSupportedFeatures()
        wgpuAdapterGetFeatures(handle, &supported)
        defer { wgpuSupportedFeaturesFreeMembers(supported) }
        return GPUFeatures(supported)
    }

    /// The largest sizes and counts that the adapter supports.
    package var limits: GPULimits {
        var limits = WGPULimits()
        _ = wgpuAdapterGetLimits(handle, &limits)
        return GPULimits(limits)
    }

    /// Creates a device.
    ///
    /// - Parameters:
    ///   - label: The name of the device in errors.
    ///   - required: The features without which the request fails.
    ///   - optional: The features to enable if available; see `GPUDevice.features`.
    ///   - limits: The limits that the device must support; by default all limits of the adapter.
    /// - Throws: `GPUError.deviceRequest` if the adapter does not support a required feature or limit.
    package func makeDevice(
        label: String = "device", required: GPUFeatures = [], optional: GPUFeatures = [], limits: GPULimits? = nil
    ) throws(GPUError) -> GPUDevice {
        let missing = required.subtracting(features)
        if !missing.isEmpty { throw .deviceRequest(adapter: info.name, message: "the adapter does not support \(missing.description)") }
        let wanted = required.union(optional.intersection(features))
        return try GPUDevice(adapter: self, label: label, features: wanted, limits: limits ?? self.limits)
    }
}

/// The name, vendor and kind of an adapter.
package struct GPUAdapterInfo: Sendable, CustomStringConvertible {
    /// The kind of hardware; the same hardware may be available through several APIs.
    package enum Kind: UInt32, Sendable {
        case discrete = 1
        case integrated = 2
        case software = 3
        /// A virtual GPU, or a kind that the driver does not report.
        case other = 4

        /// A name for display: "software", "discrete GPU".
        package var name: String {
            switch self {
            case .discrete: "discrete GPU"
            case .integrated: "integrated GPU"
            case .software: "software"
            case .other: "other"
            }
        }
    }

    /// The graphics API that implements WebGPU.
    package enum Backend: UInt32, Sendable {
        case null = 1
        case browser = 2
        case direct3D11 = 3
        case direct3D12 = 4
        case metal = 5
        case vulkan = 6
        case openGL = 7
        case openGLES = 8

        /// Whether it is a version of OpenGL, in whose shading language scenes cannot be drawn: it reads no texels of depth textures.
        package var isOpenGL: Bool { self == .openGL || self == .openGLES }

        /// A name for display: "Vulkan", "Direct3D 12".
        package var name: String {
            switch self {
            case .null: "null"
            case .browser: "WebGPU"
            case .direct3D11: "Direct3D 11"
            case .direct3D12: "Direct3D 12"
            case .metal: "Metal"
            case .vulkan: "Vulkan"
            case .openGL: "OpenGL"
            case .openGLES: "OpenGL ES"
            }
        }
    }

    /// The name that the driver reports: "llvmpipe (LLVM 15.0.6, 256 bits)".
    package let name: String
    package let vendor: String
    /// The driver and its version; empty if the driver does not report them.
    package let driver: String
    package let backend: Backend
    package let kind: Kind
    /// The PCI vendor and device numbers, 0 if the driver does not report them.
    package let vendorID: Int
    package let deviceID: Int
    /// Whether compute shaders run on the adapter, which everything here needs.
    package let hasComputeShaders: Bool

    init(
        name: String, vendor: String, driver: String, backend: Backend, kind: Kind, vendorID: Int, deviceID: Int,
        hasComputeShaders: Bool = true
    ) {
        self.name = name
        self.vendor = vendor
        self.driver = driver
        self.backend = backend
        self.kind = kind
        self.vendorID = vendorID
        self.deviceID = deviceID
        self.hasComputeShaders = hasComputeShaders
    }

    init(of adapter: WGPUAdapter) {
        var info = WGPUAdapterInfo()
        _ = wgpuAdapterGetInfo(adapter, &info)
        defer { wgpuAdapterInfoFreeMembers(info) }
        name = String(info.device)
        vendor = String(info.vendor)
        driver = String(info.description)
        backend = Backend(rawValue: info.backendType.rawValue) ?? .null
        kind = Kind(rawValue: info.adapterType.rawValue) ?? .other
        vendorID = Int(info.vendorID)
        deviceID = Int(info.deviceID)
        hasComputeShaders = !backend.isOpenGL || Self.hasComputeShaders(openGL: driver)
    }

    /// Whether shaders of an OpenGL version may be compute shaders: from 4.3, and from OpenGL ES 3.1 on. wgpu-native reports the extension for them in
    /// older versions too, but its shaders are of the version.
    ///
    /// - Parameter driver: As the driver reports it: "3.3.0 NVIDIA 580.159.04", "OpenGL ES 3.2 Mesa 22.3.6". True without a version.
    static func hasComputeShaders(openGL driver: String) -> Bool {
        let isES = ErrorText.contains(driver, "OpenGL ES")
        let numbers = driver.utf8.split { !(48...57).contains($0) }.prefix(2).map { $0.reduce(0) { $0 * 10 + Int($1) - 48 } }
        guard numbers.count == 2 else { return true }
        let least = isES ? (3, 1) : (4, 3)
        return (numbers[0], numbers[1]) >= least
    }

    /// "llvmpipe (LLVM 15.0.6, 256 bits), software, Vulkan, Mesa 22.3.6 (LLVM 15.0.6)".
    package var description: String {
        "\(name), \(kind.name), \(backend.name)" + (driver.isEmpty ? "" : ", \(driver)")
            + (hasComputeShaders ? "" : ", without compute shaders")
    }

    /// The rank for `GPUAdapterChoice`, higher is better: hardware before software, then any other API before OpenGL.
    var rank: Int {
        let hardware =
            switch kind {
            case .discrete: 3
            case .integrated: 2
            case .other: 1
            case .software: 0
            }
        return hardware * 2 + (backend.isOpenGL ? 0 : 1)
    }
}
