import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a model or a picture file holds, in numbers: what `vitrine inspect` prints.
///
/// ```swift
/// let inspection = try await FileInspection(contentsOf: url)
/// print(inspection.text)          // for people
/// print(try inspection.json())    // for programs: sorted keys, stable from run to run
/// ```
public struct FileInspection: Codable, Equatable, Sendable {
    /// The path, as given.
    public var file: String
    /// "glb", "gltf", "png", …: by the first bytes.
    public var format: String
    /// The file's own length, without the files that it refers to.
    public var bytes: Int
    /// Of a model file.
    public var model: ModelInspection?
    /// Of a picture or environment file.
    public var picture: PictureInspection?

    /// Reads a file without decoding its pictures.
    ///
    /// - Throws: `ModelFileError` or `ImageFileError`.
    public init(contentsOf url: URL, options: ModelLoadOptions = ModelLoadOptions()) async throws {
        let bytes = try SceneFile.read(url, options: options)
        file = url.path
        self.bytes = bytes.count
        if ImageFile.kind(of: bytes) != nil {
            let header = try ImageFile.header(of: bytes, name: url.path)
            format = header.kind.rawValue
            picture = PictureInspection(header, photo: PhotoMetadata(of: bytes))
        } else {
            format = try SceneFile.format(of: bytes, file: url.path).rawValue
            let parsed = try SceneFile.parse(bytes, url: url, options: options)
            try SceneFile.refuse(parsed.warnings, of: url.path, options)
            model = ModelInspection(parsed)
        }
    }

    /// Indented, keys sorted.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

/// A picture's header.
public struct PictureInspection: Codable, Equatable, Sendable {
    /// Pixels.
    public var width: Int
    public var height: Int
    /// 8, 16 or 32.
    public var bitsPerChannel: Int
    /// Floats, linear; else integers, sRGB.
    public var isHighDynamicRange: Bool
    /// Twice as wide as high: fit for an environment.
    public var isEquirectangular: Bool
    public var decodedBytes: Int

    /// What the photo says about how it was taken; nil where it says nothing.
    public var photo: PhotoMetadata?

    init(_ header: ImageFile.Header, photo: PhotoMetadata) {
        self.photo = photo.isEmpty ? nil : photo
        (width, height) = (header.width, header.height)
        bitsPerChannel = header.format.bytesPerPixel * 2
        isHighDynamicRange = header.format == .rgba32Float
        isEquirectangular = header.width == 2 * header.height
        decodedBytes = (try? Image.byteCount(width: width, height: height, format: header.format)) ?? 0
    }
}
