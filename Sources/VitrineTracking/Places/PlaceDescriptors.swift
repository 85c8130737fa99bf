import VitrineVision

/// What points of a picture look like, at one size of their surroundings.
struct PlaceDescriptors: Equatable, Sendable {
    /// Of each descriptor the point it belongs to.
    private(set) var owners: [Int32]
    private(set) var set: DescriptorSet
    /// Of each descriptor which of its numbers are above their mean: cheap to compare, for a first choice.
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

    /// Those of some points only, which get new numbers.
    /// - Parameter numbers: of each point its new number, or a negative one for those that go.
    func kept(_ numbers: [Int32]) -> PlaceDescriptors {
        var (owners, bytes): ([Int32], [UInt8]) = ([], [])
        for (index, owner) in self.owners.enumerated() where numbers[Int(owner)] >= 0 {
            owners.append(numbers[Int(owner)])
            bytes += set.bytes[(128 * index)..<(128 * index + 128)]
        }
        return PlaceDescriptors(owners: owners, set: DescriptorSet(bytes))
    }

    /// At most so many codes of the first points, evenly chosen.
    func sampled(below owner: Int, most: Int) -> [SIMD2<UInt64>] {
        let own = owners.indices.filter { owners[$0] < owner }
        guard own.count > most else { return own.map { codes[$0] } }
        return (0..<most).map { codes[own[$0 * own.count / most]] }
    }

    /// How many of these look like one of `others`, judged by codes alone.
    func likeness(_ others: [SIMD2<UInt64>]) -> Int {
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
                    if best <= Self.alike, 5 * best < 4 * second { votes += 1 }
                }
            }
        }
        return votes
    }

    /// Of 128 signs those that may differ between two sights of one point; those of two points differ in about 50.
    private static let alike = 36
}
