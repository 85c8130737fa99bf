import VitrineGPU

/// A GPU buffer that is replaced by a larger one when its contents outgrow it.
///
/// `generation` rises with every replacement: bind groups made from an older buffer are out of date.
struct GrowingBuffer {
    let label: String
    let usage: GPUBufferUsage
    private(set) var buffer: GPUBuffer
    private(set) var generation = 0

    init(_ device: GPUDevice, _ label: String, usage: GPUBufferUsage, size: Int) throws(GPUError) {
        self.label = label
        self.usage = usage.union(.copyDestination)
        buffer = try device.makeBuffer(label, size: size, usage: self.usage)
    }

    /// Makes room for `size` bytes. What was in the buffer is lost when it is replaced; returns whether it was.
    @discardableResult
    mutating func reserve(_ size: Int) throws(GPUError) -> Bool {
        guard size > buffer.size else { return false }
        buffer = try buffer.device.makeBuffer(label, size: max(size, buffer.size * 2), usage: usage)
        generation += 1
        return true
    }

    /// Replaces the contents.
    mutating func write<Element: BitwiseCopyable>(_ elements: [Element]) throws(GPUError) {
        try reserve(elements.count * MemoryLayout<Element>.stride)
        buffer.device.queue.write(elements, to: buffer)
    }
}
