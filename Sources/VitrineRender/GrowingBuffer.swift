import VitrineGPU

/// A GPU buffer that is replaced by a larger one when its contents outgrow it.
struct GrowingBuffer {
    let label: String
    let usage: GPUBufferUsage
    private(set) var buffer: GPUBuffer

    init(_ device: GPUDevice, _ label: String, usage: GPUBufferUsage, size: Int) throws(GPUError) {
        self.label = label
        self.usage = usage.union(.copyDestination)
        buffer = try device.makeBuffer(label, size: size, usage: self.usage)
    }

    /// Reserves `size` bytes. Returns whether the buffer was replaced, which loses its contents.
    @discardableResult
    mutating func reserve(_ size: Int) throws(GPUError) -> Bool {
        guard size > buffer.size else { return false }
        buffer = try buffer.device.makeBuffer(label, size: max(size, buffer.size * 2), usage: usage)
        return true
    }

    /// Replaces the contents by a structure and the array that follows it.
    mutating func write<Header: ShaderStructure, Element: ShaderStructure>(header: Header, _ elements: [Element]) throws(GPUError) {
        try reserve(Header.byteCount + elements.count * Element.byteCount)
        buffer.device.queue.write(value: header, to: buffer)
        buffer.device.queue.write(elements, to: buffer, at: Header.byteCount)
    }

    /// Replaces the contents.
    mutating func write<Element: BitwiseCopyable>(_ elements: [Element]) throws(GPUError) {
        try reserve(elements.count * MemoryLayout<Element>.stride)
        buffer.device.queue.write(elements, to: buffer)
    }
}
