import VitrineFiles
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The source of the pixels of a photo, a mask or a depth map.
enum PixelSource: Sendable {
    case file(URL)
    case image(Image)

    var name: String {
        switch self {
        case .file(let url): url.path
        case .image(let image): image.name
        }
    }

    /// Returns the digest of the bytes of the file or image.
    func digest() throws(FileError) -> Digest {
        switch self {
        case .file(let url): Digest(of: try FileBytes.read(url, limit: PhotoLimits.image.maximumFileBytes))
        case .image(let image): Digest(of: image.bytes)
        }
    }

    /// Decodes the file; an image in memory is returned unchanged.
    ///
    /// - Parameter maximumSide: A file's longer side at most, pixels: formats that allow it are decoded at a part of their size.
    func image(maximumSide: Int? = nil) throws(ImageFileError) -> Image {
        guard case .file(let url) = self else { return try inMemory() }
        guard let maximumSide else { return try Image(contentsOf: url, limits: PhotoLimits.image) }
        return try ImageFile.decode(
            try PixelSource.bytes(of: url), name: url.lastPathComponent, maximumSide: maximumSide, limits: PhotoLimits.image)
    }

    private func inMemory() throws(ImageFileError) -> Image {
        guard case .image(let image) = self else { throw ImageFileError(file: name, reason: .malformed("not an image in memory")) }
        return image
    }

    static func bytes(of url: URL) throws(ImageFileError) -> [UInt8] {
        do throws(FileError) {
            return try FileBytes.read(url, limit: PhotoLimits.image.maximumFileBytes)
        } catch {
            throw ImageFileError(file: error.path, reason: .file(error.reason))
        }
    }
}

extension PixelSource: ByteCodable {
    func write(to writer: inout ByteWriter) {
        switch self {
        case .file(let url):
            writer.write(true)
            writer.write(url.path)
        case .image(let image):
            writer.write(false)
            StoredImage(image).write(to: &writer)
        }
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> PixelSource {
        try reader.bool() ? .file(URL(fileURLWithPath: try reader.text())) : .image(try StoredImage.read(from: &reader).image)
    }
}

/// The byte coding of an image in memory.
struct StoredImage: ByteCodable {
    let image: Image

    init(_ image: Image) { self.image = image }

    private static let formats: [PixelFormat] = [.rgba8, .rgba16, .rgba32Float]

    func write(to writer: inout ByteWriter) {
        writer.write(image.name)
        writer.write(image.width)
        writer.write(image.height)
        writer.write(StoredImage.formats.firstIndex(of: image.format) ?? 0)
        writer.write(image.bytes)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> StoredImage {
        let name = try reader.text()
        let (width, height, format) = (try reader.int(), try reader.int(), try reader.int())
        guard formats.indices.contains(format) else { throw DamagedCheckpoint() }
        let bytes = try reader.array(of: UInt8.self)
        guard let image = try? Image(width: width, height: height, format: formats[format], bytes: bytes, name: name) else {
            throw DamagedCheckpoint()
        }
        return StoredImage(image)
    }
}

/// The limits for photos, which are untrusted.
enum PhotoLimits {
    static let longestSide = 16_384
    static let photos = 2_000
    /// Photos with a shorter side contain too few features for matching.
    static let shortestSide = 64
    static let image = ImageLimits(maximumSide: longestSide, maximumBytes: 1 << 30, maximumFileBytes: 1 << 29)
}
