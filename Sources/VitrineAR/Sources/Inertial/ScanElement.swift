/// The format of a number in an Industrial I/O scan, from its `_type` file: `[be|le]:[s|u]BITS/STORAGE[>>SHIFT]`.
struct ScanElement: Equatable, Sendable {
    let isBigEndian: Bool
    let isSigned: Bool
    /// The number of significant bits, 1…64, and their shift within the stored value.
    let bits, shift: Int
    /// 1, 2, 4 or 8.
    let byteCount: Int

    /// Returns nil for invalid and unsupported formats: floats and repeated elements.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "le" || parts[0] == "be", let sign = parts[1].first, sign == "s" || sign == "u" else {
            return nil
        }
        let sizes = parts[1].dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard sizes.count == 2, let bits = Self.count(sizes[0]) else { return nil }
        let stored = sizes[1].split(separator: ">", omittingEmptySubsequences: false)
        guard stored.count == 1 || (stored.count == 3 && stored[1].isEmpty), let storage = Self.count(stored[0]),
            let shift = stored.count == 3 ? Self.count(stored[2]) : 0
        else { return nil }
        guard [8, 16, 32, 64].contains(storage), (1...storage).contains(bits), bits + shift <= storage else { return nil }
        (isBigEndian, isSigned, self.bits, self.shift, byteCount) = (parts[0] == "be", sign == "s", bits, shift, storage / 8)
    }

    private static func count(_ text: Substring) -> Int? {
        text.utf8.count <= 2 && text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int(text) : nil
    }

    /// Reads the number at `start`; clamps unsigned 64-bit numbers.
    func value(_ bytes: ArraySlice<UInt8>, at start: Int) -> Int64 {
        let stored = bytes[start..<start + byteCount]
        var value: UInt64 = 0
        if isBigEndian {
            for byte in stored { value = value << 8 | UInt64(byte) }
        } else {
            for byte in stored.reversed() { value = value << 8 | UInt64(byte) }
        }
        value = (value >> UInt64(shift)) << UInt64(64 - bits)
        return isSigned ? Int64(bitPattern: value) >> Int64(64 - bits) : Int64(clamping: value >> UInt64(64 - bits))
    }
}
