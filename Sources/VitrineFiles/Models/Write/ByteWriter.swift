/// Collects bytes; numbers are little-endian.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    package mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    package mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func append(_ value: Float) { append(value.bitPattern) }
    package mutating func append(_ value: Double) { append(value.bitPattern) }

    package mutating func append(values: [some FixedWidthInteger]) {
        #if _endian(little)
            values.withUnsafeBytes { bytes.append(contentsOf: $0) }
        #else
            for value in values { append(value) }
        #endif
    }

    package mutating func append(floats: [Float]) {
        #if _endian(little)
            floats.withUnsafeBytes { bytes.append(contentsOf: $0) }
        #else
            for value in floats { append(value) }
        #endif
    }

    /// Zeros up to the next multiple.
    package mutating func pad(to multiple: Int) {
        let rest = bytes.count % multiple
        if rest != 0 { append(repeatElement(0, count: multiple - rest)) }
    }

    package mutating func overwrite(at offset: Int, with value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { for (index, byte) in $0.enumerated() { bytes[offset + index] = byte } }
    }
}
