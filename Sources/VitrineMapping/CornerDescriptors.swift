import VitrineVision

/// The descriptors of an image's corners.
struct CornerDescriptors: Equatable, Sendable {
    /// The corner of each descriptor, ascending: a corner with two dominant orientations has two descriptors.
    let owners: [Int32]
    let set: DescriptorSet
    /// The binary codes of the descriptors: one bit for each descriptor component above the mean, for the search in the index.
    let codes: [SIMD2<UInt64>]

    init(owners: [Int32] = [], set: DescriptorSet = DescriptorSet([])) {
        (self.owners, self.set) = (owners, set)
        codes = (0..<set.count).map { Self.code(set.bytes[(128 * $0)..<(128 * $0 + 128)]) }
    }

    var count: Int { owners.count }

    /// The descriptors of each corner.
    func ranges(corners: Int) -> [Range<Int>] {
        var ranges = [Range<Int>](repeating: 0..<0, count: corners)
        var start = 0
        while start < owners.count {
            var end = start + 1
            while end < owners.count, owners[end] == owners[start] { end += 1 }
            ranges[Int(owners[start])] = start..<end
            start = end
        }
        return ranges
    }

    private static func code(_ bytes: ArraySlice<UInt8>) -> SIMD2<UInt64> {
        let sum = bytes.reduce(0) { $0 + Int($1) }
        var code = SIMD2<UInt64>()
        for (k, byte) in bytes.enumerated() where 128 * Int(byte) > sum { code[k / 64] |= 1 << UInt64(k % 64) }
        return code
    }
}
