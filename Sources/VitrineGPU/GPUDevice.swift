internal import CWebGPU

/// A connection to a GPU: makes every other object, and collects errors.
///
/// Functions that make something throw at once when it cannot be made. What happens later — a submission, a write — is recorded;
/// `checkErrors()`, called once a frame, throws it. A device belongs to one thread.
public final class GPUDevice {
    package let adapter: GPUAdapter
    /// Names the device in errors.
    public let label: String
    /// The features enabled at creation: all required ones and the optional ones that the adapter supports.
    public let features: GPUFeatures
    package let limits: GPULimits
    /// The only queue of the device: writes data and submits commands.
    public let queue: GPUQueue

    let handle: WGPUDevice
    let state: DeviceState

    init(adapter: GPUAdapter, label: String, features: GPUFeatures, limits: GPULimits) throws(GPUError) {
        let state = DeviceState()
        self.handle = try Self.request(from: adapter, label: label, features: features, limits: limits, reportingTo: state)
        self.adapter = adapter
        self.label = label
        self.features = features
        self.limits = limits
        self.state = state
        queue = GPUQueue(handle: wgpuDeviceGetQueue(handle), device: handle, state: state)
    }

    deinit { wgpuDeviceRelease(handle) }

    /// Opens a device on the best adapter for a choice: the shortest way to draw without a window.
    public static func make(
        _ choice: GPUAdapterChoice = .automatic, required: GPUFeatures = [], optional: GPUFeatures = []
    ) throws(GPUError) -> GPUDevice {
        try GPUInstance().adapter(choice).makeDevice(required: required, optional: optional)
    }

    private static func request(
        from adapter: GPUAdapter, label: String, features: GPUFeatures, limits: GPULimits, reportingTo state: DeviceState
    ) throws(GPUError) -> WGPUDevice {
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUDeviceDescriptor()
        descriptor.label = memory.string(label)
        let names = features.names
        descriptor.requiredFeatureCount = names.count
        descriptor.requiredFeatures = memory.array(names)
        descriptor.requiredLimits = memory.pointer(to: limits.raw)
        // Retained for good: see DeviceState.
        let reporter = Unmanaged.passRetained(state).toOpaque()
        descriptor.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowProcessEvents
        descriptor.deviceLostCallbackInfo.userdata1 = reporter
        descriptor.deviceLostCallbackInfo.callback = { _, reason, message, userdata, _ in
            let state = Unmanaged<DeviceState>.fromOpaque(userdata!).takeUnretainedValue()
            state.recordLoss(GPUDeviceLostReason(rawValue: reason.rawValue) ?? .unknown, String(message))
        }
        descriptor.uncapturedErrorCallbackInfo.userdata1 = reporter
        descriptor.uncapturedErrorCallbackInfo.callback = { _, type, message, userdata, _ in
            Unmanaged<DeviceState>.fromOpaque(userdata!).takeUnretainedValue().record(type: type, message: String(message))
        }

        let answer = DeviceAnswer()
        var callback = WGPURequestDeviceCallbackInfo()
        callback.mode = WGPUCallbackMode_AllowProcessEvents
        callback.userdata1 = Unmanaged.passRetained(answer).toOpaque()
        callback.callback = { _, device, message, userdata, _ in
            let answer = Unmanaged<DeviceAnswer>.fromOpaque(userdata!).takeRetainedValue()
            answer.handle = device
            answer.message = String(message)
        }
        _ = wgpuAdapterRequestDevice(adapter.handle, &descriptor, callback)
        wgpuInstanceProcessEvents(adapter.instance.handle)
        guard let handle = answer.handle else {
            throw .deviceRequest(adapter: adapter.info.name, message: ErrorText(answer.message).body)
        }
        return handle
    }

    private final class DeviceAnswer {
        var handle: WGPUDevice?
        var message = "no answer"
    }
}

// MARK: Errors

extension GPUDevice {
    /// Throws the oldest error that submissions and other calls without an answer left behind; call it once a frame.
    ///
    /// Costs a few atomic operations when all is well. Each error is thrown once, device loss every time.
    public func checkErrors() throws(GPUError) {
        if let error = state.lossError ?? state.takeOldest() { throw error }
    }

    /// The device is gone; every call that makes something throws `GPUError.deviceLost`.
    public var isLost: Bool { state.isLost }

    /// Ends the device now, although objects made from it are still alive: their calls fail with `GPUError.deviceLost`.
    public func destroy() {
        if state.isLost { return }
        state.recordLoss(.destroyed, "GPUDevice.destroy() was called")
        wgpuDeviceDestroy(handle)
    }

    /// For tests: the device goes as when a driver resets it.
    func destroyBehindItsBack() { wgpuDeviceDestroy(handle) }

    /// Waits until the GPU has finished everything submitted so far. Throws in web pages, which cannot wait.
    public func waitUntilIdle() throws(GPUError) {
        if let error = state.lossError { throw error }
        #if arch(wasm32)
            throw .internal(resource: label, message: "a page cannot wait for the GPU")
        #else
            _ = wgpuDevicePoll(handle, 1, nil)
            try checkErrors()
        #endif
    }

    /// Refuses objects of another device. wgpu-native would confuse objects of two instances, because each numbers its own from 0.
    func require(_ owner: GPUDevice?, for label: String) throws(GPUError) {
        if let owner, owner !== self { throw .validation(resource: label, message: "made from an object of another device") }
    }

    /// Puts a C call that makes something under guard: throws what the call reported, else wraps its handle.
    ///
    /// The handle is wrapped before the check, so that a failed one is released like any other.
    func adopt<T>(_ handle: OpaquePointer?, named label: String, since mark: Int, _ wrap: (OpaquePointer) -> T) throws(GPUError) -> T {
        let object = handle.map(wrap)
        if let error = state.takeError(since: mark) { throw error.naming(label) }
        guard let object else { throw .internal(resource: label, message: "nothing was made, and no reason given") }
        return object
    }
}

extension GPUError {
    /// The same error with this label where it names no resource.
    func naming(_ label: String) -> GPUError {
        switch self {
        case .validation(let resource, let message) where resource.isEmpty: .validation(resource: label, message: message)
        case .outOfMemory(let resource, let message) where resource.isEmpty: .outOfMemory(resource: label, message: message)
        case .internal(let resource, let message) where resource.isEmpty: .internal(resource: label, message: message)
        case .shader(let name, let messages) where name.isEmpty: .shader(label: label, messages: messages)
        default: self
        }
    }
}
