import CZlib

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file of a web page.
struct WebFile {
    /// The file name, without a folder.
    let name: String
    let bytes: [UInt8]
}

/// The files of the viewer, which the command contains.
enum WebViewer {
    static var element: WebFile { file("vitrine-viewer.js") }
    static var runtime: WebFile { file("vitrine-runtime.js") }
    static var wasm: WebFile { file("vitrine.wasm") }
    /// Decodes meshopt compression, for models of others: pages of the command do not need it.
    static var meshopt: WebFile { file("vitrine-meshopt.js") }

    private static func file(_ name: String) -> WebFile {
        guard let file = EmbeddedFile.web.first(where: { $0.name == name }), let bytes = gunzip(file.bytes) else {
            preconditionFailure("the command contains \(name)")
        }
        return WebFile(name: name, bytes: bytes)
    }

    /// The uncompressed bytes of a gzip file of one member below 4 GiB. nil if it is damaged.
    static func gunzip(_ file: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard file.count >= 18 else { return nil }
        // The last four bytes are the uncompressed size, little endian.
        let size = file.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        var stream = z_stream()
        // 16 added to the window's bits selects gzip.
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var status = Z_STREAM_ERROR
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { output, count in
            (stream.next_in, stream.avail_in) = (UnsafeMutablePointer(mutating: file.baseAddress), uInt(file.count))
            (stream.next_out, stream.avail_out) = (output.baseAddress, uInt(size))
            status = inflate(&stream, Z_FINISH)
            count = size - Int(stream.avail_out)
        }
        return status == Z_STREAM_END ? bytes : nil
    }
}

/// Bytes in the text of an HTML page.
struct InlineData {
    let base64: String
    /// Whether the bytes are compressed with gzip.
    let isCompressed: Bool

    /// Encodes bytes for the text of a page.
    ///
    /// - Parameter compresses: Whether to compress the bytes if that saves at least 3 %.
    init(_ bytes: [UInt8], compresses: Bool = true) {
        let compressed = compresses ? Self.gzip(bytes) : nil
        isCompressed = compressed.map { $0.count < bytes.count - bytes.count / 32 } ?? false
        base64 = Data(isCompressed ? compressed ?? bytes : bytes).base64EncodedString()
    }

    /// The same bytes for the same input. nil if memory is exhausted.
    static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // 16 added to the window's bits selects gzip. Its header has no time and no name.
        guard
            deflateInit2_(
                &stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        guard bytes.count <= Int(UInt32.max) else { return nil }
        let capacity = Int(deflateBound(&stream, uLong(bytes.count)))
        var input = bytes
        var status = Z_STREAM_ERROR
        let output = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            input.withUnsafeMutableBufferPointer { input in
                (stream.next_in, stream.avail_in) = (input.baseAddress, uInt(input.count))
                (stream.next_out, stream.avail_out) = (output.baseAddress, uInt(capacity))
                status = deflate(&stream, Z_FINISH)
            }
            count = status == Z_STREAM_END ? capacity - Int(stream.avail_out) : 0
        }
        return status == Z_STREAM_END ? output : nil
    }
}
