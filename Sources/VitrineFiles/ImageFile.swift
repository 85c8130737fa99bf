import VitrineScene

/// Image files: reads PNG, JPEG, WebP, HEIF (HEIC and AVIF), KTX2 (Basis Universal), TGA, Radiance HDR and OpenEXR; writes PNG, JPEG, WebP, HDR and EXR.
///
/// ```swift
/// let wood = try Image(contentsOf: URL(filePath: "wood.jpg"))    // 8-bit, sRGB-encoded as it lies in the file
/// let sky = try Image(contentsOf: URL(filePath: "sky.hdr"))      // floats, linear Rec.709
/// try picture.write(to: URL(filePath: "picture.png"))
/// ```
///
/// The first bytes decide the kind of a file, never its name; TGA, which has no signature, is recognized by a consistent header.
/// PNG, JPEG, WebP, HEIF and TGA give `.rgba8` (a 16-bit PNG and a HEIF of over 8 bits `.rgba16`), HDR and EXR `.rgba32Float`. Colour profiles and PNG gamma are not applied: integer pictures are taken as sRGB. EXIF
/// orientation is not applied (`PhotoMetadata` tells it); the turns, mirrors and crops that a HEIF file holds in its own way are, once. Of a
/// HEIF file the primary still is read: no sequences, no depth or gain maps. EXR and HDR values are as stored: they may be negative, infinite or not a number.
///
/// Memory: the picture itself; while it is decoded one and a half times as much again for a progressive JPEG or
/// a HEIF, a second copy for an EXR.
public enum ImageFile {
    /// The formats that are read.
    public enum Kind: String, CaseIterable, Sendable {
        case png, jpeg, webp, heif, hdr, exr, ktx2, tga
    }

    /// What the header says, without decoding.
    public struct Header: Equatable, Sendable {
        public let kind: Kind
        /// In pixels.
        public let width, height: Int
        /// What decoding gives.
        public let format: PixelFormat
    }

    /// The kind that the first bytes name, or nil.
    public static func kind(of bytes: [UInt8]) -> Kind? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if bytes.count >= 12, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) { return .webp }
        if isHEIF(bytes) { return .heif }
        if bytes.starts(with: "#?".utf8) { return .hdr }
        if bytes.starts(with: [0x76, 0x2F, 0x31, 0x01]) { return .exr }
        if bytes.starts(with: KTX2File.signature) { return .ktx2 }
        if TGAHeader(bytes) != nil { return .tga }
        return nil
    }

    /// An ISO base media file whose first box names a brand of still pictures.
    private static func isHEIF(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 16, bytes[4..<8].elementsEqual("ftyp".utf8) else { return false }
        let length = (0..<4).reduce(0) { $0 << 8 | Int(bytes[$1]) }
        let stills = ["heic", "heix", "heim", "heis", "mif1", "avif"]
        // The major brand, its version, then those that the file is compatible with.
        return stride(from: 8, to: min(length, bytes.count, 256) - 3, by: 4).contains { offset in
            offset != 12 && stills.contains { bytes[offset..<(offset + 4)].elementsEqual($0.utf8) }
        }
    }

    /// Reads the header only.
    ///
    /// - Parameter name: for errors.
    public static func header(of bytes: [UInt8], name: String = "") throws(ImageFileError) -> Header {
        switch kind(of: bytes) {
        case .png: try libraryHeader(of: bytes, kind: .png, codec: .png, name: name)
        case .jpeg: try libraryHeader(of: bytes, kind: .jpeg, codec: .jpeg, name: name)
        case .webp: try libraryHeader(of: bytes, kind: .webp, codec: .webp, name: name)
        case .heif: try libraryHeader(of: bytes, kind: .heif, codec: .heif, name: name)
        case .hdr: try RadianceHeader(bytes, name: name).header
        case .exr: try headerOfEXR(bytes, name: name)
        case .ktx2: try headerOfKTX2(bytes, name: name)
        case .tga: try headerOfTGA(bytes, name: name)
        case nil: throw ImageFileError(file: name, reason: bytes.isEmpty ? .truncated("the file is empty") : .unrecognized)
        }
    }

    /// Decodes a whole file.
    ///
    /// - Parameters:
    ///   - name: for errors, and the image's own name.
    ///   - limits: checked before the picture's memory is asked for.
    public static func decode(_ bytes: [UInt8], name: String = "", limits: ImageLimits = ImageLimits()) throws(ImageFileError) -> Image {
        let header = try header(of: bytes, name: name)
        try limits.check(header, name: name)
        switch header.kind {
        case .png: return try libraryDecode(bytes, header: header, codec: .png, name: name)
        case .jpeg: return try libraryDecode(bytes, header: header, codec: .jpeg, name: name)
        case .webp: return try libraryDecode(bytes, header: header, codec: .webp, name: name)
        case .heif: return try libraryDecode(bytes, header: header, codec: .heif, name: name)
        case .hdr: return try decodeRadiance(bytes, name: name)
        case .exr: return try decodeEXR(bytes, name: name, limits: limits)
        case .ktx2: return try decodeKTX2(bytes, header: header, name: name)
        case .tga: return try decodeTGA(bytes, name: name)
        }
    }
}

extension ImageLimits {
    func check(_ header: ImageFile.Header, name: String) throws(ImageFileError) {
        try check(width: header.width, height: header.height, format: header.format, name: name)
    }

    func check(width: Int, height: Int, format: PixelFormat, name: String) throws(ImageFileError) {
        guard max(width, height) <= maximumSide else {
            throw ImageFileError(file: name, reason: .tooLarge("\(width) × \(height) pixels, the longest side allowed is \(maximumSide)"))
        }
        guard let count = try? Image.byteCount(width: width, height: height, format: format) else {
            throw ImageFileError(file: name, reason: .malformed("a picture of \(width) × \(height) pixels"))
        }
        guard count <= maximumBytes else {
            throw ImageFileError(
                file: name, reason: .tooLarge("\(width) × \(height) pixels take \(count) bytes, the limit is \(maximumBytes)"))
        }
    }
}
