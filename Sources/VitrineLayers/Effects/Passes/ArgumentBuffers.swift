import VitrineGPU

/// Buffers for the arguments of passes. Each pass gets its own range, so that pending passes keep their arguments. A full buffer is replaced by a
/// new one and freed when the last pass that reads it is finished.
struct ArgumentBuffers {
    private let device: GPUDevice
    private var buffer: GPUBuffer?
    private var used = 0

    private static let size = 1 << 16

    init(_ device: GPUDevice) { self.device = device }

    /// Writes vectors for commands that are submitted later.
    mutating func write(_ words: [SIMD4<UInt32>]) throws(GPUError) -> (buffer: GPUBuffer, range: Range<Int>) {
        let size = words.count * 16
        let alignment = max(device.limits.minStorageBufferOffsetAlignment, device.limits.minUniformBufferOffsetAlignment, 16)
        let start = (used + alignment - 1) / alignment * alignment
        if let buffer, start + size <= buffer.size {
            used = start + size
            device.queue.write(words, to: buffer, at: start)
            return (buffer, start..<start + size)
        }
        let made = try device.makeBuffer(
            "effect arguments", size: max(Self.size, size), usage: [.storage, .uniform, .copyDestination])
        (buffer, used) = (made, size)
        device.queue.write(words, to: made)
        return (made, 0..<size)
    }
}
