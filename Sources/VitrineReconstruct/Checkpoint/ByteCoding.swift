import VitrineFiles
import VitrineVision

/// Writes values with their counts, without padding: the content of checkpoint files and tasks.
extension ByteWriter {
    mutating func write(_ value: UInt64) { append(value) }
    mutating func write(_ value: Int) { append(UInt64(bitPattern: Int64(value))) }
    mutating func write(_ value: Double) { append(value) }
    mutating func write(_ value: Float) { append(value) }
    mutating func write(_ value: Bool) { append(value ? 1 : 0 as UInt8) }

    mutating func write(_ text: String) {
        let utf8 = Array(text.utf8)
        write(utf8.count)
        append(utf8)
    }

    /// Writes elements without padding (numbers, SIMD2, SIMD4) as they lie in memory, which is little-endian on every platform of Swift.
    mutating func write<Element: BitwiseCopyable>(_ values: [Element]) {
        precondition(MemoryLayout<Element>.size == MemoryLayout<Element>.stride)
        write(values.count)
        values.withUnsafeBytes { append($0) }
    }

    /// Writes vectors of three components without the padding that they have in memory.
    mutating func write<Scalar: SIMDScalar & BitwiseCopyable>(_ values: [SIMD3<Scalar>]) {
        write(values.count)
        let scalars = [Scalar](unsafeUninitializedCapacity: 3 * values.count) { target, initialized in
            for (index, value) in values.enumerated() {
                for component in 0..<3 { target.initializeElement(at: 3 * index + component, to: value[component]) }
            }
            initialized = 3 * values.count
        }
        scalars.withUnsafeBytes { append($0) }
    }

    mutating func write<Value>(_ value: Value?, _ body: (inout ByteWriter, Value) -> Void) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    mutating func writeList<Element>(_ values: [Element], _ body: (inout ByteWriter, Element) -> Void) {
        write(values.count)
        for value in values { body(&self, value) }
    }
}

/// The bytes of a checkpoint file or a task are damaged. A damaged checkpoint file is treated as missing.
struct DamagedCheckpoint: Error, CustomStringConvertible {
    var description: String { "a file of the checkpoint folder is damaged: remove the folder and start again" }
}

/// Reads the bytes of a `ByteWriter`. Compares every length with the number of bytes left before it is used.
struct ByteReader {
    private let bytes: [UInt8]
    private var offset: Int

    init(_ bytes: [UInt8], from offset: Int = 0) { (self.bytes, self.offset) = (bytes, offset) }

    var left: Int { bytes.count - offset }

    private mutating func take<Value: BitwiseCopyable>(_: Value.Type) throws(DamagedCheckpoint) -> Value {
        let size = MemoryLayout<Value>.size
        guard left >= size else { throw DamagedCheckpoint() }
        defer { offset += size }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }

    mutating func word() throws(DamagedCheckpoint) -> UInt64 { UInt64(littleEndian: try take(UInt64.self)) }
    mutating func int() throws(DamagedCheckpoint) -> Int { Int(Int64(bitPattern: try word())) }
    mutating func double() throws(DamagedCheckpoint) -> Double { Double(bitPattern: try word()) }
    mutating func float() throws(DamagedCheckpoint) -> Float { Float(bitPattern: UInt32(littleEndian: try take(UInt32.self))) }
    mutating func bool() throws(DamagedCheckpoint) -> Bool { try take(UInt8.self) != 0 }

    /// The number of elements that follow, each of at least `size` bytes.
    mutating func count(of size: Int) throws(DamagedCheckpoint) -> Int {
        let count = try int()
        guard count >= 0, count <= left / max(1, size) else { throw DamagedCheckpoint() }
        return count
    }

    mutating func text() throws(DamagedCheckpoint) -> String {
        let count = try count(of: 1)
        defer { offset += count }
        return String(decoding: bytes[offset..<offset + count], as: UTF8.self)
    }

    mutating func array<Element: BitwiseCopyable>(of: Element.Type) throws(DamagedCheckpoint) -> [Element] {
        let size = MemoryLayout<Element>.stride
        let count = try count(of: size)
        let start = offset
        offset += count * size
        return [Element](unsafeUninitializedCapacity: count) { target, initialized in
            bytes.withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(target).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: source[start..<start + count * size]))
            }
            initialized = count
        }
    }

    mutating func vectors<Scalar: SIMDScalar & BitwiseCopyable>(of: Scalar.Type) throws(DamagedCheckpoint) -> [SIMD3<Scalar>] {
        let size = MemoryLayout<Scalar>.size
        let count = try count(of: 3 * size)
        let start = offset
        offset += count * 3 * size
        return bytes.withUnsafeBytes { source in
            (0..<count).map { index in
                var value = SIMD3<Scalar>()
                for part in 0..<3 { value[part] = source.loadUnaligned(fromByteOffset: start + (index * 3 + part) * size, as: Scalar.self) }
                return value
            }
        }
    }

    mutating func optional<Value>(_ body: (inout ByteReader) throws(DamagedCheckpoint) -> Value) throws(DamagedCheckpoint) -> Value? {
        try bool() ? try body(&self) : nil
    }

    mutating func list<Element>(
        _ body: (inout ByteReader) throws(DamagedCheckpoint) -> Element
    ) throws(DamagedCheckpoint) -> [Element] {
        let count = try count(of: 1)
        var result: [Element] = []
        result.reserveCapacity(count)
        for _ in 0..<count { result.append(try body(&self)) }
        return result
    }
}

/// A value with a byte coding: the inputs and outputs of stages, in checkpoints and between machines.
protocol ByteCodable: Sendable {
    /// About the number of bytes, if there are many: room for them is made at once. Default 0.
    var largeByteCount: Int { get }
    func write(to writer: inout ByteWriter)
    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self
}

extension ByteWriter {
    mutating func encode(_ value: some ByteCodable) { value.write(to: &self) }
}

extension ByteReader {
    mutating func decode<Value: ByteCodable>(_: Value.Type = Value.self) throws(DamagedCheckpoint) -> Value {
        try Value.read(from: &self)
    }
}

extension ByteCodable {
    var largeByteCount: Int { 0 }

    /// The value's bytes.
    var encoded: [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// The value of these bytes.
    ///
    /// - Parameter start: The offset of the value's first byte.
    /// - Throws: `DamagedCheckpoint`, also if bytes are left over.
    init(decoding bytes: [UInt8], from start: Int = 0) throws(DamagedCheckpoint) {
        var reader = ByteReader(bytes, from: start)
        self = try Self.read(from: &reader)
        guard reader.left == 0 else { throw DamagedCheckpoint() }
    }
}

extension Int: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.write(self) }
    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Int { try reader.int() }
}

extension Double: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.write(self) }
    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Double { try reader.double() }
}

extension Float: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.write(self) }
    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Float { try reader.float() }
}

extension Bool: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.write(self) }
    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Bool { try reader.bool() }
}

extension String: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.write(self) }
    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> String { try reader.text() }
}

extension Optional: ByteCodable where Wrapped: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.write(self) { $0.encode($1) } }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Wrapped? {
        try reader.bool() ? try Wrapped.read(from: &reader) : nil
    }
}

extension Array: ByteCodable where Element: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.writeList(self) { $0.encode($1) } }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> [Element] {
        try reader.list { (reader) throws(DamagedCheckpoint) in try Element.read(from: &reader) }
    }
}

extension ClosedRange: ByteCodable where Bound == Float {
    func write(to writer: inout ByteWriter) {
        writer.write(lowerBound)
        writer.write(upperBound)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> ClosedRange<Float> {
        let (lower, upper) = (try reader.float(), try reader.float())
        guard lower <= upper else { throw DamagedCheckpoint() }
        return lower...upper
    }
}
