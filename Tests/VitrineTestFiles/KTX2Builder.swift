/// Makes small KTX2 files: UASTC blocks as given, and BasisLZ with codes of one length.
enum KTX2Builder {
    static func file(width: Int, height: Int, model: UInt8, scheme: Int, samples: [UInt8], global: [UInt8], level: [UInt8]) -> [UInt8] {
        func word(_ value: Int, _ count: Int = 4) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let descriptorSize = 4 + 24 + 16 * samples.count
        let globalStart = 104 + descriptorSize
        let levelStart = globalStart + global.count
        var bytes: [UInt8] = [0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB, 0x0D, 0x0A, 0x1A, 0x0A]
        for value in [0, 1, width, height, 0, 0, 1, 1, scheme, 104, descriptorSize, 0, 0] { bytes += word(value) }
        bytes += word(global.isEmpty ? 0 : globalStart, 8) + word(global.count, 8)
        bytes += word(levelStart, 8) + word(level.count, 8) + word(scheme == 1 ? 0 : level.count, 8)
        bytes += word(descriptorSize) + word(0) + word(2 | (descriptorSize - 4) << 16)
        bytes += [model, 1, 2, 0] + [3, 3, 0, 0] + word(16, 8)
        for sample in samples { bytes += [0, 0, 127, sample] + word(0, 4) + word(0) + word(-1) }
        return bytes + global + level
    }

    /// Bits, the lowest of each byte first.
    struct Bits {
        private(set) var bytes: [UInt8] = []
        private var count = 0

        mutating func put(_ value: Int, _ bits: Int) {
            for bit in 0..<bits {
                if count % 8 == 0 { bytes.append(0) }
                bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(count % 8)
                count += 1
            }
        }

        /// A code in which each of 2^`bits` symbols has `bits` bits.
        mutating func putCode(bits: Int) {
            let symbols = 1 << bits
            put(symbols, 14)
            put(21, 5)
            // Of the code of lengths: only the length itself is ever sent, with one bit.
            for symbol in [17, 18, 19, 20, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15, 16] { put(symbol == bits ? 1 : 0, 3) }
            for _ in 0..<symbols { put(0, 1) }
        }

        /// A symbol of such a code: highest bit first.
        mutating func putSymbol(_ symbol: Int, bits: Int) { for bit in (0..<bits).reversed() { put(symbol >> bit & 1, 1) } }
    }

    /// An image of blocks side by side: for each the number of an endpoint and of a selector, as in the codebooks.
    static func etc1s(
        columns: Int, rows: Int, endpoints: [(colour: [Int], table: Int)], selectors: [[Int]], blocks: [(endpoint: Int, selector: Int)],
        alpha: [(endpoint: Int, selector: Int)]? = nil
    ) -> [UInt8] {
        let packed = (endpointBytes(endpoints), selectorBytes(selectors), tableBytes())
        let slices = [slice(blocks, columns, endpoints.count)] + (alpha.map { [slice($0, columns, endpoints.count)] } ?? [])
        func word(_ value: Int, _ count: Int = 4) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        var global = word(endpoints.count, 2) + word(selectors.count, 2) + word(packed.0.count) + word(packed.1.count)
        global += word(packed.2.count) + word(0)
        let second = slices.count > 1 ? word(slices[0].count) + word(slices[1].count) : word(0) + word(0)
        global += word(0) + word(0) + word(slices[0].count) + second
        global += packed.0 + packed.1 + packed.2
        return file(
            width: columns * 4, height: rows * 4, model: 163, scheme: 1, samples: alpha == nil ? [0] : [0, 15], global: global,
            level: slices.flatMap { $0 })
    }

    private static func endpointBytes(_ endpoints: [(colour: [Int], table: Int)]) -> [UInt8] {
        var bits = Bits()
        for _ in 0..<3 { bits.putCode(bits: 5) }
        bits.putCode(bits: 3)
        bits.put(0, 1)
        var (colour, table) = ([16, 16, 16], 0)
        for endpoint in endpoints {
            bits.putSymbol((endpoint.table - table) & 7, bits: 3)
            for channel in 0..<3 { bits.putSymbol((endpoint.colour[channel] - colour[channel]) & 31, bits: 5) }
            (colour, table) = (endpoint.colour, endpoint.table)
        }
        return bits.bytes
    }

    private static func selectorBytes(_ selectors: [[Int]]) -> [UInt8] {
        var bits = Bits()
        bits.put(0, 2)
        bits.put(0, 1)
        bits.putCode(bits: 8)
        var last = [0, 0, 0, 0]
        for (index, selector) in selectors.enumerated() {
            for row in 0..<4 {
                let byte = (0..<4).reduce(0) { $0 | selector[row * 4 + $1] << (2 * $1) }
                if index == 0 { bits.put(byte, 8) } else { bits.putSymbol(byte ^ last[row], bits: 8) }
                last[row] = byte
            }
        }
        return bits.bytes
    }

    /// 512 symbols for predictions, so that 256 is among them; 4 bits for endpoints, selectors and runs; a history of 4.
    private static func tableBytes() -> [UInt8] {
        var bits = Bits()
        bits.putCode(bits: 9)
        for _ in 0..<3 { bits.putCode(bits: 4) }
        bits.put(4, 13)
        return bits.bytes
    }

    /// Every endpoint is sent as a difference, so that any order of blocks can be written.
    private static func slice(_ blocks: [(endpoint: Int, selector: Int)], _ columns: Int, _ endpointCount: Int) -> [UInt8] {
        var bits = Bits()
        var last = 0
        for (index, block) in blocks.enumerated() {
            if index % columns % 2 == 0, index / columns % 2 == 0 { bits.putSymbol(255, bits: 9) }
            bits.putSymbol((block.endpoint - last + endpointCount) % endpointCount, bits: 4)
            bits.putSymbol(block.selector, bits: 4)
            last = block.endpoint
        }
        return bits.bytes
    }
}
