import VitrineGPU
import VitrineMath
import VitrineScene

/// Transforms of everything that may be drawn, on the GPU: one entry a node slot, and one for each deformed record after them.
///
/// An entry is four vectors: the rows of `worldFromLocal`, then opacity and category bits. Only what moved is written again.
struct InstanceList {
    private(set) var buffer: GrowingBuffer
    private var entries: [Vector4] = []
    private var update: UInt64 = 0
    private static let vectors = 4

    init(_ device: GPUDevice) throws(GPUError) {
        buffer = try GrowingBuffer(device, "instances", usage: .storage, size: 4096)
    }

    /// - Parameter all: the draw list was made anew.
    mutating func follow(_ store: NodeStore, _ list: DrawList, all: Bool) throws(GPUError) {
        let count = store.worldTransforms.count + list.deformed.count
        let isStale = all || entries.count != count * Self.vectors
        guard isStale || update != store.updateCount else { return }
        if isStale { entries = [Vector4](repeating: Vector4(repeating: 0), count: count * Self.vectors) }
        var (first, last) = (Int.max, -1)
        for slot in store.worldTransforms.indices where isStale || store.movedInUpdate[slot] > update {
            write(slot, store.worldTransforms[slot], store, slot)
            first = min(first, slot)
            last = max(last, slot)
        }
        for (index, deformed) in list.deformed.enumerated() {
            let slot = Int(list.slots[deformed.record])
            // A skin's joints bring vertices into the world; morph targets leave them in the node's frame.
            let entry = store.worldTransforms.count + index
            write(entry, deformed.isSkinned ? .identity : store.worldTransforms[slot], store, slot)
            first = min(first, entry)
            last = max(last, entry)
        }
        update = store.updateCount
        guard last >= first else { return }
        try upload(isStale ? 0..<count : first..<last + 1)
    }

    private mutating func write(_ entry: Int, _ m: Matrix4, _ store: NodeStore, _ slot: Int) {
        let base = entry * Self.vectors
        entries[base] = Vector4(m.x.x, m.y.x, m.z.x, m.w.x)
        entries[base + 1] = Vector4(m.x.y, m.y.y, m.z.y, m.w.y)
        entries[base + 2] = Vector4(m.x.z, m.y.z, m.z.z, m.w.z)
        entries[base + 3] = Vector4(store.worldOpacities[slot], Float(bitPattern: store.categoryBitMasks[slot]), 0, 0)
    }

    private mutating func upload(_ range: Range<Int>) throws(GPUError) {
        let size = Self.vectors * 16
        let isNew = try buffer.reserve(entries.count * 16)
        let range = isNew ? 0..<entries.count / Self.vectors : range
        entries.withUnsafeBytes { bytes in
            let part = UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound * size..<range.upperBound * size])
            buffer.buffer.device.queue.write(part, to: buffer.buffer, at: range.lowerBound * size)
        }
    }
}
