internal import CWebGPU

/// Owns the memory that the pointers in C descriptors refer to. WebGPU reads a descriptor only during the call, so an instance lives for one
/// function: create it, `defer { memory.free() }`, pass the pointers to the descriptor, call.
struct DescriptorMemory {
    private var blocks: [UnsafeMutableRawPointer] = []

    init() {}

    /// Frees the memory; every pointer from this instance becomes invalid.
    func free() {
        for block in blocks { block.deallocate() }
    }

    mutating func string(_ text: String) -> WGPUStringView {
        var text = text
        let count = text.utf8.count
        // An empty view still needs an address: WebGPU treats a null pointer as an absent value.
        let block = allocate(max(count, 1), alignment: 1)
        text.withUTF8 { bytes in
            if let base = bytes.baseAddress { block.copyMemory(from: base, byteCount: count) }
        }
        return WGPUStringView(data: block.assumingMemoryBound(to: CChar.self), length: count)
    }

    mutating func array<T: BitwiseCopyable>(_ values: [T]) -> UnsafePointer<T>? {
        if values.isEmpty { return nil }
        let block = allocate(values.count * MemoryLayout<T>.stride, alignment: MemoryLayout<T>.alignment).assumingMemoryBound(to: T.self)
        for (i, value) in values.enumerated() { (block + i).initialize(to: value) }
        return UnsafePointer(block)
    }

    mutating func pointer<T>(to value: T) -> UnsafePointer<T> {
        let block = allocate(MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment).assumingMemoryBound(to: T.self)
        block.initialize(to: value)
        return UnsafePointer(block)
    }

    /// Returns the header of a chained structure, for the `nextInChain` of a descriptor.
    mutating func chain<T>(_ value: T) -> UnsafeMutablePointer<WGPUChainedStruct> {
        UnsafeMutableRawPointer(mutating: pointer(to: value)).assumingMemoryBound(to: WGPUChainedStruct.self)
    }

    private mutating func allocate(_ byteCount: Int, alignment: Int) -> UnsafeMutableRawPointer {
        let block = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: alignment)
        blocks.append(block)
        return block
    }
}

extension String {
    init(_ view: WGPUStringView) {
        guard let data = view.data else {
            self = ""
            return
        }
        var length = view.length
        if length == Int(bitPattern: UInt.max) || length < 0 {
            length = 0
            while data[length] != 0 { length += 1 }
        }
        self = data.withMemoryRebound(to: UInt8.self, capacity: length) {
            String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
        }
    }
}
