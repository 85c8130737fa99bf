import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// 128 bits that identify an input: the key of a checkpoint. Not cryptographic.
struct Digest: Hashable, Sendable, ByteCodable {
    var high: UInt64
    var low: UInt64

    static let zero = Digest(high: 0, low: 0)

    func write(to writer: inout ByteWriter) {
        writer.write(high)
        writer.write(low)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Digest {
        let high = try reader.word()
        return Digest(high: high, low: try reader.word())
    }

    /// The digest as 32 hexadecimal digits.
    var text: String { Digest.hex(high) + Digest.hex(low) }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Makes a `Digest` of bytes: two lanes of multiply and fold, each word of the input in both.
struct Hasher128 {
    private var a: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var b: UInt64 = 0xD1B5_4A32_D192_ED03
    private var length: UInt64 = 0

    mutating func combine(_ word: UInt64) {
        a = Hasher128.fold(a ^ word, 0xA076_1D64_78BD_642F)
        b = Hasher128.fold(b &+ word, 0xE703_7ED1_A0B4_28DB) ^ a
        length &+= 8
    }

    mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        let words = bytes.count / 8
        for index in 0..<words { combine(bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self).littleEndian) }
        var rest: UInt64 = 0
        for index in words * 8..<bytes.count { rest = rest << 8 | UInt64(bytes[index]) }
        combine(rest)
        combine(UInt64(bytes.count))
    }

    mutating func combine(_ bytes: [UInt8]) { bytes.withUnsafeBytes { combine($0) } }
    mutating func combine(_ text: String) { combine(Array(text.utf8)) }
    mutating func combine(_ value: Int) { combine(UInt64(bitPattern: Int64(value))) }
    mutating func combine(_ value: Double) { combine(value.bitPattern) }
    mutating func combine(_ digest: Digest) {
        combine(digest.high)
        combine(digest.low)
    }

    var digest: Digest {
        Digest(
            high: Hasher128.fold(a ^ length, 0x8EBC_6AF0_9C88_C6E3), low: Hasher128.fold(b ^ a, 0x5899_65CC_7537_4CC3))
    }

    /// Combines both halves of the product, so that no bit is lost.
    private static func fold(_ x: UInt64, _ y: UInt64) -> UInt64 {
        let product = x.multipliedFullWidth(by: y)
        return product.high ^ product.low ^ x
    }
}

extension Digest {
    /// Computes the digest of a file of any size, which is read in parts.
    init(ofFileAt url: URL) throws {
        var hasher = Hasher128()
        try FileBytes.readParts(url) { hasher.combine($0) }
        self = hasher.digest
    }

    /// - Parameter start: The bytes before are not part of it.
    init(of bytes: [UInt8], from start: Int = 0) {
        var hasher = Hasher128()
        bytes.withUnsafeBytes { hasher.combine(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        self = hasher.digest
    }

    /// Computes the digest of the values that `describe` combines.
    init(_ describe: (inout Hasher128) -> Void) {
        var hasher = Hasher128()
        describe(&hasher)
        self = hasher.digest
    }
}
