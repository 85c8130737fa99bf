import VitrineGLTF

/// The codebooks of a BasisLZ image: endpoints and selectors of ETC1S blocks, and the codes of its slices.
///
/// Based on the ".basis File Format and ETC1S Texture Video Specification" (Binomial LLC, public domain).
struct BasisLZ {
    struct Endpoint {
        /// Red, green and blue with 5 bits each, and the row of `ETC1SBlocks.modifiers`.
        var red, green, blue, table: UInt8
    }

    let endpoints: [Endpoint]
    /// Sixteen numbers of 2 bits each, rows from the top, the first pixel in the lowest bits.
    let selectors: [UInt32]
    let predictions, endpointDeltas, selectorCodes, runs: BasisHuffman
    let historyCount: Int
    /// The bytes of the colour slice and of the second slice in the level; nil if there is none.
    let first: Range<Int>
    let second: Range<Int>?

    init(_ file: KTX2File) throws(ImageFileError) {
        let reader = ByteReader<ImageFileError>(file.bytes, file: file.name)
        let start = file.global.lowerBound
        guard file.global.count >= 20 + 20 * file.levelCount else { throw reader.malformed("the BasisLZ codebooks end early") }
        let (endpointCount, selectorCount) = (try reader.uint16(start), try reader.uint16(start + 2))
        let sizes = [try reader.uint32(start + 4), try reader.uint32(start + 8), try reader.uint32(start + 12)]
        guard endpointCount > 0, selectorCount > 0 else { throw reader.malformed("the BasisLZ codebooks are empty") }
        // The first description is that of the largest level.
        let image = start + 20
        guard try reader.uint32(image) & 2 == 0 else { throw reader.unsupported("video in KTX2") }
        func slice(_ offset: Int) throws(ImageFileError) -> Range<Int> {
            let (begin, count) = (try reader.uint32(offset), try reader.uint32(offset + 4))
            guard begin + count <= file.level.count else { throw reader.malformed("a slice exceeds its level") }
            return file.level.lowerBound + begin..<file.level.lowerBound + begin + count
        }
        first = try slice(image + 4)
        let other = try slice(image + 12)
        second = other.isEmpty ? nil : other
        var offset = start + 20 + 20 * file.levelCount
        var parts: [ArraySlice<UInt8>] = []
        for size in sizes {
            guard size <= file.global.upperBound - offset else { throw reader.malformed("the BasisLZ codebooks end early") }
            parts.append(file.bytes[offset..<offset + size])
            offset += size
        }
        guard let endpoints = Self.endpoints(parts[0], count: endpointCount) else {
            throw reader.malformed("the ETC1S endpoints are invalid")
        }
        guard let selectors = Self.selectors(parts[1], count: selectorCount) else {
            throw reader.malformed("the ETC1S selectors are invalid")
        }
        var bits = BasisBits(parts[2])
        guard let predictions = BasisHuffman(&bits), let deltas = BasisHuffman(&bits), let codes = BasisHuffman(&bits),
            let runs = BasisHuffman(&bits)
        else { throw reader.malformed("the BasisLZ tables are invalid") }
        historyCount = bits.take(13)
        guard !bits.isExhausted else { throw reader.malformed("the BasisLZ tables end early") }
        (self.endpoints, self.selectors, self.predictions) = (endpoints, selectors, predictions)
        (endpointDeltas, selectorCodes, self.runs) = (deltas, codes, runs)
    }

    /// Decodes endpoints. Each is stored as a difference from the previous one; the brightness of the previous one determines the code of the difference.
    private static func endpoints(_ bytes: ArraySlice<UInt8>, count: Int) -> [Endpoint]? {
        var bits = BasisBits(bytes)
        guard let dark = BasisHuffman(&bits), let middle = BasisHuffman(&bits), let bright = BasisHuffman(&bits),
            let tables = BasisHuffman(&bits)
        else { return nil }
        let isGrey = bits.take(1) == 1
        var result: [Endpoint] = []
        result.reserveCapacity(count)
        var (colour, table) = ([16, 16, 16], 0)
        for _ in 0..<count {
            guard let step = tables.symbol(&bits) else { return nil }
            table = (table + step) & 7
            for channel in 0..<(isGrey ? 1 : 3) {
                let code = colour[channel] <= 9 ? dark : colour[channel] <= 21 ? middle : bright
                guard let delta = code.symbol(&bits) else { return nil }
                colour[channel] = (colour[channel] + delta) & 31
            }
            if isGrey { (colour[1], colour[2]) = (colour[0], colour[0]) }
            result.append(Endpoint(red: UInt8(colour[0]), green: UInt8(colour[1]), blue: UInt8(colour[2]), table: UInt8(table)))
        }
        return bits.isExhausted ? nil : result
    }

    /// Decodes selectors of four bytes each: the first unchanged, then differences from the previous ones.
    private static func selectors(_ bytes: ArraySlice<UInt8>, count: Int) -> [UInt32]? {
        var bits = BasisBits(bytes)
        // Codebooks that several files share were planned, but do not exist.
        guard bits.take(2) == 0 else { return nil }
        let isRaw = bits.take(1) == 1
        var code: BasisHuffman?
        if !isRaw {
            code = BasisHuffman(&bits)
            if code == nil { return nil }
        }
        var result: [UInt32] = []
        result.reserveCapacity(count)
        var last = [0, 0, 0, 0]
        for index in 0..<count {
            for row in 0..<4 {
                if let code, index > 0 {
                    guard let change = code.symbol(&bits) else { return nil }
                    last[row] = (last[row] ^ change) & 255
                } else {
                    last[row] = bits.take(8)
                }
            }
            result.append(UInt32(last[0] | last[1] << 8 | last[2] << 16 | last[3] << 24))
        }
        return bits.isExhausted ? nil : result
    }
}
