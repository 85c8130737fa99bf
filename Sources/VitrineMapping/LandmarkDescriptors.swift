import VitrineVision

/// The descriptors of a frame's landmarks at one patch size.
struct LandmarkDescriptors: Equatable, Sendable {
    /// The landmark of each descriptor.
    private(set) var owners: [Int32]
    private(set) var set: DescriptorSet
    /// Binary codes: one bit for each descriptor component above the mean. For fast ranking.
    private(set) var codes: [SIMD2<UInt64>]

    init(owners: [Int32] = [], set: DescriptorSet = DescriptorSet([])) {
        (self.owners, self.set) = (owners, set)
        codes = (0..<set.count).map { Self.code(set.bytes[(128 * $0)..<(128 * $0 + 128)]) }
    }

    var count: Int { owners.count }

    private static func code(_ bytes: ArraySlice<UInt8>) -> SIMD2<UInt64> {
        let sum = bytes.reduce(0) { $0 + Int($1) }
        var code = SIMD2<UInt64>()
        for (k, byte) in bytes.enumerated() where 128 * Int(byte) > sum { code[k / 64] |= 1 << UInt64(k % 64) }
        return code
    }

    /// The descriptors of some landmarks, renumbered.
    /// - Parameter numbers: The new index of each landmark, negative to remove it.
    func kept(_ numbers: [Int32]) -> LandmarkDescriptors {
        var (owners, bytes): ([Int32], [UInt8]) = ([], [])
        for (index, owner) in self.owners.enumerated() where numbers[Int(owner)] >= 0 {
            owners.append(numbers[Int(owner)])
            bytes += set.bytes[(128 * index)..<(128 * index + 128)]
        }
        return LandmarkDescriptors(owners: owners, set: DescriptorSet(bytes))
    }

    /// At most `count` codes of the first landmarks, evenly sampled.
    func sampled(below owner: Int, count most: Int) -> [SIMD2<UInt64>] {
        let own = owners.indices.filter { owners[$0] < owner }
        guard own.count > most else { return own.map { codes[$0] } }
        return (0..<most).map { codes[own[$0 * own.count / most]] }
    }

    /// The number of codes with a distinctive match in `others`.
    func similarity(_ others: [SIMD2<UInt64>]) -> Int {
        var votes = 0
        codes.withUnsafeBufferPointer { mine in
            others.withUnsafeBufferPointer { theirs in
                for code in mine {
                    var (best, second) = (128, 128)
                    for candidate in theirs {
                        let difference = code ^ candidate
                        let distance = difference.x.nonzeroBitCount &+ difference.y.nonzeroBitCount
                        second = min(second, max(best, distance))
                        best = min(best, distance)
                    }
                    if best <= Self.maximumHammingDistance, 5 * best < 4 * second { votes += 1 }
                }
            }
        }
        return votes
    }

    /// Largest Hamming distance of a match. Codes of different landmarks differ in about 50 of 128 bits.
    private static let maximumHammingDistance = 36
}
