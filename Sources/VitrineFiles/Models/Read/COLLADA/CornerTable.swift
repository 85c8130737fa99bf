/// Finds corners whose relevant indices are equal, which become one vertex.
struct CornerTable {
    /// The corner from which each vertex was created.
    private(set) var corners: [Int32] = []
    /// The indices, `stride` per corner.
    private let indices: [Int32]
    private let stride: Int
    /// The vertices by hash; −1 for a free slot. The length is a power of two.
    private var slots: [Int32]

    /// Collects the different corners of a primitive.
    ///
    /// - Parameters:
    ///   - offsets: The relevant indices of a corner.
    ///   - canonical: The first index with equal values, for each offset and index: many programs write a normal for every corner.
    init(_ primitive: PrimitiveElements, offsets: [Int], canonical: [Int: [Int32]]) {
        stride = offsets.count
        indices = [Int32](unsafeUninitializedCapacity: primitive.cornerCount * offsets.count) { target, count in
            primitive.indices.withUnsafeBufferPointer { source in
                for (component, offset) in offsets.enumerated() {
                    let same = canonical[offset] ?? []
                    for corner in 0..<primitive.cornerCount {
                        let index = source[corner * primitive.stride + offset]
                        target[corner * offsets.count + component] = index >= 0 && Int(index) < same.count ? same[Int(index)] : index
                    }
                }
            }
            count = primitive.cornerCount * offsets.count
        }
        var size = 64
        while size < primitive.cornerCount * 2 { size *= 2 }
        slots = Array(repeating: -1, count: size)
    }

    /// Returns the vertex of every corner of a list.
    mutating func vertices(of order: [Int32]) -> [UInt32] {
        var result: [UInt32] = []
        result.reserveCapacity(order.count)
        let mask = slots.count - 1
        indices.withUnsafeBufferPointer { indices in
            for corner in order {
                let base = Int(corner) * stride
                var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
                for component in 0..<stride {
                    hash = (hash ^ UInt64(UInt32(bitPattern: indices[base + component]))) &* 0xD6E8_FEB8_6659_FD93
                }
                var slot = Int(truncatingIfNeeded: hash >> 32) & mask
                while true {
                    let vertex = slots[slot]
                    if vertex < 0 {
                        slots[slot] = Int32(corners.count)
                        result.append(UInt32(corners.count))
                        corners.append(corner)
                        break
                    }
                    let other = Int(corners[Int(vertex)]) * stride
                    var isSame = true
                    for component in 0..<stride where indices[base + component] != indices[other + component] { isSame = false }
                    if isSame {
                        result.append(UInt32(vertex))
                        break
                    }
                    slot = (slot + 1) & mask
                }
            }
        }
        return result
    }
}

extension Stream {
    /// The index, for each element, of the first element with equal values.
    var canonicalIndices: [Int32] {
        var result: [Int32] = []
        result.reserveCapacity(count)
        var size = 64
        while size < count * 2 { size *= 2 }
        var slots = [Int32](repeating: -1, count: size)
        values.withUnsafeBufferPointer { values in
            for element in 0..<count {
                let base = element * width
                var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
                for number in 0..<width { hash = (hash ^ UInt64(values[base + number].bitPattern)) &* 0xD6E8_FEB8_6659_FD93 }
                var slot = Int(truncatingIfNeeded: hash >> 32) & (size - 1)
                while slots[slot] >= 0 {
                    let other = Int(slots[slot]) * width
                    var isSame = true
                    for number in 0..<width where values[base + number].bitPattern != values[other + number].bitPattern { isSame = false }
                    if isSame { break }
                    slot = (slot + 1) & (size - 1)
                }
                if slots[slot] < 0 { slots[slot] = Int32(element) }
                result.append(slots[slot])
            }
        }
        return result
    }
}
