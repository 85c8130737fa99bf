/// Collects bytes; numbers are little-endian.
@usableFromInline package struct ByteWriter {
    @usableFromInline var storage: [UInt8] = []

    /// The bytes so far.
    @inlinable package var bytes: [UInt8] { storage }

    @inlinable package init(capacity: Int = 0) { storage.reserveCapacity(capacity) }

    @inlinable package mutating func append(_ more: some Sequence<UInt8>) { storage.append(contentsOf: more) }

    @inlinable package mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { storage.append(contentsOf: $0) }
    }

    @inlinable package mutating func append(_ value: Float) { append(value.bitPattern) }
    @inlinable package mutating func append(_ value: Double) { append(value.bitPattern) }

    package mutating func append(values: [some FixedWidthInteger]) {
        #if _endian(little)
            values.withUnsafeBytes { storage.append(contentsOf: $0) }
        #else
            for value in values { append(value) }
        #endif
    }

    package mutating func append(floats: [Float]) {
        #if _endian(little)
            floats.withUnsafeBytes { storage.append(contentsOf: $0) }
        #else
            for value in floats { append(value) }
        #endif
    }

    /// Appends zeros up to the next multiple.
    package mutating func pad(to multiple: Int) {
        let rest = storage.count % multiple
        if rest != 0 { append(repeatElement(0, count: multiple - rest)) }
    }

    package mutating func overwrite(at offset: Int, with value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { for (index, byte) in $0.enumerated() { storage[offset + index] = byte } }
    }
}
