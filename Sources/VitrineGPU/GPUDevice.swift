internal import CWebGPU

/// A connection to a GPU that creates all other GPU objects and collects errors.
///
/// Functions that create an object throw if its creation fails. Errors of later operations, such as submissions and writes, are recorded
/// and thrown by `checkErrors()`; call it once per frame. Use a device from one thread only.
public final class GPUDevice {
    package let adapter: GPUAdapter
    /// The name of the device in errors.
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

    /// Creates a device on the best adapter for a choice; for programs without a window.
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
        // Never released: see DeviceState.
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
        var message = "no answer from the driver"
    }
}

// MARK: Errors

extension GPUDevice {
    /// Throws the oldest recorded error of submissions, writes and other calls that do not throw; call it once per frame.
    ///
    /// Costs a few atomic operations without an error. Throws each error once, but device loss every time.
    public func checkErrors() throws(GPUError) {
        if let error = state.lossError ?? state.takeOldest() { throw error }
    }

    /// Whether the device is lost: every call that creates an object then throws `GPUError.deviceLost`.
    public var isLost: Bool { state.isLost }

    /// Destroys the device, even if objects created from it still exist; their calls then fail with `GPUError.deviceLost`.
    public func destroy() {
        if state.isLost { return }
        state.recordLoss(.destroyed, "GPUDevice.destroy() was called")
        destroyWithoutRecordingLoss()
    }

    /// Simulates a driver reset in tests: destroys the device without recording its loss.
    func destroyWithoutRecordingLoss() { state.excludingDestruction { wgpuDeviceDestroy(handle) } }

    /// Waits until the GPU has finished all submitted work. Throws in web pages, which cannot wait.
    public func waitUntilIdle() throws(GPUError) {
        if let error = state.lossError { throw error }
        #if arch(wasm32)
            throw .internal(resource: label, message: "a web page cannot wait for the GPU")
        #else
            _ = wgpuDevicePoll(handle, 1, nil)
            try checkErrors()
        #endif
    }

    /// Throws `GPUError.validation` for an object of another device. wgpu-native would confuse objects of two instances, because each instance
    /// numbers its objects from 0.
    func require(_ owner: GPUDevice?, for label: String) throws(GPUError) {
        if let owner, owner !== self { throw .validation(resource: label, message: "uses an object of another device") }
    }

    /// Wraps the handle that a C call returned, or throws the error that the call reported.
    ///
    /// Wraps the handle before checking for errors, so that the handle of an invalid object is released too.
    func adopt<T>(_ handle: OpaquePointer?, named label: String, since mark: Int, _ wrap: (OpaquePointer) -> T) throws(GPUError) -> T {
        let object = handle.map(wrap)
        if let error = state.takeError(since: mark) { throw error.naming(label) }
        guard let object else { throw .internal(resource: label, message: "the object could not be created; the driver gave no reason") }
        return object
    }
}

extension GPUError {
    /// Returns the same error, with this label if it has no resource name yet.
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
