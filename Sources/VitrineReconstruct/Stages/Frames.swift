import VitrineFiles
import VitrineMath
import VitrineVision

/// A frame of reference. Frames are types, so that a value of one frame cannot be taken for a value of another.
protocol Frame: Sendable {}

/// The mapper's frame: origin, orientation and unit are arbitrary, unless cameras were known before.
enum MapperFrame: Frame {}

/// +Y up, the object's base in the origin; scaled by the sparse points or by a known scale.
enum PlacedFrame: Frame {}

/// The frame of all results: +Y up, the object's surface on y = 0, its middle over the origin; metres, or the longest side is 1.
enum ModelFrame: Frame {}

/// Transforms points of one frame to another.
struct FrameTransform<From: Frame, To: Frame>: Equatable, Sendable {
    let similarity: SimilarityTransform
}

extension FrameTransform: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.encode(similarity) }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> FrameTransform {
        FrameTransform(similarity: try reader.decode())
    }
}

extension SparseModel {
    /// The model in another frame.
    func moved(by newWorldFromWorld: SimilarityTransform) -> SparseModel {
        var model = self
        model.move(by: newWorldFromWorld)
        return model
    }
}

extension Plane3<Float> {
    /// The plane in another frame, computed in double precision.
    func moved(by newWorldFromWorld: SimilarityTransform) -> Plane3<Float> {
        let moved = Plane3<Double>(normal: Vector3d(normal), offset: Double(offset)).moved(by: newWorldFromWorld)
        return Plane3<Float>(normal: Vector3(moved.normal), offset: Float(moved.offset))
    }
}

extension OrientedPoints {
    /// The points in another frame of the same orientation.
    func moved<To: Frame>(by modelFromPlaced: FrameTransform<PlacedFrame, To>) -> OrientedPoints {
        let move = modelFromPlaced.similarity
        var points = self
        for index in points.positions.indices {
            points.positions[index] = Vector3(move * Vector3d(points.positions[index]))
            points.spacings[index] *= Float(move.scale)
        }
        return points
    }
}
