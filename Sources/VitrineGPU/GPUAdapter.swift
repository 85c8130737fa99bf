internal import CWebGPU

/// One way to reach one GPU: a piece of hardware, or a software renderer, behind one driver.
package final class GPUAdapter {
    let instance: GPUInstance
    let handle: WGPUAdapter

    /// Names and kind.
    package let info: GPUAdapterInfo

    init(instance: GPUInstance, handle: WGPUAdapter) {
        self.instance = instance
        self.handle = handle
        info = GPUAdapterInfo(of: handle)
    }

    deinit { wgpuAdapterRelease(handle) }

    /// Every adapter on this machine, with OpenGL's: for a list that a person reads.
    package static func all() -> [GPUAdapter] { GPUInstance(includingOpenGL: true).adapters() }

    /// The optional features of the adapter.
    package var features: GPUFeatures {
        var supported = WGPUSupportedFeatures()
        wgpuAdapterGetFeatures(handle, &supported)
        defer { wgpuSupportedFeaturesFreeMembers(supported) }
        return GPUFeatures(supported)
    }

    /// The largest sizes and counts it can handle.
    package var limits: GPULimits {
        var limits = WGPULimits()
        _ = wgpuAdapterGetLimits(handle, &limits)
        return GPULimits(limits)
    }

    /// Opens a device.
    ///
    /// - Parameters:
    ///   - label: names the device in errors.
    ///   - required: features without which the request fails.
    ///   - optional: Features enabled if available; see `GPUDevice.features`.
    ///   - limits: what the device must handle; by default everything the adapter can.
    /// - Throws: `GPUError.deviceRequest`.
    package func makeDevice(
        label: String = "device", required: GPUFeatures = [], optional: GPUFeatures = [], limits: GPULimits? = nil
    ) throws(GPUError) -> GPUDevice {
        let missing = required.subtracting(features)
        if !missing.isEmpty { throw .deviceRequest(adapter: info.name, message: "it lacks \(missing.description)") }
        let wanted = required.union(optional.intersection(features))
        return try GPUDevice(adapter: self, label: label, features: wanted, limits: limits ?? self.limits)
    }
}

/// Name, vendor and kind of an adapter.
package struct GPUAdapterInfo: Sendable, CustomStringConvertible {
    /// The kind of hardware; more than one API may lead to the same.
    package enum Kind: UInt32, Sendable {
        case discrete = 1
        case integrated = 2
        case software = 3
        /// Virtual, or the driver does not say.
        case other = 4

        /// For people: "software", "Vulkan".
        package var name: String {
            switch self {
            case .discrete: "discrete GPU"
            case .integrated: "integrated GPU"
            case .software: "software"
            case .other: "other"
            }
        }
    }

    /// The API below WebGPU.
    package enum Backend: UInt32, Sendable {
        case null = 1
        case browser = 2
        case direct3D11 = 3
        case direct3D12 = 4
        case metal = 5
        case vulkan = 6
        case openGL = 7
        case openGLES = 8

        /// For people: "software", "Vulkan".
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

    /// As the driver calls it: "llvmpipe (LLVM 15.0.6, 256 bits)".
    package let name: String
    package let vendor: String
    /// Driver and version; empty when the driver does not say.
    package let driver: String
    package let backend: Backend
    package let kind: Kind
    /// PCI numbers, 0 when there are none.
    package let vendorID: Int
    package let deviceID: Int

    init(name: String, vendor: String, driver: String, backend: Backend, kind: Kind, vendorID: Int, deviceID: Int) {
        self.name = name
        self.vendor = vendor
        self.driver = driver
        self.backend = backend
        self.kind = kind
        self.vendorID = vendorID
        self.deviceID = deviceID
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
    }

    /// "llvmpipe (LLVM 15.0.6, 256 bits), software, Vulkan, Mesa 22.3.6 (LLVM 15.0.6)".
    package var description: String { "\(name), \(kind.name), \(backend.name)" + (driver.isEmpty ? "" : ", \(driver)") }

    /// Higher is better: hardware counts first, then an API that is not OpenGL.
    var rank: Int {
        let hardware =
            switch kind {
            case .discrete: 3
            case .integrated: 2
            case .other: 1
            case .software: 0
            }
        return hardware * 2 + (backend == .openGL || backend == .openGLES ? 0 : 1)
    }
}
