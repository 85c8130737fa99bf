import VitrineFiles
import VitrineScene
import VitrineVision

/// A depth map that came with a photo, with its confidences.
struct SensorDepthMap: Sendable {
    var map: Companion
    /// 8 bits and of the map's size: depths with a confidence below 128 are not used. An image of another format or size is ignored.
    var confidence: Image?

    /// Depths in metres, 0 where unknown; in the orientation of the stored photo.
    func depths() throws(ImageFileError) -> Plane<Float> {
        try SensorDepthMap.depths(of: map.source, confidence: confidence).stored(map.orientation)
    }

    /// Depths in metres, 0 where unknown. A 16-bit PNG contains millimetres, an EXR metres.
    static func depths(of source: PixelSource, confidence: Image?) throws(ImageFileError) -> Plane<Float> {
        let image = try source.image()
        let count = image.width * image.height
        var values: [Float]
        switch image.format {
        case .rgba16:
            values = image.bytes.withUnsafeBytes { bytes in
                (0..<count).map { pixel in
                    let millimetres = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: pixel * 8, as: UInt16.self))
                    // 65,535 means "nothing measured" in the usual maps.
                    return millimetres == .max ? 0 : Float(millimetres) * 0.001
                }
            }
        case .rgba32Float:
            values = image.bytes.withUnsafeBytes { bytes in (0..<count).map { bytes.loadUnaligned(fromByteOffset: $0 * 16, as: Float.self) }
            }
        case .rgba8:
            throw ImageFileError(
                file: source.name, reason: .unsupported("a depth map with 8 bits: a 16-bit PNG (mm) or an EXR (m) is expected"))
        }
        for index in values.indices where !values[index].isFinite || values[index] < 0 { values[index] = 0 }
        if let confidence, confidence.format == .rgba8, confidence.width == image.width, confidence.height == image.height {
            for index in values.indices where confidence.bytes[index * 4] < 128 { values[index] = 0 }
        }
        return Plane(width: image.width, height: image.height, values: values)
    }
}

extension SensorDepthMap: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(map)
        writer.encode(confidence.map { StoredImage($0) })
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> SensorDepthMap {
        SensorDepthMap(map: try reader.decode(), confidence: try reader.decode(StoredImage?.self)?.image)
    }
}

extension StageKey {
    /// Adds the depth map's content; not the location of its file.
    mutating func add(_ field: String, _ depth: SensorDepthMap?) {
        add(field, depth?.map)
        add("\(field).confidence", depth?.confidence.map { Digest(of: $0.bytes) })
    }
}
