import VitrineFiles
import VitrineScene
import VitrineVision

/// Depth maps that came with photos.
enum SensorDepth {
    /// Depths in metres, 0 where nothing is known; nil where the photo came without.
    static func plane(of photo: Photo) throws(ImageFileError) -> Plane<Float>? {
        try photo.depth?.depths(confidence: photo.depthConfidence)
    }

    /// Depths in metres, 0 where nothing is known. A 16-bit PNG holds millimetres, an EXR metres.
    ///
    /// - Parameter confidence: 8 bits and of the map's size: where it is under 128, nothing is known; others are not used.
    static func plane(of source: PictureSource, confidence: Image?) throws(ImageFileError) -> Plane<Float> {
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
                file: source.name, reason: .unsupported("a depth map of 8 bits: a 16-bit PNG (mm) or an EXR (m) is wanted"))
        }
        for index in values.indices where !values[index].isFinite || values[index] < 0 { values[index] = 0 }
        if let confidence, confidence.format == .rgba8, confidence.width == image.width, confidence.height == image.height {
            for index in values.indices where confidence.bytes[index * 4] < 128 { values[index] = 0 }
        }
        return Plane(width: image.width, height: image.height, values: values)
    }
}
