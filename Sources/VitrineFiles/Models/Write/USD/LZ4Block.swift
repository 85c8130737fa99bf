/// LZ4's block format ("LZ4 Block Format Description", Collet), and its framing in USD's crate files.
enum LZ4Block {
    /// Returns a block in the framing of crate files: a zero byte marks a single block.
    static func crate(_ bytes: [UInt8]) -> [UInt8] { [0] + compress(bytes) }

    /// Compresses greedily: the last position of the same four bytes is the match.
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count / 2 + 16)
        var table = [Int32](repeating: -1, count: 1 << 14)
        // The rules of the format: the last match begins at least 12 bytes before the end, and the last 5 bytes are literals.
        let (lastStart, matchEnd) = (bytes.count - 12, bytes.count - 5)
        var (position, literals) = (0, 0)
        bytes.withUnsafeBufferPointer { source in
            func four(_ offset: Int) -> UInt32 { UnsafeRawPointer(source.baseAddress! + offset).loadUnaligned(as: UInt32.self) }
            while position <= lastStart {
                let sequence = four(position)
                let slot = Int((sequence &* 2_654_435_761) >> 18)
                let candidate = Int(table[slot])
                table[slot] = Int32(position)
                guard candidate >= 0, position - candidate <= 0xFFFF, four(candidate) == sequence else {
                    position += 1
                    continue
                }
                var length = 4
                while position + length < matchEnd, source[candidate + length] == source[position + length] { length += 1 }
                append(source[literals..<position], match: (position - candidate, length), to: &output)
                position += length
                literals = position
            }
            append(source[literals...], match: nil, to: &output)
        }
        return output
    }

    private static func append(_ literals: Slice<UnsafeBufferPointer<UInt8>>, match: (offset: Int, length: Int)?, to output: inout [UInt8])
    {
        let extra = (match?.length ?? 4) - 4
        output.append(UInt8(min(literals.count, 15) << 4 | min(extra, 15)))
        appendRest(of: literals.count, to: &output)
        output.append(contentsOf: literals)
        guard let match else { return }
        output.append(UInt8(match.offset & 0xFF))
        output.append(UInt8(match.offset >> 8))
        appendRest(of: extra, to: &output)
    }

    /// Appends the part of a length that exceeds its four bits.
    private static func appendRest(of length: Int, to output: inout [UInt8]) {
        guard length >= 15 else { return }
        var rest = length - 15
        while rest >= 255 {
            output.append(255)
            rest -= 255
        }
        output.append(UInt8(rest))
    }
}
