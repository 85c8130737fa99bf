import VitrineFiles
import VitrineMath
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A photo with its metadata, for a session whose photos are in memory.
///
/// ```swift
/// var sample = PhotogrammetrySample(id: 0, image: image)
/// sample.objectMask = mask
/// ```
/// A sample without an image may name a file, which is read when it is needed: a thousand samples then take no memory.
public struct PhotogrammetrySample: Identifiable, Sendable {
    /// Identifies the sample in results; unique in the session.
    public var id: Int
    /// The photo, sRGB with 8 or 16 bits per channel. `nil`: the session reads `url` when it needs the photo.
    public var image: Image?
    /// The file that the sample came from.
    public var url: URL?
    /// The photo's EXIF data. A file that is read later uses its own.
    public var metadata: PhotoMetadata
    /// The depth of the photo: metres along the viewing direction (Z depth) in the first channel, `.rgba32Float`; 0 or NaN where unknown.
    /// Any size with the photo's aspect ratio.
    public var depthDataMap: Image?
    /// The confidence of the depth, 0…255 (`.rgba8`, first channel), in the depth map's size. Depths with a confidence below 128 are not
    /// used.
    public var depthConfidenceMap: Image?
    /// The direction of gravity in the camera's frame (x right, y up, z back), any length.
    public var gravity: Vector3?
    /// A mask with the image's aspect ratio: object from 128 up in the first channel (8 bits); if no pixel is that bright, any value but 0.
    public var objectMask: Image?
    /// The number of seconds since any reference time; orders the samples of a `.sequential` session.
    public var captureTime: TimeInterval?
    /// The camera's pose, if it is known: in metres, +Y up, the camera looks along −Z.
    public var camera: PhotogrammetrySession.Pose?
    /// The box around the object, in the frame of the samples' cameras.
    public var boundingBox: BoundingBox?
    /// The scan pass that the photo belongs to: between passes the object may be turned over. Photos of one pass show one pose of it.
    public var scanPassID: UUID?
    /// The capture session that the photo belongs to: between sessions the object may be moved or turned over.
    public var sessionID: UUID?
    /// The EXIF orientation: how to rotate the stored image upright.
    public var orientation: PhotoOrientation

    /// Creates a sample for an image in memory.
    public init(id: Int, image: Image, metadata: PhotoMetadata = PhotoMetadata(), orientation: PhotoOrientation = .up) {
        (self.id, self.image, self.metadata, self.orientation) = (id, image, metadata, orientation)
    }

    /// Creates a sample for a file that is read when it is needed.
    public init(id: Int, url: URL?) {
        (self.id, self.url) = (id, url)
        (metadata, orientation) = (PhotoMetadata(), .up)
    }

    /// Reads a photo file by its first bytes: JPEG, PNG, WebP or HEIC, with its EXIF data.
    ///
    /// - Throws: `ImageFileError`.
    public init(contentsOf url: URL, id: Int = 0) async throws {
        let bytes = try PixelSource.bytes(of: url)
        let metadata = PhotoMetadata(of: bytes)
        let image = try ImageFile.decode(bytes, name: url.lastPathComponent)
        self.init(id: id, image: image, metadata: metadata, orientation: metadata.orientation)
        self.url = url
    }
}
