internal import CWebGPU
import Synchronization

/// The entry point of WebGPU: finds adapters and creates surfaces.
///
/// All objects created from an instance retain it. A program without a window needs no instance: `GPUDevice.make` creates one.
package final class GPUInstance {
    let handle: WGPUInstance

    /// Loads the drivers: first those of Vulkan, Metal and Direct3D 12. Loads OpenGL's, which takes several times as long, only if the others
    /// have no adapter or if `includingOpenGL` is true.
    package init(includingOpenGL: Bool = false) {
        _ = WaylandLog.isQuiet
        let modern = WGPUInstanceBackend_Primary
        var handle = Self.create(includingOpenGL ? WGPUInstanceBackend_All : modern)
        if !includingOpenGL, wgpuInstanceEnumerateAdapters(handle, nil, nil) == 0 {
            wgpuInstanceRelease(handle)
            handle = Self.create(WGPUInstanceBackend_All)
        }
        self.handle = handle
        Self.keepDriversLoaded(handle)
    }

    private static let isKept = Atomic<Bool>(false)

    /// Retains the first instance for the life of the process. Releasing the last instance unloads the drivers, but the threads that used them run code of
    /// theirs when they end.
    private static func keepDriversLoaded(_ handle: WGPUInstance) {
        if !isKept.exchange(true, ordering: .relaxed) { wgpuInstanceAddRef(handle) }
    }

    deinit { wgpuInstanceRelease(handle) }

    private static func create(_ backends: WGPUInstanceBackend) -> WGPUInstance {
        var extras = WGPUInstanceExtras()
        extras.chain.sType = WGPUSType(rawValue: WGPUSType_InstanceExtras.rawValue)
        extras.backends = backends
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUInstanceDescriptor()
        descriptor.nextInChain = memory.chain(extras)
        // Never null: an instance without drivers is valid and has no adapters.
        return wgpuCreateInstance(&descriptor)!
    }

    /// The name and version of the WebGPU implementation: "wgpu-native 29.0.0.0".
    package static var implementation: String {
        let version = wgpuGetVersion()
        return "wgpu-native \(version >> 24).\(version >> 16 & 0xFF).\(version >> 8 & 0xFF).\(version & 0xFF)"
    }

    /// Every adapter on this machine, in the order of the drivers.
    package func adapters() -> [GPUAdapter] {
        let count = wgpuInstanceEnumerateAdapters(handle, nil, nil)
        if count == 0 { return [] }
        // The second call may return fewer adapters than the first: null handles are skipped.
        var handles = [WGPUAdapter?](repeating: nil, count: count)
        _ = handles.withUnsafeMutableBufferPointer { wgpuInstanceEnumerateAdapters(handle, nil, $0.baseAddress) }
        return handles.compactMap { $0.map { GPUAdapter(instance: self, handle: $0) } }
    }

    /// Returns the best adapter for a choice that can present to `surface`, if one is given.
    ///
    /// - Throws: `GPUError.noAdapter` with the names of the available adapters.
    package func adapter(_ choice: GPUAdapterChoice = .automatic, for surface: GPUSurface? = nil) throws(GPUError) -> GPUAdapter {
        let all = adapters()
        var fitting = all
        #if !arch(wasm32)
            if let surface { fitting = all.filter { !surface.capabilities(on: $0).formats.isEmpty } }
        #endif
        guard let adapter = choice.best(of: fitting) else {
            throw .noAdapter(choice: choice, found: all.map { $0.info.description })
        }
        return adapter
    }

    /// The number of live objects of each kind in this instance, for leak tests.
    package func objectCounts() -> [(kind: String, count: Int)] {
        var report = WGPUGlobalReport()
        wgpuGenerateReport(handle, &report)
        let hub = report.hub
        let counts: [(String, WGPURegistryReport)] = [
            ("surfaces", report.surfaces), ("adapters", hub.adapters), ("devices", hub.devices), ("queues", hub.queues),
            ("pipelineLayouts", hub.pipelineLayouts), ("shaderModules", hub.shaderModules), ("bindGroupLayouts", hub.bindGroupLayouts),
            ("bindGroups", hub.bindGroups), ("commandBuffers", hub.commandBuffers), ("renderBundles", hub.renderBundles),
            ("renderPipelines", hub.renderPipelines), ("computePipelines", hub.computePipelines), ("querySets", hub.querySets),
            ("buffers", hub.buffers), ("textures", hub.textures), ("textureViews", hub.textureViews), ("samplers", hub.samplers),
        ]
        return counts.map { (kind: $0.0, count: Int($0.1.numKeptFromUser)) }
    }
}

extension GPUInstance {
    /// The version of wgpu-native: "29.0.1.1".
    package static var libraryVersion: String {
        let version = wgpuGetVersion()
        let parts = [version >> 24, (version >> 16) & 255, (version >> 8) & 255, version & 255]
        return parts.map { "\($0)" }.joined(separator: ".")
    }
}
