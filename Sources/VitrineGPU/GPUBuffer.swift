internal import CWebGPU

/// A buffer in GPU memory.
///
/// The memory is freed when the last reference is released and the GPU has finished with it. Bind groups and recorded commands retain the
/// buffer.
public final class GPUBuffer {
    /// The device that created the buffer; the buffer cannot be used with another one.
    public let device: GPUDevice
    /// The name of the object in errors and graphics debuggers.
    public let label: String
    /// The size in bytes.
    public let size: Int
    /// The uses declared at creation; any other is a validation error.
    public let usage: GPUBufferUsage

    let handle: WGPUBuffer

    init(device: GPUDevice, handle: WGPUBuffer, label: String, size: Int, usage: GPUBufferUsage) {
        self.device = device
        self.handle = handle
        self.label = label
        self.size = size
        self.usage = usage
    }

    deinit { wgpuBufferRelease(handle) }
}

extension GPUDevice {
    /// Creates a buffer filled with zeros.
    ///
    /// - Parameters:
    ///   - size: The size in bytes.
    ///   - usage: All uses of the buffer.
    public func makeBuffer(_ label: String, size: Int, usage: GPUBufferUsage) throws(GPUError) -> GPUBuffer {
        try makeBuffer(label, size: size, usage: usage, contents: nil)
    }

    /// Creates a buffer with the elements of an array; its size is rounded up to a multiple of 4.
    @inlinable
    public func makeBuffer<Element: BitwiseCopyable>(
        _ label: String, contents: [Element], usage: GPUBufferUsage
    ) throws(GPUError) -> GPUBuffer {
        // Result, because withUnsafeBytes does not rethrow a typed error in every supported toolchain.
        let result: Result<GPUBuffer, GPUError> = contents.withUnsafeBytes { bytes in
            do throws(GPUError) { return .success(try makeBuffer(label, contents: bytes, usage: usage)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Creates a buffer with these bytes; its size is rounded up to a multiple of 4.
    public func makeBuffer(_ label: String, contents: UnsafeRawBufferPointer, usage: GPUBufferUsage) throws(GPUError) -> GPUBuffer {
        try makeBuffer(label, size: (contents.count + 3) & ~3, usage: usage, contents: contents)
    }

    private func makeBuffer(
        _ label: String, size: Int, usage: GPUBufferUsage, contents: UnsafeRawBufferPointer?
    ) throws(GPUError) -> GPUBuffer {
        guard size >= 0 else { throw .validation(resource: label, message: "a buffer size must not be negative, but is \(size)") }
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUBufferDescriptor()
        descriptor.label = memory.string(label)
        descriptor.usage = usage.rawValue
        descriptor.size = UInt64(size)
        descriptor.mappedAtCreation = contents == nil || size == 0 ? 0 : 1
        let buffer = try adopt(wgpuDeviceCreateBuffer(handle, &descriptor), named: label, since: mark) {
            GPUBuffer(device: self, handle: $0, label: label, size: size, usage: usage)
        }
        if let contents, let source = contents.baseAddress, !contents.isEmpty {
            #if arch(wasm32)
                vitrineBufferFill(buffer.handle, source, contents.count)
            #else
                try buffer.fillMapped(from: source, count: contents.count)
            #endif
        }
        return buffer
    }
}

extension GPUBuffer {
    /// Writes the contents of a buffer that was created mapped, and unmaps it.
    fileprivate func fillMapped(from source: UnsafeRawPointer, count: Int) throws(GPUError) {
        let isFilled = device.state.whileAlive(device.handle) {
            guard let mapped = wgpuBufferGetMappedRange(handle, 0, size) else { return false }
            mapped.copyMemory(from: source, byteCount: count)
            wgpuBufferUnmap(handle)
            return true
        }
        if let error = device.state.lossError { throw error.naming(label) }
        if isFilled != true { throw .mapping(resource: label, message: "no memory for its contents") }
    }
}

// MARK: Reading back

extension GPUBuffer {
    /// Waits for the GPU and copies bytes out of the buffer.
    ///
    /// The buffer needs `copySource`, or `mapRead`, which saves a copy on the GPU. Offset and count are multiples of 4, the offset into a
    /// `mapRead` buffer of 8.
    ///
    /// - Parameter range: The bytes to copy; nil copies the whole buffer.
    public func read(_ range: Range<Int>? = nil) throws(GPUError) -> [UInt8] {
        try read(as: UInt8.self, range)
    }

    /// Waits for the GPU and copies elements out of the buffer; `range` is in bytes.
    public func read<Element: BitwiseCopyable>(as type: Element.Type, _ range: Range<Int>? = nil) throws(GPUError) -> [Element] {
        let range = range ?? 0..<size
        let count = range.count / MemoryLayout<Element>.stride
        let result = try mappedOrStaged(range) { bytes in
            [Element](unsafeUninitializedCapacity: count) { elements, initialized in
                UnsafeMutableRawBufferPointer(elements).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[..<(count * MemoryLayout<Element>.stride)]))
                initialized = count
            }
        }
        return result
    }

    private func mappedOrStaged<R>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> R) throws(GPUError) -> R {
        guard range.lowerBound >= 0, range.upperBound <= size else {
            throw .mapping(
                resource: label, message: "bytes \(range.lowerBound)..<\(range.upperBound) are outside the buffer of \(size) bytes")
        }
        if range.isEmpty { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        if usage.contains(.mapRead) { return try withMapped(range, body) }
        let staging = try device.makeBuffer(label + " (read)", size: range.count, usage: [.mapRead, .copyDestination])
        let encoder = try device.makeCommandEncoder(label + " (read)")
        encoder.copy(from: self, at: range.lowerBound, to: staging, size: range.count)
        device.queue.submit(try encoder.finish())
        return try staging.withMapped(0..<range.count, body)
    }

    /// Waits for the GPU, maps bytes of a `mapRead` buffer and passes them to `body`.
    func withMapped<R>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> R) throws(GPUError) -> R {
        #if arch(wasm32)
            throw .mapping(resource: label, message: "a web page cannot wait for the GPU")
        #else
            return try mapAndWait(range, body)
        #endif
    }

    private func mapAndWait<R>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> R) throws(GPUError) -> R {
        if let error = device.state.lossError { throw error }
        let mark = device.state.mark
        let answer = MapAnswer()
        var callback = WGPUBufferMapCallbackInfo()
        callback.mode = WGPUCallbackMode_AllowProcessEvents
        callback.userdata1 = Unmanaged.passRetained(answer).toOpaque()
        callback.callback = { status, message, userdata, _ in
            let answer = Unmanaged<MapAnswer>.fromOpaque(userdata!).takeRetainedValue()
            answer.isMapped = status == WGPUMapAsyncStatus_Success
            answer.message = String(message)
        }
        _ = wgpuBufferMapAsync(handle, WGPUMapMode_Read, range.lowerBound, range.count, callback)
        if let error = device.state.takeError(since: mark) { throw error.naming(label) }
        _ = wgpuDevicePoll(device.handle, 1, nil)
        let result: R?? = device.state.whileAlive(device.handle) {
            guard answer.isMapped, let start = wgpuBufferGetConstMappedRange(handle, range.lowerBound, range.count) else { return nil }
            defer { wgpuBufferUnmap(handle) }
            return body(UnsafeRawBufferPointer(start: start, count: range.count))
        }
        if let result, let result { return result }
        throw device.state.lossError ?? .mapping(resource: label, message: ErrorText(answer.message).body)
    }

    private final class MapAnswer {
        var isMapped = false
        var message = "no answer from the driver"
    }
}
