import VitrineMath

/// An inverted index of binary descriptor codes: locality-sensitive hashing by samples of their bits (Gionis, Indyk & Motwani 1999).
///
/// Each table maps the values of some bits to the descriptors with these values. A query compares its code only with the descriptors that share
/// the bits of a table.
struct DescriptorIndex: Sendable {
    /// A descriptor of a keyframe.
    private struct Posting: Sendable {
        var code: SIMD2<UInt64>
        var keyframe: Int32
    }

    /// The number of tables, and of bits per table.
    private static let (tableCount, bitCount) = (6, 12)
    /// Largest Hamming distance of a match. Codes of different landmarks differ in about 50 of 128 bits.
    private static let maximumDistance = 32

    /// The bits of each table: a fixed pseudorandom selection.
    private static let bits: [[Int]] = {
        var random = SplitMix64(seed: 20)
        var order = Array(0..<128)
        for index in 0..<127 { order.swapAt(index, index + random.below(128 - index)) }
        return (0..<tableCount).map { Array(order[(bitCount * $0)..<(bitCount * $0 + bitCount)]) }
    }()

    private var postings: [Posting] = []
    /// The indices of the postings of each value of each table.
    private var tables = [[Int32]](repeating: [], count: tableCount << bitCount)

    private static func slot(_ code: SIMD2<UInt64>, _ table: Int) -> Int {
        var value = 0
        for bit in bits[table] { value = value << 1 | Int(truncatingIfNeeded: code[bit >> 6] >> UInt64(bit & 63)) & 1 }
        return table << bitCount | value
    }

    /// Adds the descriptors of a keyframe.
    mutating func add(_ codes: [SIMD2<UInt64>], of keyframe: Int) {
        for code in codes {
            let number = Int32(postings.count)
            postings.append(Posting(code: code, keyframe: Int32(keyframe)))
            for table in 0..<Self.tableCount { tables[Self.slot(code, table)].append(number) }
        }
    }

    /// Returns, for each keyframe, the number of the query's corners with a similar descriptor.
    ///
    /// - Parameter owners: The corner of each code; codes of a corner are consecutive.
    func votes(_ codes: [SIMD2<UInt64>], owners: [Int32], keyframes: Int) -> [Int] {
        var votes = [Int](repeating: 0, count: keyframes)
        var voted = [Int32](repeating: -1, count: keyframes)
        for (code, owner) in zip(codes, owners) {
            for table in 0..<Self.tableCount {
                for number in tables[Self.slot(code, table)] {
                    let posting = postings[Int(number)]
                    guard voted[Int(posting.keyframe)] != owner else { continue }
                    let difference = code ^ posting.code
                    guard difference.x.nonzeroBitCount &+ difference.y.nonzeroBitCount <= Self.maximumDistance else { continue }
                    voted[Int(posting.keyframe)] = owner
                    votes[Int(posting.keyframe)] += 1
                }
            }
        }
        return votes
    }
}
