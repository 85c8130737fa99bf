/// A zip archive for USDZ ("Usdz File Format Specification", Pixar): no compression or encryption, the bytes of each file at a multiple of 64, and the
/// file to open first. All times are the earliest of the format, so that the same content gives the same bytes.
struct ZipStore {
    private var archive = ByteWriter()
    private var directory = ByteWriter()
    private var count: UInt16 = 0

    /// Adds a file.
    ///
    /// - Returns: false if the archive would exceed the format's 4 GB.
    mutating func add(_ name: String, _ bytes: [UInt8]) -> Bool {
        let nameBytes = Array(name.utf8)
        let offset = archive.bytes.count
        guard let start = UInt32(exactly: offset), let size = UInt32(exactly: bytes.count), offset + bytes.count < 1 << 32 - 1 << 20,
            count < .max, nameBytes.count < 1 << 15
        else { return false }
        // An extra field of zeros pads to the multiple; its header takes 4 bytes.
        let unpadded = offset + 30 + nameBytes.count + 4
        let padding = -unpadded & 63
        let extra = [UInt8]([0x86, 0x19, UInt8(padding), 0]) + Array(repeating: 0, count: padding)
        let sum = CRC32.checksum(bytes)
        var common = ByteWriter()
        // Version 2.0; no flags (bit 11: the name is UTF-8); stored; 1 January 1980.
        common.append([20, 0, 0, nameBytes.allSatisfy { $0 < 0x80 } ? 0 : 8, 0, 0, 0, 0, 0x21, 0])
        common.append(sum)
        common.append(size)
        common.append(size)
        common.append(UInt16(nameBytes.count))
        archive.append([0x50, 0x4B, 0x03, 0x04])
        archive.append(common.bytes)
        archive.append(UInt16(extra.count))
        archive.append(nameBytes)
        archive.append(extra)
        archive.append(bytes)
        directory.append([0x50, 0x4B, 0x01, 0x02, 20, 0])
        directory.append(common.bytes)
        // No extra field, comment, disk number or attributes.
        directory.append(repeatElement(0, count: 12))
        directory.append(start)
        directory.append(nameBytes)
        count += 1
        return true
    }

    func finished() -> [UInt8] {
        var file = archive
        let start = UInt32(file.bytes.count)
        file.append(directory.bytes)
        file.append([0x50, 0x4B, 0x05, 0x06, 0, 0, 0, 0])
        file.append(count)
        file.append(count)
        file.append(UInt32(directory.bytes.count))
        file.append(start)
        file.append(UInt16(0))
        return file.bytes
    }
}

/// The checksum of zip and PNG (ISO 3309).
enum CRC32 {
    private static let tables: [[UInt32]] = {
        var first: [UInt32] = []
        for index in 0..<UInt32(256) {
            var bits = index
            for _ in 0..<8 { bits = bits & 1 == 1 ? (bits >> 1) ^ 0xEDB8_8320 : bits >> 1 }
            first.append(bits)
        }
        var tables = [first]
        for table in 1..<4 { tables.append(tables[table - 1].map { (bits: UInt32) -> UInt32 in first[Int(bits & 255)] ^ (bits >> 8) }) }
        return tables
    }()

    /// Computes the checksum in steps of four bytes.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        let flat = tables.flatMap { $0 }
        return bytes.withUnsafeBufferPointer { bytes in
            flat.withUnsafeBufferPointer { table in
                var sum = UInt32.max
                var index = 0
                while index + 4 <= bytes.count {
                    sum ^= UInt32(littleEndian: UnsafeRawPointer(bytes.baseAddress! + index).loadUnaligned(as: UInt32.self))
                    let (a, b, c, d) = (Int(sum & 255), Int(sum >> 8 & 255), Int(sum >> 16 & 255), Int(sum >> 24))
                    let (upper, lower): (UInt32, UInt32) = (table[768 + a] ^ table[512 + b], table[256 + c] ^ table[d])
                    sum = upper ^ lower
                    index += 4
                }
                while index < bytes.count {
                    sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ bytes[index])] ^ (sum >> 8)
                    index += 1
                }
                return ~sum
            }
        }
    }
}
