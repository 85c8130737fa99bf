import VitrineMath
import VitrineVision

/// Why bytes are no map.
public struct LandmarkMapError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where, from 0.
    public var byte: Int
    public var reason: String

    public var description: String { "byte \(byte): \(reason)" }
}

/// The form in which maps are kept; `docs/design/recording-format.md` has it. All numbers little-endian.
extension LandmarkMap {
    /// "VPLC".
    private static let magic: UInt32 = 0x434C_5056
    private static let version: UInt32 = 2
    /// At most, in a file.
    private static let (viewLimit, pointLimit, descriptorLimit) = (4096, 1024, 4096)

    /// The same map gives the same bytes.
    public func encoded() -> [UInt8] {
        var writer = PlaceBytes.Writer()
        writer.add(Self.magic)
        writer.add(Self.version)
        writer.add(UInt32(keyframes.count))
        for keyframe in keyframes {
            let (r, t) = (keyframe.worldFromCamera.rotation, keyframe.worldFromCamera.translation)
            for column in [r.x, r.y, r.z, t] { for k in 0..<3 { writer.add(column[k].bitPattern) } }
            writer.add(UInt32(keyframe.points.count))
            for point in keyframe.points {
                for k in 0..<3 { writer.add(point.position[k].bitPattern) }
                writer.add(point.deviation.bitPattern)
            }
            for looks in [keyframe.small, keyframe.large] {
                writer.add(UInt32(looks.count))
                for owner in looks.owners { writer.add(UInt16(owner)) }
                writer.bytes += looks.set.bytes
            }
        }
        writer.add(PlaceBytes.checksum(writer.bytes[...]))
        return writer.bytes
    }

    public init(encoded bytes: [UInt8]) throws(LandmarkMapError) {
        guard bytes.count >= 16 else { throw LandmarkMapError(byte: bytes.count, reason: "too short for a map") }
        var reader = PlaceBytes.Reader(bytes, end: bytes.count - 4)
        guard try reader.word() == Self.magic else { throw LandmarkMapError(byte: 0, reason: "not a map of a place") }
        let version = try reader.word()
        guard version == Self.version else { throw LandmarkMapError(byte: 4, reason: "version \(version), this reads \(Self.version)") }
        var tail = PlaceBytes.Reader(bytes, end: bytes.count, from: bytes.count - 4)
        guard try tail.word() == PlaceBytes.checksum(bytes[..<(bytes.count - 4)]) else {
            throw LandmarkMapError(byte: bytes.count - 4, reason: "the checksum is another: the map is damaged")
        }
        let count = try reader.count(most: Self.viewLimit, of: "views")
        var keyframes: [PlaceKeyframe] = []
        for _ in 0..<count { keyframes.append(try Self.keyframe(&reader)) }
        guard reader.isAtEnd else { throw LandmarkMapError(byte: reader.position, reason: "more bytes than views") }
        self.init(keyframes: keyframes)
    }

    private static func keyframe(_ reader: inout PlaceBytes.Reader) throws(LandmarkMapError) -> PlaceKeyframe {
        let start = reader.position
        let columns = [try reader.vector(), try reader.vector(), try reader.vector(), try reader.vector()]
        let rotation = Matrix3d(columns[0], columns[1], columns[2])
        let product = rotation.transpose * rotation - .identity
        let off = max(length(product.x), length(product.y), length(product.z))
        guard off < 1e-6, rotation.determinant > 0 else { throw LandmarkMapError(byte: start, reason: "a view's turn is none") }
        guard columns[3].max() < 1e6, columns[3].min() > -1e6 else { throw LandmarkMapError(byte: start, reason: "a view's place is too far") }
        let count = try reader.count(most: pointLimit, of: "points")
        var points: [PlacePoint] = []
        for _ in 0..<count {
            let place = reader.position
            let point = SIMD3(try reader.float(), try reader.float(), try reader.float())
            guard point.isFinite, point.max() < 1e6, point.min() > -1e6 else {
                throw LandmarkMapError(byte: place, reason: "a point that is no place")
            }
            let deviation = try reader.float()
            guard deviation >= 0, deviation < 1e6 else { throw LandmarkMapError(byte: place + 12, reason: "a deviation that is none") }
            points.append(PlacePoint(position: point, deviation: deviation))
        }
        let small = try looks(&reader, points: count)
        return PlaceKeyframe(
            worldFromCamera: RigidTransform(rotation: rotation, translation: columns[3]), points: points, small: small,
            large: try looks(&reader, points: count))
    }

    private static func looks(_ reader: inout PlaceBytes.Reader, points: Int) throws(LandmarkMapError) -> PlaceDescriptors {
        let count = try reader.count(most: descriptorLimit, of: "descriptors")
        var owners: [Int32] = []
        for _ in 0..<count {
            let owner = try reader.half()
            guard owner < points else {
                throw LandmarkMapError(byte: reader.position - 2, reason: "a descriptor of point \(owner) of \(points)")
            }
            owners.append(Int32(owner))
        }
        return PlaceDescriptors(owners: owners, set: DescriptorSet(try reader.bytes(128 * count)))
    }
}

/// Numbers as bytes, little-endian.
enum PlaceBytes {
    struct Writer {
        var bytes: [UInt8] = []

        mutating func add<T: FixedWidthInteger>(_ value: T) {
            for k in 0..<(T.bitWidth / 8) { bytes.append(UInt8(truncatingIfNeeded: value >> T(8 * k))) }
        }
    }

    /// Never reads past its end.
    struct Reader {
        private let source: [UInt8]
        private let end: Int
        private(set) var position: Int

        init(_ source: [UInt8], end: Int, from position: Int = 0) { (self.source, self.end, self.position) = (source, end, position) }

        var isAtEnd: Bool { position == end }

        private mutating func take(_ count: Int) throws(LandmarkMapError) -> Range<Int> {
            guard count <= end - position else { throw LandmarkMapError(byte: position, reason: "ends too early") }
            defer { position += count }
            return position..<(position + count)
        }

        private mutating func number(_ size: Int) throws(LandmarkMapError) -> UInt64 {
            var value: UInt64 = 0
            for (k, index) in try take(size).enumerated() { value |= UInt64(source[index]) << UInt64(8 * k) }
            return value
        }

        mutating func half() throws(LandmarkMapError) -> Int { Int(try number(2)) }
        mutating func word() throws(LandmarkMapError) -> UInt32 { UInt32(try number(4)) }
        mutating func float() throws(LandmarkMapError) -> Float { Float(bitPattern: try word()) }

        /// - Parameter things: for the error.
        mutating func count(most: Int, of things: String) throws(LandmarkMapError) -> Int {
            let count = Int(try word())
            guard count <= most else { throw LandmarkMapError(byte: position - 4, reason: "\(count) \(things), at most \(most) can be") }
            return count
        }

        mutating func vector() throws(LandmarkMapError) -> Vector3d {
            var result = Vector3d.zero
            for k in 0..<3 { result[k] = Double(bitPattern: try number(8)) }
            guard result.isFinite else { throw LandmarkMapError(byte: position - 24, reason: "a number that isn't finite") }
            return result
        }

        mutating func bytes(_ count: Int) throws(LandmarkMapError) -> [UInt8] { Array(source[try take(count)]) }
    }

    /// CRC-32 as in zip files (ISO 3309).
    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            sum = (sum >> 4) ^ table[Int(sum & 15)]
            sum = (sum >> 4) ^ table[Int(sum & 15)]
        }
        return ~sum
    }

    /// Of the sixteen values of half a byte.
    private static let table: [UInt32] = (0..<16).map { value in
        (0..<4).reduce(UInt32(value)) { sum, _ in sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
    }
}
