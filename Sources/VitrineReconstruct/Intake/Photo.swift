import Foundation
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineVision

/// A photo that was taken in: what later stages need to know of it without decoding it again.
struct Photo: Sendable {
    /// The sample's, in outputs and results.
    let id: Int
    /// The file's name, or `sample 12`.
    let name: String
    let source: PhotoSource
    /// Of the file's or the picture's bytes.
    let digest: Digest
    /// As stored.
    let storedSize: PhotoSize
    /// What all stages work with: the stored size, or a smaller one.
    var size: PhotoSize
    let metadata: PhotoMetadata
    let orientation: PhotoOrientation
    /// A small JPEG, as stored.
    let thumbnail: [UInt8]
    /// 0…1: see `Sharpness`.
    let sharpness: Float
    /// The luma that a tenth of the photo exceeds, 0…1.
    let brightness: Float
    let mask: Companion?
    /// The share of the photo that the mask calls object, 0…1; nil without a mask.
    let maskCoverage: Double?
    /// Whether some of its pixels are transparent: those are never used.
    let hasTransparency: Bool
    /// Whether it can be decoded at a part of its size, for a part of the time and memory.
    let isReducible: Bool
    let depth: Companion?
    let depthConfidence: Image?
    /// Towards the sky in the camera's frame (x right, y down, z forward).
    let upInCamera: Vector3d?
    var known: PosedCamera?
    /// The object, in the frame of the known cameras.
    let boundingBox: BoundingBox?
    let url: URL?
}

/// Where a photo's pixels are.
enum PhotoSource: Sendable {
    case file(URL)
    case image(Image)
}

/// Where a mask or depth map is.
enum PictureSource: Sendable {
    case file(URL)
    case image(Image)

    func image(limits: ImageLimits = PhotoLimits.image) throws(ImageFileError) -> Image {
        switch self {
        case .file(let url): try Image(contentsOf: url, limits: limits)
        case .image(let image): image
        }
    }

    /// Of the file's or the picture's bytes.
    func digest() throws(FileError) -> Digest {
        switch self {
        case .file(let url): Digest(of: try FileBytes.read(url, limit: PhotoLimits.image.maximumFileBytes))
        case .image(let image): Digest(of: image.bytes)
        }
    }

    var name: String {
        switch self {
        case .file(let url): url.path
        case .image(let image): image.name
        }
    }
}

/// What is taken of photos that nobody vouches for.
enum PhotoLimits {
    static let longestSide = 16_384
    static let photos = 1_000
    /// Sides under this show nothing that could be matched.
    static let shortestSide = 64
    static let image = ImageLimits(maximumSide: longestSide, maximumBytes: 1 << 30, maximumFileBytes: 1 << 29)
}

extension Photo {
    /// What is known of the camera before anything is matched, at the working size.
    var cameraGuess: CameraGuess {
        if let known { return CameraGuess(intrinsics: known.intrinsics, isFocalKnown: true) }
        var guess = CameraGuess(width: size.width, height: size.height)
        guard let focal = metadata.focalLengthInPixels(width: storedSize.width, height: storedSize.height) else { return guess }
        let scaled = focal * Double(size.longerSide) / Double(storedSize.longerSide)
        guess.intrinsics.focal = Vector2d(scaled, scaled)
        guess.isFocalKnown = true
        return guess
    }

    /// Photos with the same key were taken with one camera at one zoom setting.
    var cameraKey: String {
        let parts = [metadata.make, metadata.model, metadata.lens, metadata.focalLength.map { "\($0)" }]
        return parts.map { $0 ?? "" }.joined(separator: "|") + "|\(storedSize.width)x\(storedSize.height)"
    }
}
