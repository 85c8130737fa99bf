import VitrineFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A photo file and the measurements that decide whether it suits a reconstruction.
package struct PhotoMeasure: Sendable {
    /// Identifies a file by its bytes.
    package struct Identity: Hashable, Sendable {
        let digest: Digest
    }

    package let bytes: [UInt8]
    package let identity: Identity
    /// The sharpness of the photo, 0…1, as `Sharpness` defines it.
    package let sharpness: Float
    /// The luma that a tenth of the photo exceeds, 0…1.
    package let brightness: Float
    /// The fraction of pixels that are white or nearly so, 0…1.
    package let clipped: Float
    /// The luminance of the photo, reduced to at most 1,024 pixels on the longer side.
    package let gray: GrayPlane

    /// Reads and measures a photo.
    ///
    /// - Throws: `ImageFileError` if the file cannot be read, is not a photo or is too small.
    package init(_ url: URL) throws {
        let bytes = try PixelSource.bytes(of: url)
        let name = url.lastPathComponent
        let image = try ImageFile.decode(bytes, name: name, maximumSide: 1_024, limits: PhotoLimits.image)
        guard min(image.width, image.height) >= PhotoLimits.shortestSide else {
            throw ImageFileError(
                file: name, reason: .malformed("\(image.width) × \(image.height) pixels are too few"))
        }
        guard let color = ColorPlane(image) else { throw ImageFileError.notAPhoto(name) }
        gray = color.gray
        self.bytes = bytes
        identity = Identity(digest: Digest(of: bytes))
        sharpness = Sharpness.score(of: gray)
        brightness = PhotoReadingStage.brightness(of: gray)
        clipped = Float(gray.values.count { $0 > 250 / 255 }) / Float(max(1, gray.values.count))
    }

    package static func identity(of url: URL) throws -> Identity { Identity(digest: Digest(of: try PixelSource.bytes(of: url))) }
}
