import VitrineMath
import VitrineVision

/// The reason why data is not a valid landmark map.
package struct LandmarkMapError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The offset of the error.
    package var byte: Int
    package var reason: String

    package var description: String { "byte \(byte): \(reason)" }
}

/// The binary form of maps; all numbers are little-endian.
extension LandmarkMap {
    /// The signature "VPLC".
    private static let magic: UInt32 = 0x434C_5056
    private static let version: UInt32 = 3
    /// Limits of a file: keyframes, landmarks, corners and descriptors of a keyframe.
    private static let (keyframeLimit, landmarkLimit, cornerLimit, descriptorLimit) = (4096, 1 << 22, 4096, 8192)

    /// The map's binary form. Equal maps have equal bytes.
    package func encoded() -> [UInt8] {
        var writer = LandmarkMapBytes.Writer()
        writer.add(Self.magic)
        writer.add(Self.version)
        writer.add(UInt32(landmarks.count))
        for landmark in landmarks { for vector in [landmark.position, landmark.diagonal, landmark.offDiagonal] { writer.add(vector) } }
        writer.add(UInt32(keyframes.count))
        for keyframe in keyframes {
            let (r, t) = (keyframe.worldFromCamera.rotation, keyframe.worldFromCamera.translation)
            for column in [r.x, r.y, r.z, t] { for k in 0..<3 { writer.add(column[k].bitPattern) } }
            writer.add(keyframe.depth.bitPattern)
            writer.add(UInt32(keyframe.corners.count))
            for (corner, position) in keyframe.corners.enumerated() {
                for value in [position.x, position.y, keyframe.noise[corner]] { writer.add(value.bitPattern) }
                writer.add(UInt32(bitPattern: keyframe.landmarks[corner]))
            }
            writer.add(UInt32(keyframe.descriptors.count))
            for owner in keyframe.descriptors.owners { writer.add(UInt16(owner)) }
            writer.bytes += keyframe.descriptors.set.bytes
        }
        writer.add(LandmarkMapBytes.checksum(writer.bytes[...]))
        return writer.bytes
    }

    /// Decodes a map; throws if the data is damaged or of another version.
    package init(encoded bytes: [UInt8]) throws(LandmarkMapError) {
        guard bytes.count >= 20 else { throw LandmarkMapError(byte: bytes.count, reason: "too short for a map") }
        var reader = LandmarkMapBytes.Reader(bytes, end: bytes.count - 4)
        guard try reader.word() == Self.magic else { throw LandmarkMapError(byte: 0, reason: "not a landmark map") }
        let version = try reader.word()
        guard version == Self.version else {
            throw LandmarkMapError(
                byte: 4,
                reason: "version \(version) is not supported, only \(Self.version)"
                    + (version < Self.version ? ": record the map again with this version of Vitrine" : ""))
        }
        var tail = LandmarkMapBytes.Reader(bytes, end: bytes.count, from: bytes.count - 4)
        guard try tail.word() == LandmarkMapBytes.checksum(bytes[..<(bytes.count - 4)]) else {
            throw LandmarkMapError(byte: bytes.count - 4, reason: "the checksum does not match: the map is damaged")
        }
        var landmarks: [Landmark] = []
        for _ in 0..<(try reader.count(most: Self.landmarkLimit, of: "landmarks")) { landmarks.append(try Self.landmark(&reader)) }
        let count = try reader.count(most: Self.keyframeLimit, of: "keyframes")
        var keyframes: [Keyframe] = []
        for _ in 0..<count { keyframes.append(try Self.keyframe(&reader, landmarks: landmarks.count)) }
        guard reader.isAtEnd else { throw LandmarkMapError(byte: reader.position, reason: "trailing bytes after the keyframes") }
        self.init(keyframes: keyframes, landmarks: landmarks)
    }

    private static func landmark(_ reader: inout LandmarkMapBytes.Reader) throws(LandmarkMapError) -> Landmark {
        let start = reader.position
        let position = try reader.floats()
        guard position.isFinite, position.max() < 1e6, position.min() > -1e6 else {
            throw LandmarkMapError(byte: start, reason: "a landmark's position is not finite or exceeds 1000 km")
        }
        let (diagonal, offDiagonal) = (try reader.floats(), try reader.floats())
        guard diagonal.isFinite, offDiagonal.isFinite, diagonal.min() >= 0,
            max(diagonal.max(), offDiagonal.max(), -offDiagonal.min()) < 1e15
        else {
            throw LandmarkMapError(byte: start + 12, reason: "a landmark's information is negative, too large or not a number")
        }
        return Landmark(position: position, diagonal: diagonal, offDiagonal: offDiagonal)
    }

    private static func keyframe(_ reader: inout LandmarkMapBytes.Reader, landmarks: Int) throws(LandmarkMapError) -> Keyframe {
        let start = reader.position
        let columns = [try reader.vector(), try reader.vector(), try reader.vector(), try reader.vector()]
        let rotation = Matrix3d(columns[0], columns[1], columns[2])
        let product = rotation.transpose * rotation - .identity
        let off = max(length(product.x), length(product.y), length(product.z))
        guard off < 1e-6, rotation.determinant > 0 else {
            throw LandmarkMapError(byte: start, reason: "a keyframe's rotation is not orthonormal")
        }
        guard columns[3].max() < 1e6, columns[3].min() > -1e6 else {
            throw LandmarkMapError(byte: start, reason: "a keyframe's position exceeds 1000 km")
        }
        let depth = try reader.double()
        guard depth > 1e-3, depth < 1e6 else {
            throw LandmarkMapError(byte: reader.position - 8, reason: "a keyframe's depth is not between 1 mm and 1000 km")
        }
        let count = try reader.count(most: cornerLimit, of: "corners")
        var (corners, noise, observed): ([SIMD2<Float>], [Float], [Int32]) = ([], [], [])
        for _ in 0..<count {
            let start = reader.position
            let corner = try reader.floats()
            guard abs(corner.x) < 1e4, abs(corner.y) < 1e4, corner.z > 1e-6, corner.z < 1 else {
                throw LandmarkMapError(byte: start, reason: "a corner's direction or noise is out of range")
            }
            let landmark = Int32(bitPattern: try reader.word())
            guard landmark >= -1, landmark < landmarks else {
                throw LandmarkMapError(byte: start + 12, reason: "a corner refers to landmark \(landmark) of \(landmarks)")
            }
            corners.append(SIMD2(corner.x, corner.y))
            noise.append(corner.z)
            observed.append(landmark)
        }
        return Keyframe(
            worldFromCamera: RigidTransform(rotation: rotation, translation: columns[3]), submap: 0, corners: corners, noise: noise,
            landmarks: observed, descriptors: try descriptors(&reader, corners: count), depth: depth)
    }

    private static func descriptors(_ reader: inout LandmarkMapBytes.Reader, corners: Int) throws(LandmarkMapError) -> CornerDescriptors {
        let count = try reader.count(most: descriptorLimit, of: "descriptors")
        var owners: [Int32] = []
        for _ in 0..<count {
            let owner = try reader.half()
            guard owner < corners, owner >= Int(owners.last ?? 0) else {
                throw LandmarkMapError(
                    byte: reader.position - 2, reason: "a descriptor refers to corner \(owner) of \(corners), or they are not in order")
            }
            owners.append(Int32(owner))
        }
        return CornerDescriptors(owners: owners, set: DescriptorSet(try reader.bytes(128 * count)))
    }
}

/// Little-endian binary encoding.
enum LandmarkMapBytes {
    struct Writer {
        var bytes: [UInt8] = []

        mutating func add<T: FixedWidthInteger>(_ value: T) {
            for k in 0..<(T.bitWidth / 8) { bytes.append(UInt8(truncatingIfNeeded: value >> T(8 * k))) }
        }

        mutating func add(_ vector: SIMD3<Float>) { for k in 0..<3 { add(vector[k].bitPattern) } }
    }

    /// Reads within bounds; throws at the end.
    struct Reader {
        private let source: [UInt8]
        private let end: Int
        private(set) var position: Int

        init(_ source: [UInt8], end: Int, from position: Int = 0) { (self.source, self.end, self.position) = (source, end, position) }

        var isAtEnd: Bool { position == end }

        private mutating func take(_ count: Int) throws(LandmarkMapError) -> Range<Int> {
            guard count <= end - position else { throw LandmarkMapError(byte: position, reason: "unexpected end of data") }
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
        mutating func floats() throws(LandmarkMapError) -> SIMD3<Float> { SIMD3(try float(), try float(), try float()) }
        mutating func double() throws(LandmarkMapError) -> Double { Double(bitPattern: try number(8)) }

        /// Reads a count and checks it.
        ///
        /// - Parameter things: The plural name of the elements in the error.
        mutating func count(most: Int, of things: String) throws(LandmarkMapError) -> Int {
            let count = Int(try word())
            guard count <= most else {
                throw LandmarkMapError(byte: position - 4, reason: "\(count) \(things) exceed the limit of \(most)")
            }
            return count
        }

        mutating func vector() throws(LandmarkMapError) -> Vector3d {
            var result = Vector3d.zero
            for k in 0..<3 { result[k] = try double() }
            guard result.isFinite else { throw LandmarkMapError(byte: position - 24, reason: "a number is not finite") }
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

    /// The CRC-32 table for the sixteen values of half a byte.
    private static let table: [UInt32] = (0..<16).map { value in
        (0..<4).reduce(UInt32(value)) { sum, _ in sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
    }
}
