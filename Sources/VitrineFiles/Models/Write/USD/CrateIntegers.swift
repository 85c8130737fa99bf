/// Compresses 32-bit integers as crate files do: as differences, of which the most frequent one takes no bytes and the others as few as possible;
/// then LZ4.
///
/// Layout before LZ4: the frequent difference (4 bytes), 2 bits per number (0 for the frequent one; 1 … 3: 1, 2, 4 bytes follow), the bytes.
enum CrateIntegers {
    static func pack(_ values: [Int32]) -> [UInt8] {
        var differences = [Int32](repeating: 0, count: values.count)
        var last: Int32 = 0
        for (index, value) in values.enumerated() {
            differences[index] = value &- last
            last = value
        }
        let frequent = mostFrequent(differences)
        var codes = [UInt8](repeating: 0, count: (values.count * 2 + 7) / 8)
        var bytes = ByteWriter(capacity: values.count)
        for (index, difference) in differences.enumerated() {
            let code: UInt8
            if difference == frequent {
                code = 0
            } else if let small = Int8(exactly: difference) {
                code = 1
                bytes.append(small)
            } else if let medium = Int16(exactly: difference) {
                code = 2
                bytes.append(medium)
            } else {
                code = 3
                bytes.append(difference)
            }
            codes[index / 4] |= code << (2 * (index % 4))
        }
        var packed = ByteWriter(capacity: 4 + codes.count + bytes.bytes.count)
        packed.append(frequent)
        packed.append(codes)
        packed.append(bytes.bytes)
        return LZ4Block.crate(packed.bytes)
    }

    /// Returns the most frequent value; the smallest of equally frequent ones, so that the choice is unique.
    private static func mostFrequent(_ values: [Int32]) -> Int32 {
        let sorted = values.sorted()
        var (best, bestCount, start) = (Int32(0), 0, 0)
        for index in sorted.indices where index + 1 == sorted.count || sorted[index + 1] != sorted[index] {
            if index + 1 - start > bestCount { (best, bestCount) = (sorted[index], index + 1 - start) }
            start = index + 1
        }
        return best
    }
}
