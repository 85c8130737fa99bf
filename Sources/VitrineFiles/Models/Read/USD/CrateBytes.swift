import VitrineGLTF

/// Reads the elements of crate files: little-endian numbers, LZ4 blocks, compressed integers. Checks every size against the remaining bytes, and
/// against a budget for decompressed data, because a few bytes may decompress to gigabytes.
struct CrateBytes {
    private var reader: ByteReader<ModelFileError>
    /// The number of bytes that may still be decompressed.
    private(set) var budget: Int

    init(_ bytes: [UInt8], file: String, budget: Int) {
        (reader, self.budget) = (ByteReader(bytes, file: file), budget)
    }

    /// The offset of the next read.
    var offset: Int { reader.offset }

    func failure(_ reason: String) -> ModelFileError {
        ModelFileError(file: reader.file, location: "byte \(offset)", reason: .malformed(reason))
    }

    mutating func seek(_ position: Int) throws(ModelFileError) {
        guard position >= 0, position <= reader.bytes.count else { throw failure("offset \(position) is outside the file") }
        reader.offset = position
    }

    mutating func number<Value: FixedWidthInteger>(_ type: Value.Type) throws(ModelFileError) -> Value { try reader.number(type) }

    /// Reads `count` numbers of four bytes.
    mutating func words<Value>(_ count: Int, _ body: (UInt32) -> Value) throws(ModelFileError) -> [Value] {
        guard count >= 0, count <= reader.remaining / 4 else { throw failure("the file ends early") }
        return try reader.slice(count * 4).withUnsafeBytes { raw in
            (0..<count).map { body(UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self))) }
        }
    }

    mutating func slice(_ count: Int) throws(ModelFileError) -> ArraySlice<UInt8> { try reader.slice(count) }

    /// Reads the number of the following elements, `size` bytes each. The remaining bytes limit it; for compressed elements, the budget does.
    mutating func count(_ size: Int, isPacked: Bool = false, isShort: Bool = false) throws(ModelFileError) -> Int {
        let value = isShort ? UInt64(try number(UInt32.self)) : try number(UInt64.self)
        guard value <= UInt64(isPacked ? budget : reader.remaining) / UInt64(max(1, size)) else {
            throw failure("the count \(value) is too large")
        }
        return Int(value)
    }

    mutating func spend(_ count: Int) throws(ModelFileError) {
        guard count <= budget else { throw failure("the decompressed data exceed the limit") }
        budget -= count
    }

    // MARK: Compressed data

    /// Decompresses at most `count` bytes from LZ4 blocks of `packed` bytes. The first byte is the number of blocks; 0 for a single one.
    mutating func unpack(_ packed: Int, upTo count: Int) throws(ModelFileError) -> [UInt8] {
        try spend(count)
        let block = try slice(packed)
        guard let pieces = block.first else { throw failure("a block is empty") }
        var output: [UInt8] = []
        output.reserveCapacity(count)
        if pieces == 0 {
            try unpack(block.dropFirst(), upTo: count, into: &output)
            return output
        }
        var rest = block.dropFirst()
        for _ in 0..<pieces {
            guard rest.count >= 4 else { throw failure("a block ends early") }
            let size = rest.prefix(4).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
            rest = rest.dropFirst(4)
            guard size <= rest.count else { throw failure("a block ends early") }
            try unpack(rest.prefix(size), upTo: count, into: &output)
            rest = rest.dropFirst(size)
        }
        return output
    }

    private func unpack(_ block: ArraySlice<UInt8>, upTo count: Int, into output: inout [UInt8]) throws(ModelFileError) {
        var index = block.startIndex
        let end = block.endIndex
        // Matches refer only to the output of this block.
        let first = output.count
        func length(_ nibble: UInt8) -> Int? {
            var total = Int(nibble)
            guard nibble == 15 else { return total }
            while index < end {
                let byte = block[index]
                index += 1
                total += Int(byte)
                if byte != 255 { return total }
            }
            return nil
        }
        while index < end {
            let token = block[index]
            index += 1
            guard let literals = length(token >> 4), literals <= end - index, literals <= count - output.count else {
                throw failure("a block is invalid")
            }
            output += block[index..<(index + literals)]
            index += literals
            if index == end { return }
            guard end - index >= 2 else { throw failure("a block is invalid") }
            let distance = Int(block[index]) | Int(block[index + 1]) << 8
            index += 2
            guard let extra = length(token & 15), distance > 0, distance <= output.count - first, extra + 4 <= count - output.count else {
                throw failure("a block is invalid")
            }
            let from = output.count - distance
            for step in 0..<(extra + 4) { output.append(output[from + step]) }
        }
    }

    /// Reads compressed 32-bit integers (see `CrateIntegers`) after their compressed size.
    mutating func integers(_ count: Int) throws(ModelFileError) -> [Int32] {
        try unpackIntegers(count, word: 4).map { Int32(truncatingIfNeeded: $0) }
    }

    /// Reads compressed 64-bit integers, clamped to 32 bits.
    mutating func longIntegers(_ count: Int) throws(ModelFileError) -> [Int32] {
        try unpackIntegers(count, word: 8).map { Int32(clamping: $0) }
    }

    /// - Parameter word: The size of the most frequent difference in bytes, 4 or 8; other differences have a quarter, half or all of it.
    private mutating func unpackIntegers(_ count: Int, word: Int) throws(ModelFileError) -> [Int64] {
        let packed = try self.count(1)
        let codesSize = (count * 2 + 7) / 8
        let data = try unpack(packed, upTo: word + codesSize + word * count)
        try spend(word * count)
        guard count > 0 else { return [] }
        guard data.count >= word + codesSize else { throw failure("compressed numbers end early") }
        func load(_ position: Int, _ size: Int) -> Int64? {
            guard position + size <= data.count else { return nil }
            var raw: UInt64 = 0
            for byte in 0..<size { raw |= UInt64(data[position + byte]) << (8 * UInt64(byte)) }
            switch size {
            case 1: return Int64(Int8(truncatingIfNeeded: raw))
            case 2: return Int64(Int16(truncatingIfNeeded: raw))
            case 4: return Int64(Int32(truncatingIfNeeded: raw))
            default: return Int64(bitPattern: raw)
            }
        }
        var result: [Int64] = []
        guard let frequent = load(0, word) else { return [] }
        result.reserveCapacity(count)
        var (last, position): (Int64, Int) = (0, word + codesSize)
        for index in 0..<count {
            let code = data[word + index / 4] >> (2 * UInt8(index % 4)) & 3
            var difference = frequent
            if code > 0 {
                let size = (word / 4) << (Int(code) - 1)
                guard let value = load(position, size) else { throw failure("compressed numbers end early") }
                difference = value
                position += size
            }
            last = last &+ difference
            result.append(last)
        }
        return result
    }
}
