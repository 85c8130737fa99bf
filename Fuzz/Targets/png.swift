import VitrineFiles

/// Chunk checksums are corrected: otherwise every mutation would be rejected there.
let pngTarget = FuzzTarget.image(.png) { bytes in
    force([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], on: &bytes)
    var offset = 8
    while bytes.count - offset >= 12 {
        let length = bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
        let end = offset + 8 + length
        guard end + 4 <= bytes.count else { return }
        let sum = checksum(bytes[(offset + 4)..<end])
        for index in 0..<4 { bytes[end + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * index)) }
        offset = end + 4
    }
}

/// CRC-32 (ISO 3309), a table step a byte.
private func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ (sum >> 8) }
}

private let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { bits, _ in bits & 1 == 1 ? 0xEDB8_8320 ^ (bits >> 1) : bits >> 1 }
}
