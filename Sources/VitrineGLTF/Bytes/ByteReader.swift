/// The error of a format whose bytes a `ByteReader` reads.
package protocol ByteReaderError: Error {
    /// Returns the error for bytes that end before a value does.
    ///
    /// - Parameters:
    ///   - file: The name of the file.
    ///   - offset: The offset of the value.
    static func endOfBytes(file: String, offset: Int) -> Self
}

/// Reads numbers from untrusted bytes of a binary format: in sequence from `offset`, or at given offsets.
///
/// Each read compares its size with the remaining bytes, and throws `Failure.endOfBytes` if there are too few.
package struct ByteReader<Failure: ByteReaderError> {
    package let bytes: [UInt8]
    /// The name of the file in errors.
    package let file: String
    /// Whether numbers have their most significant byte first. Default false.
    package let isBigEndian: Bool
    /// The offset of the next sequential read.
    package var offset: Int

    /// Reads from the start of the bytes.
    @inlinable
    package init(_ bytes: [UInt8], file: String, isBigEndian: Bool = false) {
        (self.bytes, self.file, self.isBigEndian, offset) = (bytes, file, isBigEndian, 0)
    }

    /// The number of bytes after `offset`.
    @inlinable package var remaining: Int { bytes.count - offset }

    /// Throws if fewer than `count` bytes follow `offset`, or if either is negative.
    @inlinable
    package func require(_ count: Int, at offset: Int) throws(Failure) {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
            throw Failure.endOfBytes(file: file, offset: offset)
        }
    }

    // MARK: At an offset

    /// Returns the number at an offset.
    @inlinable
    package func number<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) throws(Failure) -> Value {
        try require(MemoryLayout<Value>.size, at: offset)
        let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
        return isBigEndian ? Value(bigEndian: value) : Value(littleEndian: value)
    }

    // MARK: In sequence

    /// Reads a number.
    @inlinable
    package mutating func number<Value: FixedWidthInteger>(_ type: Value.Type) throws(Failure) -> Value {
        let value = try number(type, at: offset)
        offset += MemoryLayout<Value>.size
        return value
    }

    /// Reads a 32-bit float.
    @inlinable package mutating func float() throws(Failure) -> Float { Float(bitPattern: try number(UInt32.self)) }

    /// Reads `count` bytes.
    @inlinable
    package mutating func slice(_ count: Int) throws(Failure) -> ArraySlice<UInt8> {
        try require(count, at: offset)
        defer { offset += count }
        return bytes[offset..<(offset + count)]
    }

    /// Skips `count` bytes.
    @inlinable
    package mutating func skip(_ count: Int) throws(Failure) {
        try require(count, at: offset)
        offset += count
    }
}
