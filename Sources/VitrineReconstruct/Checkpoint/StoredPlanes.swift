import VitrineFiles
import VitrineVision

extension ColorPlane: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(width)
        writer.write(height)
        writer.write(values)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> ColorPlane {
        let (width, height) = try reader.planeSize()
        let values = try reader.array(of: UInt8.self)
        guard values.count == width * height * 3 else { throw DamagedCheckpoint() }
        return ColorPlane(width: width, height: height, values: values)
    }
}

/// The values of planes that have a byte coding.
protocol PlaneScalar: BitwiseCopyable, Sendable {}
extension UInt8: PlaneScalar {}
extension UInt16: PlaneScalar {}
extension Float: PlaneScalar {}

extension Plane: ByteCodable where Value: PlaneScalar {
    func write(to writer: inout ByteWriter) {
        writer.write(width)
        writer.write(height)
        writer.write(values)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Plane {
        let (width, height) = try reader.planeSize()
        let values = try reader.array(of: Value.self)
        guard values.count == width * height else { throw DamagedCheckpoint() }
        return Plane(width: width, height: height, values: values)
    }
}

extension ByteReader {
    fileprivate mutating func planeSize() throws(DamagedCheckpoint) -> (width: Int, height: Int) {
        let (width, height) = (try int(), try int())
        guard (0...1 << 20).contains(width), (0...1 << 20).contains(height) else { throw DamagedCheckpoint() }
        return (width, height)
    }
}

/// A mask as runs of equal values: a hundredth of its pixels.
struct StoredMask: ByteCodable {
    let mask: MaskPlane

    func write(to writer: inout ByteWriter) {
        writer.write(mask.width)
        writer.write(mask.height)
        var (values, lengths): ([UInt8], [UInt32]) = ([], [])
        for value in mask.values {
            if value == values.last {
                lengths[lengths.count - 1] += 1
            } else {
                values.append(value)
                lengths.append(1)
            }
        }
        writer.write(values)
        writer.write(lengths)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> StoredMask {
        let (width, height) = try reader.planeSize()
        let (values, lengths) = (try reader.array(of: UInt8.self), try reader.array(of: UInt32.self))
        guard values.count == lengths.count, lengths.reduce(0, { $0 + Int($1) }) == width * height, width * height <= 1 << 28 else {
            throw DamagedCheckpoint()
        }
        var mask: [UInt8] = []
        mask.reserveCapacity(width * height)
        for (value, length) in zip(values, lengths) { mask.append(contentsOf: repeatElement(value, count: Int(length))) }
        return StoredMask(mask: MaskPlane(width: width, height: height, values: mask))
    }
}
