import Foundation
import VitrineFiles
import VitrineMath
import VitrineScene

/// One photo with what is known about it, for a session that gets its photos from memory.
///
/// ```swift
/// var sample = PhotogrammetrySample(id: 0, image: picture)
/// sample.objectMask = mask
/// ```
/// A sample without an image may name a file, which is read when its turn comes: a thousand samples then cost nothing.
public struct PhotogrammetrySample: Identifiable, Sendable {
    /// Unique in the session. Results refer to it.
    public var id: Int
    /// 8-bit (or 16-bit) sRGB; nil: read from `url` when needed.
    public var image: Image?
    /// The file that the sample came from.
    public var url: URL?
    public var metadata: PhotoMetadata
    /// Metres along the viewing direction (Z depth) in the first channel, `.rgba32Float`; 0 or NaN where nothing is known. Any size of the same shape.
    public var depthDataMap: Image?
    /// 0…255 (`.rgba8`, first channel), of the depth map's size: depths below 128 are not used.
    public var depthConfidenceMap: Image?
    /// Which way is down, in the camera's frame (x right, y up, z back), any length.
    public var gravity: Vector3?
    /// The image's shape: object from 128 up in the first channel (8 bits); where nothing is that bright, anything but 0.
    public var objectMask: Image?
    /// Seconds since any moment; orders sequential captures.
    public var captureTime: TimeInterval?
    /// Where the photo was taken, if known. In metres, +Y up, the camera looking along −Z.
    public var camera: PhotogrammetrySession.Pose?
    /// The object, in the frame of the samples' cameras.
    public var boundingBox: BoundingBox?
    public var scanPassID: UUID?
    public var sessionID: UUID?
    /// How the stored picture is to be turned for viewing.
    public var orientation: PhotoOrientation

    public init(id: Int, image: Image, metadata: PhotoMetadata = PhotoMetadata(), orientation: PhotoOrientation = .up) {
        (self.id, self.image, self.metadata, self.orientation) = (id, image, metadata, orientation)
    }

    /// A file that is read when its turn comes.
    public init(id: Int, url: URL?) {
        (self.id, self.url) = (id, url)
        (metadata, orientation) = (PhotoMetadata(), .up)
    }

    /// Reads a photo file by its first bytes: JPEG, PNG, WebP or HEIC, with its EXIF data.
    ///
    /// - Throws: `ImageFileError`.
    public init(contentsOf url: URL, id: Int = 0) async throws {
        let bytes = try ImageSource.bytes(of: url)
        let metadata = PhotoMetadata(of: bytes)
        let image = try ImageFile.decode(bytes, name: url.lastPathComponent)
        self.init(id: id, image: image, metadata: metadata, orientation: metadata.orientation)
        self.url = url
    }
}
