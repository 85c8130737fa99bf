import VitrineFiles
import VitrineScene
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Pictures of recordings, in whatever file they lie.
enum PictureFile {
    private static let limits = ImageLimits(
        maximumSide: CameraIntrinsics.sideLimit, maximumBytes: 1 << 28, maximumFileBytes: 1 << 27)

    /// Grey stays grey (16 bits are cut to the upper eight); a JPEG keeps its Y and has its colour averaged to half the size; what is red, green
    /// and blue becomes BT.601 in full range.
    static func image(_ url: URL, name: String) throws(SourceError) -> CapturedImage {
        captured(try stored(url, name: name))
    }

    /// As `image(_:name:)`, of a file's bytes.
    static func image(_ bytes: [UInt8], name: String) throws(SourceError) -> CapturedImage { captured(try stored(bytes, name: name)) }

    private static func captured(_ stored: StoredImage) -> CapturedImage {
        switch stored {
        case .gray(let width, let height, let values): return CapturedImage(luma: Plane(width: width, height: height, values: values))
        case .gray16(let width, let height, let values):
            return CapturedImage(luma: Plane(width: width, height: height, values: values.map { UInt8($0 >> 8) }))
        case .yCbCr(let width, let height, let values): return CapturedImage(width: width, height: height, yCbCr: values)
        case .color(let image): return CapturedImage(image)
        }
    }

    /// A grey picture of 8 bits, and nothing else: its values are numbers.
    static func gray(_ url: URL, name: String) throws(SourceError) -> Plane<UInt8> {
        guard case .gray(let width, let height, let values) = try stored(url, name: name) else {
            throw .broken("\(name): is not a grey picture of 8 bits")
        }
        return Plane(width: width, height: height, values: values)
    }

    /// Distances from a grey picture of 16 bits; 0 and the largest value are unknown.
    static func depth(_ url: URL, name: String, unitsPerMetre: Float) throws(SourceError) -> Plane<Float> {
        guard case .gray16(let width, let height, let values) = try stored(url, name: name) else {
            throw .broken("\(name): is not a grey picture of 16 bits")
        }
        return Plane(width: width, height: height, values: values.map { $0 == .max ? 0 : Float($0) / unitsPerMetre })
    }

    private static func stored(_ url: URL, name: String) throws(SourceError) -> StoredImage {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileBytes.read(url, limit: limits.maximumFileBytes)
        } catch {
            throw .broken("\(name): \(error.reason)")
        }
        return try stored(bytes, name: name)
    }

    private static func stored(_ bytes: [UInt8], name: String) throws(SourceError) -> StoredImage {
        do throws(ImageFileError) {
            return try ImageFile.decodeStored(bytes, name: name, limits: limits)
        } catch {
            throw .broken(error.description)
        }
    }

    /// A picture's size, from its header.
    static func size(_ url: URL, name: String) throws(SourceError) -> (width: Int, height: Int) {
        do {
            let header = try ImageFile.header(of: try FileBytes.read(url, limit: limits.maximumFileBytes), name: name)
            return (header.width, header.height)
        } catch let error as FileError {
            throw .broken("\(name): \(error.reason)")
        } catch {
            throw .broken("\(error)")
        }
    }
}
