import CCodecs
import VitrineScene

extension ImageFile {
    /// How a picture is written. Nothing is lost without a word: what a format can't hold is an error.
    public enum Encoding: Equatable, Sendable {
        /// `.rgba8` and `.rgba16`, bit for bit; a fully opaque picture is stored without alpha.
        case png(PNGSpeed = .balanced)
        /// Opaque `.rgba8`, lossy. Quality 1 to 100; from 90 on colour has the full resolution.
        case jpeg(quality: Int = 90)
        /// `.rgba8` with alpha, lossy: quality 0 to 100, colour at half the resolution; at most 16,383 pixels a side.
        case webp(quality: Int = 85)
        /// `.rgba8` with alpha, bit for bit; at most 16,383 pixels a side.
        case webpLossless
        /// Opaque `.rgba32Float` without negative values, as Radiance RGBE: 8 bits a channel below the largest one.
        case hdr
        /// `.rgba32Float`, with alpha where it isn't 1, in 16- or 32-bit floats.
        case exr(EXRPrecision = .automatic, EXRCompression = .zip)
    }

    /// How long packing may take. The bytes depend on the picture, this choice and the library's version only (libdeflate's for `.fast`, zlib's
    /// for the others).
    ///
    /// Measured on a rendered picture of 640 × 480: 31 and 530 ms for 395 and 371 KB (zlib levels 4, 9; level 6: 82 ms, 382 KB). `.fast` takes
    /// half of what zlib takes at its fastest level, 19 ms for 444 KB there.
    public enum PNGSpeed: Sendable {
        /// For intermediate pictures.
        case fast
        case balanced
        /// For pictures that are written once and kept.
        case small

        var level: Int32 {
            switch self {
            case .fast: 1
            case .balanced: 4
            case .small: 9
            }
        }
    }

    public enum EXRPrecision: Sendable {
        /// Half where every value fits, float where one is larger (suns are).
        case automatic
        /// 11 bits of precision, up to 65,504; a larger value is an error.
        case half
        case float
    }

    /// How OpenEXR packs scanlines. The first five lose nothing.
    public enum EXRCompression: Int32, CaseIterable, Sendable {
        case none, runLengths
        /// Deflate, one scanline at a time and sixteen.
        case zipSingle, zip
        /// Wavelets: small for grainy pictures.
        case piz
        /// Floats rounded to 24 bits.
        case pxr24
        /// Halves in blocks of a fixed size; the second packs even blocks tighter.
        case b44, b44a
        /// Lossy as JPEG is, 32 and 256 scanlines at a time.
        case dwaa, dwab
    }

    /// The encoding that a file name asks for, with its default options, or nil.
    ///
    /// - Parameter pathExtension: without the dot, any case.
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

    /// Encodes a picture.
    ///
    /// - Throws: `.unsupported` where the format can't hold the picture.
    public static func encode(_ image: Image, as encoding: Encoding) throws(ImageFileError) -> [UInt8] {
        switch encoding {
        case .png(let speed): try encodePNG(image, speed: speed)
        case .jpeg(let quality): try encodeJPEG(image, quality: quality)
        case .webp(let quality): try encodeWebP(image, quality: quality)
        case .webpLossless: try encodeWebP(image, quality: nil)
        case .hdr: try encodeRadiance(image)
        case .exr(let precision, let compression): try encodeEXR(image, precision: precision, compression: compression)
        }
    }

    static func encodeJPEG(_ image: Image, quality: Int) throws(ImageFileError) -> [UInt8] {
        guard image.format == .rgba8 else {
            throw ImageFileError(file: image.name, reason: .unsupported("JPEG holds 8 bits a channel, the picture is \(image.format)"))
        }
        guard image.isOpaque else {
            throw ImageFileError(file: image.name, reason: .unsupported("JPEG holds no alpha, the picture is not opaque"))
        }
        guard max(image.width, image.height) <= 65_500 else {
            throw ImageFileError(file: image.name, reason: .unsupported("JPEG holds 65,500 pixels a side"))
        }
        guard (1...100).contains(quality) else {
            throw ImageFileError(file: image.name, reason: .unsupported("JPEG quality \(quality), it goes from 1 to 100"))
        }
        return try libraryEncode(image) { vitrine_jpeg_encode($0, $1, Int32(quality), $2, $3) }
    }

    /// - Parameter quality: nil: lossless.
    static func encodeWebP(_ image: Image, quality: Int?) throws(ImageFileError) -> [UInt8] {
        guard image.format == .rgba8 else {
            throw ImageFileError(file: image.name, reason: .unsupported("WebP holds 8 bits a channel, the image is \(image.format)"))
        }
        guard max(image.width, image.height) <= 16_383 else {
            throw ImageFileError(file: image.name, reason: .unsupported("WebP holds 16,383 pixels a side"))
        }
        if let quality, !(0...100).contains(quality) {
            throw ImageFileError(file: image.name, reason: .unsupported("WebP quality \(quality), it goes from 0 to 100"))
        }
        return try libraryEncode(image) {
            vitrine_webp_encode($0, $1, Int32(quality ?? 101), image.isOpaque ? 0 : 1, $2, $3)
        }
    }

    static func encodePNG(_ image: Image, speed: PNGSpeed) throws(ImageFileError) -> [UInt8] {
        guard image.format != .rgba32Float else {
            throw ImageFileError(file: image.name, reason: .unsupported("PNG holds integers, the picture has floats"))
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
    var isOpaque: Bool {
        bytes.withUnsafeBufferPointer {
            vitrine_is_opaque($0.baseAddress!, width * height, UInt32(format.bytesPerPixel / 4)) == 1
        }
    }
}
