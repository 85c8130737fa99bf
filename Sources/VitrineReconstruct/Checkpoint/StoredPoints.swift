import VitrineFiles
import VitrineVision

extension OrientedPoints: ByteCodable {
    var largeByteCount: Int { positions.count * 44 + viewIndices.count * 2 + 64 }

    func write(to writer: inout ByteWriter) {
        writer.write(positions)
        writer.write(normals)
        writer.write(colors)
        writer.write(spacings)
        writer.write(confidences)
        writer.write(viewOffsets)
        writer.write(viewIndices)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> OrientedPoints {
        let positions = try reader.vectors(of: Float.self)
        let normals = try reader.vectors(of: Float.self)
        let points = OrientedPoints(
            positions: positions, normals: normals, colors: try reader.array(of: SIMD4<UInt8>.self),
            spacings: try reader.array(of: Float.self), confidences: try reader.array(of: Float.self),
            viewOffsets: try reader.array(of: Int.self), viewIndices: try reader.array(of: UInt16.self))
        guard normals.count == points.count, points.viewOffsets.last == points.viewIndices.count else { throw DamagedCheckpoint() }
        return points
    }
}
