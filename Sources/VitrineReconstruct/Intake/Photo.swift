import VitrineFiles
import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A photo's pixels by reference: what a stage needs to decode them.
struct PhotoReference: Sendable {
    /// The file's name, or `sample 12`.
    let name: String
    let source: PixelSource
    /// The digest of the bytes of the file or image.
    let digest: Digest
    /// The size of the photo as stored.
    let storedSize: PhotoSize
    /// The size that all stages work at: the stored size, or a smaller one.
    var size: PhotoSize
    /// Whether some of its pixels are transparent: those are never used.
    let hasTransparency: Bool
}

extension PhotoReference: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(name)
        writer.encode(source)
        writer.encode(digest)
        writer.encode(storedSize)
        writer.encode(size)
        writer.write(hasTransparency)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> PhotoReference {
        PhotoReference(
            name: try reader.text(), source: try reader.decode(), digest: try reader.decode(), storedSize: try reader.decode(),
            size: try reader.decode(), hasTransparency: try reader.bool())
    }
}

extension StageKey {
    /// Adds the photo's content and size; not its name or location.
    mutating func add(_ field: String, _ photo: PhotoReference) {
        add(field, photo.digest)
        add("\(field).size", photo.size)
    }
}

/// A usable photo and the facts about it that later stages need.
struct Photo: Sendable {
    /// The sample's, in outputs and results.
    let id: Int
    let url: URL?
    var reference: PhotoReference
    let facts: PhotoFacts
    let mask: Companion?
    let depth: SensorDepthMap?
    /// Unit, towards the sky in the camera's frame (x right, y down, z forward); nil without a gravity sensor.
    let upInCamera: Vector3d?
    /// The camera, if it is known before the reconstruction; for a photo of `size`.
    var known: PosedCamera?
    /// The object, in the frame of the known cameras.
    let boundingBox: BoundingBox?
    /// The pass that the sample's metadata or its folder name; nil without.
    let passName: String?
    /// The camera as a capture session tracked it, for a photo of `size`: its intrinsics start the reconstruction.
    var initialCamera: PosedCamera?
    /// nil if no capture session took the photo.
    var tracked: TrackedShot?

    var name: String { reference.name }
    var digest: Digest { reference.digest }
    var storedSize: PhotoSize { reference.storedSize }
    var size: PhotoSize { reference.size }

    /// Changes the size that all stages work at.
    mutating func resize(to size: PhotoSize) {
        reference.size = size
        func resized(_ camera: PosedCamera) -> PosedCamera {
            PosedCamera(
                intrinsics: camera.intrinsics.resized(width: size.width, height: size.height), cameraFromWorld: camera.cameraFromWorld)
        }
        (known, initialCamera) = (known.map(resized), initialCamera.map(resized))
    }

    /// The camera as far as it is known before matching, at the working size.
    var cameraGuess: CameraGuess {
        if let known { return CameraGuess(intrinsics: known.intrinsics, isFocalKnown: true) }
        if let initialCamera { return CameraGuess(intrinsics: initialCamera.intrinsics, isFocalKnown: true) }
        var guess = CameraGuess(width: size.width, height: size.height)
        guard let focal = facts.focalLength else { return guess }
        let scaled = focal * Double(size.longerSide) / Double(storedSize.longerSide)
        guess.intrinsics.focal = Vector2d(scaled, scaled)
        guess.isFocalKnown = true
        return guess
    }
}

/// Sides in pixels.
struct PhotoSize: Hashable, Sendable {
    var width, height: Int

    var longerSide: Int { max(width, height) }
    var pixels: Int { width * height }

    /// The same shape with sides of at most `maximumSide`.
    func reduced(maximumSide: Int) -> PhotoSize {
        guard longerSide > maximumSide, maximumSide > 0 else { return self }
        // Rounded like `ImageFile.decode`.
        func side(_ side: Int) -> Int { max(1, (side * maximumSide + longerSide / 2) / longerSide) }
        return PhotoSize(width: side(width), height: side(height))
    }
}

extension PhotoSize: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(width)
        writer.write(height)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> PhotoSize {
        PhotoSize(width: try reader.int(), height: try reader.int())
    }
}

/// The facts about a photo from one decoding: the output of `PhotoReadingStage`.
struct PhotoFacts: Sendable {
    /// The size of the photo as stored.
    var size: PhotoSize
    /// The sharpness, 0…1, as `Sharpness` defines it.
    var sharpness: Float
    /// The luma that a tenth of the photo exceeds, 0…1.
    var brightness: Float
    /// Whether more than a thousandth of the photo is transparent.
    var hasTransparency: Bool
    /// Whether the photo can be decoded at a part of its size, for a part of the time and memory.
    var isReducible: Bool
    /// A small JPEG, as stored; empty if it could not be encoded.
    var thumbnail: [UInt8]
    /// The EXIF orientation: how to rotate the stored photo upright.
    var orientation: PhotoOrientation
    /// Photos with the same key were taken with one camera at one zoom setting.
    var cameraKey: String
    /// The focal length in pixels of the stored size; nil if the photo's metadata do not include it.
    var focalLength: Double?
    /// The exposure value at ISO 100; nil if the photo's metadata do not include the exposure.
    var exposureValue: Double?
    /// The orientation of the mask relative to the stored photo; nil without a usable mask.
    var maskOrientation: PhotoOrientation?
    /// The fraction of the photo that the mask keeps, 0…1; nil without a usable mask.
    var maskCoverage: Double?
    /// The orientation of the depth map relative to the stored photo; nil without a usable depth map.
    var depthOrientation: PhotoOrientation?
    /// Companions that cannot be used, and why: one line each.
    var warnings: [String]
}

extension PhotoFacts: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(size)
        writer.write(sharpness)
        writer.write(brightness)
        writer.write(hasTransparency)
        writer.write(isReducible)
        writer.write(thumbnail)
        writer.encode(orientation)
        writer.write(cameraKey)
        writer.encode(focalLength)
        writer.encode(exposureValue)
        writer.encode(maskOrientation)
        writer.encode(maskCoverage)
        writer.encode(depthOrientation)
        writer.encode(warnings)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> PhotoFacts {
        PhotoFacts(
            size: try reader.decode(), sharpness: try reader.float(), brightness: try reader.float(), hasTransparency: try reader.bool(),
            isReducible: try reader.bool(), thumbnail: try reader.array(of: UInt8.self), orientation: try reader.decode(),
            cameraKey: try reader.text(), focalLength: try reader.decode(), exposureValue: try reader.decode(),
            maskOrientation: try reader.decode(), maskCoverage: try reader.decode(), depthOrientation: try reader.decode(),
            warnings: try reader.decode())
    }
}

extension PhotoOrientation: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.write(rawValue) }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> PhotoOrientation {
        guard let orientation = PhotoOrientation(rawValue: try reader.int()) else { throw DamagedCheckpoint() }
        return orientation
    }
}
