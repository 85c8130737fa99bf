import VitrineImageFiles
import VitrineScene
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the image files of recordings.
enum FrameImageFile {
    private static let limits = ImageLimits(
        maximumSide: CameraIntrinsics.sideLimit, maximumBytes: 1 << 28, maximumFileBytes: 1 << 27)

    /// Reads an image. Grey stays grey (16 bits are truncated to 8); a JPEG keeps its luma and has its chroma averaged to half size; RGB is
    /// converted to BT.601 in full range.
    static func image(_ url: URL, name: String) throws(SourceError) -> CapturedImage {
        captured(try stored(url, name: name))
    }

    /// Decodes the bytes of an image file like `image(_:name:)`.
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

    /// Reads an 8-bit grey image of numbers.
    static func gray(_ url: URL, name: String) throws(SourceError) -> Plane<UInt8> {
        guard case .gray(let width, let height, let values) = try stored(url, name: name) else {
            throw .broken("\(name): is not an 8-bit grey image")
        }
        return Plane(width: width, height: height, values: values)
    }

    /// Reads depth from a 16-bit grey image; 0 and the largest value are unknown.
    static func depth(_ url: URL, name: String, unitsPerMetre: Float) throws(SourceError) -> Plane<Float> {
        guard case .gray16(let width, let height, let values) = try stored(url, name: name) else {
            throw .broken("\(name): is not a 16-bit grey image")
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

    /// Reads an image's size from its header.
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
