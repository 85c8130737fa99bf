import CCodecs
import VitrineScene

/// Reads and writes image files: reads PNG, JPEG, WebP, HEIF (HEIC and AVIF), KTX2 (Basis Universal), TGA, Radiance HDR and OpenEXR; writes PNG, JPEG, WebP, HDR and EXR.
///
/// ```swift
/// let wood = try Image(contentsOf: URL(filePath: "wood.jpg"))    // 8-bit, sRGB-encoded as in the file
/// let sky = try Image(contentsOf: URL(filePath: "sky.hdr"))      // floats, linear Rec.709
/// try image.write(to: URL(filePath: "image.png"))
/// ```
///
/// The content determines the format of a file, not its name; TGA, which has no signature, is detected by a consistent header. PNG, JPEG, WebP,
/// HEIF and TGA are decoded to `.rgba8` (a 16-bit PNG and a HEIF of over 8 bits to `.rgba16`), HDR and EXR to `.rgba32Float`. Colour profiles and
/// PNG gamma are not applied: integer images are assumed to be sRGB-encoded. EXIF orientation is not applied (`PhotoMetadata` reports it); the
/// rotations, mirrorings and crops of a HEIF file are applied. Of a HEIF file, only the primary image is read: no sequences, depth or gain maps. EXR
/// and HDR values are unchanged: they may be negative, infinite or not a number.
///
/// Memory: the size of the image; during decoding 2.5 times as much for a progressive JPEG or a HEIF, and twice as much for an EXR.
public enum ImageFile {
    /// An image format that can be read.
    public enum Kind: String, CaseIterable, Sendable {
        /// PNG with 8 or 16 bits per channel.
        case png
        /// JPEG: baseline and progressive, grey, RGB, CMYK and YCCK.
        case jpeg
        /// WebP, lossy or lossless.
        case webp
        /// HEIC and AVIF.
        case heif
        /// Radiance RGBE.
        case hdr
        /// OpenEXR: scanlines or tiles.
        case exr
        /// KTX 2.0 with Basis Universal content: ETC1S or UASTC.
        case ktx2
        /// Truevision TGA.
        case tga
    }

    /// The header of an image file.
    public struct Header: Equatable, Sendable {
        /// The format of the file.
        public let kind: Kind
        /// The size in pixels.
        public let width, height: Int
        /// The pixel format after decoding.
        public let format: PixelFormat
    }

    /// Detects the format of a file by its content; nil if it is unknown.
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

    /// Returns whether the file is an ISO base media file whose first box has a brand of still images.
    private static func isHEIF(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 16, bytes[4..<8].elementsEqual("ftyp".utf8) else { return false }
        let length = (0..<4).reduce(0) { $0 << 8 | Int(bytes[$1]) }
        let stills = ["heic", "heix", "heim", "heis", "mif1", "avif"]
        // The major brand, its version, then the compatible brands.
        return stride(from: 8, to: min(length, bytes.count, 256) - 3, by: 4).contains { offset in
            offset != 12 && stills.contains { bytes[offset..<(offset + 4)].elementsEqual($0.utf8) }
        }
    }

    /// Reads the header of a file.
    ///
    /// - Parameter name: The name of the file in errors.
    /// - Throws: `ImageFileError`.
    public static func header(of bytes: [UInt8], name: String = "") throws(ImageFileError) -> Header {
        switch kind(of: bytes) {
        case .png: try libraryHeader(of: bytes, kind: .png, codec: .png, name: name)
        case .jpeg: try libraryHeader(of: bytes, kind: .jpeg, codec: .jpeg, name: name)
        case .webp: try libraryHeader(of: bytes, kind: .webp, codec: .webp, name: name)
        case .heif: try headerOfHEIF(bytes, name: name)
        case .hdr: try RadianceHeader(bytes, name: name).header
        case .exr: try headerOfEXR(bytes, name: name)
        case .ktx2: try headerOfKTX2(bytes, name: name)
        case .tga: try headerOfTGA(bytes, name: name)
        case nil: throw ImageFileError(file: name, reason: bytes.isEmpty ? .truncated("the file is empty") : .unrecognized)
        }
    }

    /// Decodes a file.
    ///
    /// - Parameters:
    ///   - name: The name of the image, used in errors, too.
    ///   - limits: Limits for untrusted files, checked before allocating memory.
    /// - Throws: `ImageFileError`.
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
    package func check(_ header: ImageFile.Header, name: String) throws(ImageFileError) {
        try check(width: header.width, height: header.height, format: header.format, name: name)
    }

    func check(width: Int, height: Int, format: PixelFormat, name: String) throws(ImageFileError) {
        guard max(width, height) <= maximumSide else {
            throw ImageFileError(file: name, reason: .tooLarge("\(width) × \(height) pixels; the longest side may have \(maximumSide)"))
        }
        guard let count = try? Image.byteCount(width: width, height: height, format: format) else {
            throw ImageFileError(file: name, reason: .malformed("an image of \(width) × \(height) pixels"))
        }
        guard count <= maximumBytes else {
            throw ImageFileError(
                file: name, reason: .tooLarge("\(width) × \(height) pixels take \(count) bytes; the limit is \(maximumBytes)"))
        }
    }
}

extension ImageFile {
    /// A format to write, with its options. Properties of an image that the format cannot store are errors.
    public enum Encoding: Equatable, Sendable {
        /// `.rgba8` and `.rgba16`, lossless; a fully opaque image is stored without alpha.
        case png(PNGSpeed = .balanced)
        /// Opaque `.rgba8`, lossy. Quality 1 to 100; from 90 on colour has the full resolution.
        case jpeg(quality: Int = 90)
        /// `.rgba8` with alpha, lossy: quality 0 to 100, colour at half the resolution; at most 16,383 pixels per side.
        case webp(quality: Int = 85)
        /// `.rgba8` with alpha, lossless; at most 16,383 pixels per side.
        case webpLossless
        /// Opaque `.rgba32Float` without negative values, as Radiance RGBE: 8 bits per channel below the largest one.
        case hdr
        /// `.rgba32Float`, with alpha if it is not 1, as OpenEXR with ZIP compression. By default in 16-bit floats (11 bits of precision) if all values
        /// are below 65,520, otherwise in 32-bit floats; with `keepsFloats` always in 32-bit floats, lossless.
        case exr(keepsFloats: Bool = false)
    }

    /// The compression effort of PNG. The bytes depend only on the image, the effort and the version of the library: libdeflate, or zlib for images of over
    /// 1 GiB.
    ///
    /// Measured on a rendered image of 1280 × 720, processor time: 11, 33 and 775 ms for 899, 827 and 721 KB (zlib levels 4, 6 and 9: 67, 173 and 1,492 ms
    /// for 834, 796 and 753 KB).
    public enum PNGSpeed: Sendable {
        /// Compresses fast, for intermediate images.
        case fast
        /// Balances time and size. The default.
        case balanced
        /// Compresses well, for images that are stored permanently.
        case small

        var level: Int32 {
            switch self {
            case .fast: 1
            case .balanced: 5
            case .small: 12
            }
        }
    }

    /// The sample type of OpenEXR.
    package enum EXRPrecision: Sendable {
        /// Uses half floats if all values fit, otherwise 32-bit floats.
        case automatic
        /// 11 bits of precision, up to 65,504; a larger value is an error.
        case half
        /// 32-bit floats.
        case float
    }

    /// The compression of OpenEXR. The first five are lossless.
    package enum EXRCompression: Int32, CaseIterable, Sendable {
        /// No compression, or run-length encoding.
        case none, runLengths
        /// Deflate of 1 and of 16 scanlines.
        case zipSingle, zip
        /// Wavelets: small for noisy images.
        case piz
        /// Floats rounded to 24 bits.
        case pxr24
        /// Halves in blocks of a fixed size; the second compresses uniform blocks better.
        case b44, b44a
        /// Lossy like JPEG, in blocks of 32 and 256 scanlines.
        case dwaa, dwab
    }

    /// Returns the encoding for an extension, with default options; nil if there is none.
    ///
    /// - Parameter pathExtension: An extension without the dot; case is ignored.
    public static func encoding(forExtension pathExtension: String) -> Encoding? {
        switch pathExtension.lowercased() {
        case "png": .png()
        case "jpg", "jpeg": .jpeg()
        case "webp": .webp()
        case "hdr", "pic": .hdr
        case "exr": .exr()
        default: nil
        }
    }

    /// Encodes an image.
    ///
    /// - Throws: `ImageFileError` with `.unsupported` if the format cannot store the image.
    public static func encode(_ image: Image, as encoding: Encoding) throws(ImageFileError) -> [UInt8] {
        switch encoding {
        case .png(let speed): try encodePNG(image, speed: speed)
        case .jpeg(let quality): try encodeJPEG(image, quality: quality)
        case .webp(let quality): try encodeWebP(image, quality: quality)
        case .webpLossless: try encodeWebP(image, quality: nil)
        case .hdr: try encodeRadiance(image)
        case .exr(let keepsFloats): try encodeEXR(image, precision: keepsFloats ? .float : .automatic)
        }
    }

    static func encodeJPEG(_ image: Image, quality: Int) throws(ImageFileError) -> [UInt8] {
        guard image.format == .rgba8 else {
            throw ImageFileError(file: image.name, reason: .unsupported("JPEG stores 8 bits per channel, but the image is \(image.format)"))
        }
        guard image.isOpaque else {
            throw ImageFileError(file: image.name, reason: .unsupported("JPEG stores no alpha, but the image is not opaque"))
        }
        guard max(image.width, image.height) <= 65_500 else {
            throw ImageFileError(file: image.name, reason: .unsupported("JPEG stores at most 65,500 pixels per side"))
        }
        guard (1...100).contains(quality) else {
            throw ImageFileError(file: image.name, reason: .unsupported("the JPEG quality must be 1 to 100, but is \(quality)"))
        }
        return try libraryEncode(image) { vitrine_jpeg_encode($0, $1, Int32(quality), $2, $3) }
    }

    /// Encodes an image as WebP.
    ///
    /// - Parameter quality: The quality, 0 to 100; nil for lossless encoding.
    static func encodeWebP(_ image: Image, quality: Int?) throws(ImageFileError) -> [UInt8] {
        guard image.format == .rgba8 else {
            throw ImageFileError(file: image.name, reason: .unsupported("WebP stores 8 bits per channel, but the image is \(image.format)"))
        }
        guard max(image.width, image.height) <= 16_383 else {
            throw ImageFileError(file: image.name, reason: .unsupported("WebP stores at most 16,383 pixels per side"))
        }
        if let quality, !(0...100).contains(quality) {
            throw ImageFileError(file: image.name, reason: .unsupported("the WebP quality must be 0 to 100, but is \(quality)"))
        }
        return try libraryEncode(image) {
            vitrine_webp_encode($0, $1, Int32(quality ?? 101), image.isOpaque ? 0 : 1, $2, $3)
        }
    }

    static func encodePNG(_ image: Image, speed: PNGSpeed) throws(ImageFileError) -> [UInt8] {
        guard image.format != .rgba32Float else {
            throw ImageFileError(file: image.name, reason: .unsupported("PNG stores integers, but the image has floats"))
        }
        return try libraryEncode(image) { pixels, header, encoded, error in
            vitrine_png_encode(pixels, header, image.isOpaque ? 0 : 1, speed.level, encoded, error)
        }
    }

    typealias LibraryEncoder = (
        UnsafePointer<UInt8>, UnsafePointer<vitrine_image_header>, UnsafeMutablePointer<vitrine_encoded>,
        UnsafeMutablePointer<vitrine_codec_error>
    ) -> Int32

    static func libraryEncode(_ image: Image, _ encode: LibraryEncoder) throws(ImageFileError) -> [UInt8] {
        var header = vitrine_image_header(
            width: UInt32(image.width), height: UInt32(image.height), bytes_per_channel: UInt32(image.format.bytesPerPixel / 4))
        var encoded = vitrine_encoded()
        var error = vitrine_codec_error()
        let done = image.bytes.withUnsafeBufferPointer { encode($0.baseAddress!, &header, &encoded, &error) }
        guard done == 1 else { throw ImageFileError(error, file: image.name) }
        return takeOver(encoded)
    }
}

extension Image {
    /// Whether every pixel's alpha is 1.
    package var isOpaque: Bool {
        bytes.withUnsafeBufferPointer {
            vitrine_is_opaque($0.baseAddress!, width * height, UInt32(format.bytesPerPixel / 4)) == 1
        }
    }
}

/// The samples of an image file without conversion: images of cameras need no RGB, and grey images no four channels.
package enum StoredImage: Sendable {
    /// A grey image with `width * height` values.
    case gray(width: Int, height: Int, [UInt8])
    case gray16(width: Int, height: Int, [UInt16])
    /// Interleaved Y, Cb and Cr of a JPEG, BT.601 in full range: `3 * width * height` values.
    case yCbCr(width: Int, height: Int, [UInt8])
    /// An image of any other kind.
    case color(Image)
}

extension ImageFile {
    /// Decodes a whole file, if possible without converting its samples: grey PNG and JPEG, and YCbCr JPEG; other files as `decode`.
    ///
    /// - Throws: The errors of `decode`.
    package static func decodeStored(_ bytes: [UInt8], name: String = "", limits: ImageLimits = ImageLimits()) throws(ImageFileError)
        -> StoredImage
    {
        let header = try header(of: bytes, name: name)
        try limits.check(header, name: name)
        let stored: StoredImage? =
            switch header.kind {
            case .png: try storedPNG(bytes, header, name)
            case .jpeg: try storedJPEG(bytes, header, name)
            default: nil
            }
        if let stored { return stored }
        return .color(try decode(bytes, name: name, limits: limits))
    }

    /// Encodes a grey PNG of 8 bits, lossless.
    ///
    /// - Precondition: `values` has `width * height` elements, at least one.
    package static func encodeGray(_ values: [UInt8], width: Int, height: Int, speed: PNGSpeed = .balanced) throws(ImageFileError)
        -> [UInt8]
    {
        precondition(values.count == width * height && !values.isEmpty)
        return try encodeGray(values, vitrine_image_header(width: UInt32(width), height: UInt32(height), bytes_per_channel: 1), speed)
    }

    /// Encodes a grey PNG of 16 bits, lossless, for depth in millimetres.
    ///
    /// - Precondition: `values` has `width * height` elements, at least one.
    package static func encodeGray16(_ values: [UInt16], width: Int, height: Int, speed: PNGSpeed = .balanced) throws(ImageFileError)
        -> [UInt8]
    {
        precondition(values.count == width * height && !values.isEmpty)
        let bytes = [UInt8](unsafeUninitializedCapacity: 2 * values.count) { buffer, count in
            for (index, value) in values.enumerated() {
                buffer[2 * index] = UInt8(truncatingIfNeeded: value)
                buffer[2 * index + 1] = UInt8(value >> 8)
            }
            count = 2 * values.count
        }
        return try encodeGray(bytes, vitrine_image_header(width: UInt32(width), height: UInt32(height), bytes_per_channel: 2), speed)
    }

    private static func encodeGray(_ bytes: [UInt8], _ header: vitrine_image_header, _ speed: PNGSpeed) throws(ImageFileError) -> [UInt8] {
        var header = header
        var encoded = vitrine_encoded()
        var error = vitrine_codec_error()
        let done = bytes.withUnsafeBufferPointer { vitrine_png_encode_grey($0.baseAddress!, &header, speed.level, &encoded, &error) }
        guard done == 1 else { throw ImageFileError(error, file: "") }
        return takeOver(encoded)
    }

    /// Decodes a grey PNG; returns nil for other images.
    private static func storedPNG(_ bytes: [UInt8], _ header: Header, _ name: String) throws(ImageFileError) -> StoredImage? {
        let isWide = header.format == .rgba16
        let pixels = header.width * header.height
        var error = vitrine_codec_error()
        func decode(_ target: UnsafeMutableRawPointer, _ count: Int) -> Bool {
            bytes.withUnsafeBufferPointer {
                vitrine_png_decode_grey($0.baseAddress!, $0.count, target.assumingMemoryBound(to: UInt8.self), count, &error) == 1
            }
        }
        if isWide {
            let values = [UInt16](unsafeUninitializedCapacity: pixels) { buffer, count in
                guard decode(buffer.baseAddress!, 2 * pixels) else { return }
                for index in 0..<pixels { buffer[index] = UInt16(littleEndian: buffer[index]) }
                count = pixels
            }
            if values.count == pixels { return .gray16(width: header.width, height: header.height, values) }
        } else {
            let values = [UInt8](unsafeUninitializedCapacity: pixels) { buffer, count in
                if decode(buffer.baseAddress!, pixels) { count = pixels }
            }
            if values.count == pixels { return .gray(width: header.width, height: header.height, values) }
        }
        if error.failure == vitrine_codec_unsupported { return nil }
        throw ImageFileError(error, file: name)
    }

    /// Decodes a grey or YCbCr JPEG; returns nil for other images.
    private static func storedJPEG(_ bytes: [UInt8], _ header: Header, _ name: String) throws(ImageFileError) -> StoredImage? {
        let pixels = header.width * header.height
        var error = vitrine_codec_error()
        var channels: UInt32 = 0
        let values = [UInt8](unsafeUninitializedCapacity: 3 * pixels) { buffer, count in
            let done = bytes.withUnsafeBufferPointer {
                vitrine_jpeg_decode_planes($0.baseAddress!, $0.count, buffer.baseAddress!, 3 * pixels, &channels, &error)
            }
            if done == 1 { count = Int(channels) * pixels }
        }
        if !values.isEmpty {
            return channels == 1
                ? .gray(width: header.width, height: header.height, values) : .yCbCr(width: header.width, height: header.height, values)
        }
        if error.failure == vitrine_codec_unsupported { return nil }
        throw ImageFileError(error, file: name)
    }
}

extension ImageFile {
    /// The codec libraries in use, with their versions.
    package static var libraryVersions: [(name: String, version: String)] {
        let length = 32
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 5 * length) { texts in
            guard let start = texts.baseAddress else { return [] }
            vitrine_codec_versions(start, start + length, start + 2 * length, start + 3 * length, start + 4 * length)
            let names = ["libpng", "libjpeg", "libwebp", "OpenEXR", "libheif"]
            return names.enumerated().map { ($1, String(cString: start + $0 * length)) }
        }
    }
}

extension ImageFile {
    /// Returns the EXIF data of a HEIF file, without their length field; nil if there are none, or if they are malformed.
    static func exifOfHEIF(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var encoded = vitrine_encoded()
        var error = vitrine_codec_error()
        let done = bytes.withUnsafeBufferPointer { vitrine_heif_exif($0.baseAddress!, $0.count, &encoded, &error) }
        guard done == 1, encoded.count > 4 else { return nil }
        let item = takeOver(encoded)
        // The first four bytes are the distance to the start of the TIFF stream.
        let start = item[..<4].reduce(0) { $0 << 8 | Int($1) } + 4
        return EXIFLocator.tiff(item[min(start, item.count)...])
    }
}
