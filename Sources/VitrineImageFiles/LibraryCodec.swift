import CCodecs
import VitrineScene

/// A C library behind its bridge: reads the header first, then decodes into a Swift array.
struct LibraryCodec {
    let readHeader:
        (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<vitrine_image_header>, UnsafeMutablePointer<vitrine_codec_error>) -> Int32
    let decode: (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>, Int, UnsafeMutablePointer<vitrine_codec_error>) -> Int32

    static var png: LibraryCodec { LibraryCodec(readHeader: vitrine_png_header, decode: vitrine_png_decode) }
    static var jpeg: LibraryCodec { LibraryCodec(readHeader: vitrine_jpeg_header, decode: vitrine_jpeg_decode) }
    static var webp: LibraryCodec { LibraryCodec(readHeader: vitrine_webp_header, decode: vitrine_webp_decode) }
    static var heif: LibraryCodec { LibraryCodec(readHeader: vitrine_heif_header, decode: vitrine_heif_decode) }
}

extension ImageFileError {
    init(_ error: vitrine_codec_error, file: String) {
        let text = withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let reason: Reason =
            switch error.failure {
            case vitrine_codec_truncated: .truncated(text)
            case vitrine_codec_unsupported: .unsupported(text)
            case vitrine_codec_no_memory: .outOfMemory
            default: .malformed(text)
            }
        self.init(
            file: file, reason: reason, offset: error.offset < 0 ? nil : Int(error.offset), row: error.row < 0 ? nil : Int(error.row))
    }
}

extension ImageFile {
    static func libraryHeader(of bytes: [UInt8], kind: Kind, codec: LibraryCodec, name: String) throws(ImageFileError) -> Header {
        var header = vitrine_image_header()
        var error = vitrine_codec_error()
        let done = bytes.withUnsafeBufferPointer { codec.readHeader($0.baseAddress!, $0.count, &header, &error) }
        guard done == 1 else { throw ImageFileError(error, file: name) }
        let format: PixelFormat = header.bytes_per_channel == 2 ? .rgba16 : .rgba8
        return Header(kind: kind, width: Int(header.width), height: Int(header.height), format: format)
    }

    static func libraryDecode(_ bytes: [UInt8], header: Header, codec: LibraryCodec, name: String) throws(ImageFileError) -> Image {
        var error = vitrine_codec_error()
        let count = header.width * header.height * header.format.bytesPerPixel
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let done = bytes.withUnsafeBufferPointer { codec.decode($0.baseAddress!, $0.count, buffer.baseAddress!, count, &error) }
            initialized = done == 1 ? count : 0
        }
        guard pixels.count == count else { throw ImageFileError(error, file: name) }
        return try image(header, bytes: pixels, name: name)
    }

    static func image(_ header: Header, bytes: [UInt8], name: String) throws(ImageFileError) -> Image {
        do throws(ImageError) {
            return try Image(width: header.width, height: header.height, format: header.format, bytes: bytes, name: name)
        } catch {
            throw ImageFileError(file: name, reason: .malformed("an image of \(header.width) × \(header.height) pixels"))
        }
    }

    /// Copies the bytes that a bridge has allocated and frees them.
    package static func takeOver(_ encoded: vitrine_encoded) -> [UInt8] {
        defer { vitrine_codec_free(encoded.bytes) }
        return [UInt8](UnsafeBufferPointer(start: encoded.bytes, count: encoded.count))
    }
}
