import VitrineGPU
import VitrineMath
import VitrineScene

/// The transform and appearance of one node, or of one deformed part of a node.
struct InstanceUniforms: ShaderStructure {
    var worldFromLocal = ShaderRows()
    var opacity: Float = 0
    var categories: UInt32 = 0

    static let name = "Instance"
    static let fields: [ShaderField<InstanceUniforms>] = [
        .init("worldFromLocal") { $0.worldFromLocal }, .init("opacity") { $0.opacity }, .init("categories") { $0.categories },
    ]
}

/// The instances of everything that may be drawn, on the GPU: one per node slot, followed by one per deformed record.
///
/// Only entries that changed are uploaded.
struct InstanceList {
    private var growing: GrowingBuffer
    private var entries: [InstanceUniforms] = []
    private var update: UInt64 = 0

    init(_ device: GPUDevice) throws(GPUError) {
        growing = try GrowingBuffer(device, "instances", usage: .storage, size: 4096)
    }

    var buffer: GPUBuffer { growing.buffer }

    /// Updates the list from the store's world transforms.
    ///
    /// - Parameter all: Whether the draw list was rebuilt, so that every entry is stale.
    mutating func update(from store: NodeStore, _ list: DrawList, all: Bool) throws(GPUError) {
        let count = store.worldTransforms.count + list.deformed.count
        let isStale = all || entries.count != count
        guard isStale || update != store.updateCount else { return }
        if isStale { entries = [InstanceUniforms](repeating: InstanceUniforms(), count: count) }
        var (first, last) = (Int.max, -1)
        for slot in store.worldTransforms.indices where isStale || store.movedInUpdate[slot] > update {
            write(slot, store.worldTransforms[slot], store, slot)
            first = min(first, slot)
            last = max(last, slot)
        }
        for (index, deformed) in list.deformed.enumerated() {
            let slot = Int(list.slots[deformed.record])
            // Joints move a skin's vertices to the world frame; morph targets leave them in the node's frame.
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
        entries[entry].worldFromLocal = ShaderRows(m)
        entries[entry].opacity = store.worldOpacities[slot]
        entries[entry].categories = store.categoryBitMasks[slot]
    }

    private mutating func upload(_ range: Range<Int>) throws(GPUError) {
        let size = InstanceUniforms.byteCount
        let isNew = try growing.reserve(entries.count * size)
        let range = isNew ? 0..<entries.count : range
        entries.withUnsafeBytes { bytes in
            let part = UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound * size..<range.upperBound * size])
            growing.buffer.device.queue.write(part, to: growing.buffer, at: range.lowerBound * size)
        }
    }
}
