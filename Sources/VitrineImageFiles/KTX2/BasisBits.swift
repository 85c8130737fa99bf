/// Reads bits of a Basis Universal stream, the lowest of each byte first. Beyond the end it returns zeros and sets `isExhausted`.
struct BasisBits {
    private let bytes: ArraySlice<UInt8>
    private var next: Int
    private var buffer: UInt64 = 0
    private var count = 0
    /// Whether more bits were read than there are.
    private(set) var isExhausted = false

    init(_ bytes: ArraySlice<UInt8>) { (self.bytes, next) = (bytes, bytes.startIndex) }

    private mutating func fill(_ wanted: Int) {
        while count < wanted {
            if next < bytes.endIndex {
                buffer |= UInt64(bytes[next]) << UInt64(count)
                next += 1
            } else if next < bytes.endIndex + 8 {
                // Decoding may read beyond the end as long as the bits of the code itself exist.
                next += 1
            } else {
                isExhausted = true
            }
            count += 8
        }
    }

    /// Reads up to 32 bits.
    mutating func take(_ wanted: Int) -> Int {
        guard wanted > 0 else { return 0 }
        fill(wanted)
        let value = buffer & (1 << UInt64(wanted) - 1)
        buffer >>= UInt64(wanted)
        count -= wanted
        return Int(value)
    }

    mutating func peek(_ wanted: Int) -> Int {
        fill(wanted)
        return Int(buffer & (1 << UInt64(wanted) - 1))
    }

    /// Reads chunks of `bits`, each followed by a bit that is set if another chunk follows; nil if they do not end.
    mutating func variable(_ bits: Int) -> Int? {
        var (value, shift) = (0, 0)
        while shift < 32 {
            let chunk = take(bits + 1)
            value |= (chunk & (1 << bits - 1)) << shift
            if chunk >> bits == 0 { return value & 0xFFFF_FFFF }
            shift += bits
        }
        return nil
    }
}

/// A canonical Huffman code, as Deflate (RFC 1951) builds it, of up to 16 bits.
struct BasisHuffman {
    /// The value symbol · 32 + length for each value of the next `width` bits; 0 if there is no such code.
    private let table: [UInt32]
    private let width: Int

    /// Returns nil for lengths that do not form a code.
    init?(lengths: [UInt8]) {
        let longest = Int(lengths.max() ?? 0)
        guard longest <= 16 else { return nil }
        var counts = [Int](repeating: 0, count: 17)
        for length in lengths { counts[Int(length)] += 1 }
        counts[0] = 0
        var (starts, code) = ([Int](repeating: 0, count: 17), 0)
        for length in 1..<17 {
            code = (code + counts[length - 1]) << 1
            starts[length] = code
            guard code + counts[length] <= 1 << length else { return nil }
        }
        var table = [UInt32](repeating: 0, count: 1 << longest)
        for (symbol, length) in lengths.enumerated() where length > 0 {
            let length = Int(length)
            // Codes are stored with their highest bit first.
            var (reversed, rest) = (0, starts[length])
            for _ in 0..<length { (reversed, rest) = (reversed << 1 | rest & 1, rest >> 1) }
            starts[length] += 1
            for index in stride(from: reversed, to: table.count, by: 1 << length) { table[index] = UInt32(symbol << 5 | length) }
        }
        (self.table, width) = (table, longest)
    }

    /// Reads a symbol; returns nil if the bits are not a code.
    @inline(__always)
    func symbol(_ bits: inout BasisBits) -> Int? {
        guard width > 0 else { return nil }
        let entry = table[bits.peek(width)]
        guard entry != 0 else { return nil }
        _ = bits.take(Int(entry & 31))
        return Int(entry >> 5)
    }

    /// Reads a code: its lengths, compressed by a smaller code and run lengths. Returns nil if they are invalid.
    init?(_ bits: inout BasisBits) {
        let (symbolCount, lengthCount) = (bits.take(14), bits.take(5))
        guard lengthCount <= 21 else { return nil }
        let order = [17, 18, 19, 20, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15, 16]
        var small = [UInt8](repeating: 0, count: 21)
        for symbol in order.prefix(lengthCount) { small[symbol] = UInt8(bits.take(3)) }
        guard let smallCode = BasisHuffman(lengths: small) else { return nil }
        var lengths: [UInt8] = []
        while lengths.count < symbolCount {
            guard let symbol = smallCode.symbol(&bits), !bits.isExhausted else { return nil }
            switch symbol {
            case 0...16: lengths.append(UInt8(symbol))
            case 17: lengths += repeatElement(0, count: 3 + bits.take(3))
            case 18: lengths += repeatElement(0, count: 11 + bits.take(7))
            default:
                guard let last = lengths.last, last > 0 else { return nil }
                lengths += repeatElement(last, count: symbol == 19 ? 3 + bits.take(2) : 7 + bits.take(7))
            }
        }
        guard lengths.count == symbolCount else { return nil }
        self.init(lengths: lengths)
    }
}
