import CZlib
import VitrineGLTF

/// The files of a zip archive, found by the directory at its end and checked against the bytes. In USDZ no file is compressed; `.zae` may use
/// deflate.
struct ZipArchive {
    struct Entry {
        let name: String
        /// The range of the stored bytes.
        let range: Range<Int>
        let isDeflated: Bool
        /// The decompressed size in bytes.
        let size: Int
    }

    private(set) var entries: [Entry] = []
    private let file: String
    private let archive: [UInt8]
    private static let maximumEntries = 4096

    /// Reads the directory of an archive.
    ///
    /// - Parameters:
    ///   - allowsDeflate: Whether entries may be compressed; otherwise compressed entries are an error.
    ///   - budget: The largest total decompressed size in bytes.
    init(_ bytes: [UInt8], file: String, allowsDeflate: Bool = false, budget: Int = .max) throws(ModelFileError) {
        (self.file, archive) = (file, bytes)
        func failure(_ reason: String) -> ModelFileError { ModelFileError(file: file, reason: .malformed(reason)) }
        let reader = ByteReader<ModelFileError>(bytes, file: file)
        /// Returns a number of 2 or 4 bytes; −1 outside the file.
        func number(_ offset: Int, _ count: Int) -> Int {
            let value = count == 2 ? try? Int(reader.number(UInt16.self, at: offset)) : try? Int(reader.number(UInt32.self, at: offset))
            return value ?? -1
        }
        // The end record has 22 bytes and a comment of up to 65,535.
        let last = bytes.count - 22
        guard last >= 0, let end = (max(0, last - 65_535)...last).reversed().first(where: { number($0, 4) == 0x0605_4B50 }) else {
            throw failure("the directory of the package is missing")
        }
        let count = number(end + 10, 2)
        guard count <= Self.maximumEntries else { throw failure("\(count) files in the package; the limit is \(Self.maximumEntries)") }
        var (offset, total) = (number(end + 16, 4), 0)
        for _ in 0..<count {
            guard number(offset, 4) == 0x0201_4B50 else { throw failure("the directory of the package is invalid") }
            let (stored, size, nameLength) = (number(offset + 20, 4), number(offset + 24, 4), number(offset + 28, 2))
            let local = number(offset + 42, 4)
            guard nameLength >= 0, offset + 46 + nameLength <= bytes.count else { throw failure("the directory of the package is invalid") }
            let name = String(decoding: bytes[(offset + 46)..<(offset + 46 + nameLength)], as: UTF8.self)
            let method = number(offset + 10, 2)
            guard number(offset + 8, 2) & 1 == 0, method == 0 || method == 8 && allowsDeflate else {
                throw failure("\"\(name)\" is compressed or encrypted")
            }
            guard number(local, 4) == 0x0403_4B50 else { throw failure("\"\(name)\" does not begin at the offset in the directory") }
            let start = local + 30 + number(local + 26, 2) + number(local + 28, 2)
            let length = method == 0 ? size : stored
            guard length >= 0, size >= 0, start <= bytes.count, length <= bytes.count - start else {
                throw failure("\"\(name)\" does not end")
            }
            total += size
            guard total <= budget else { throw failure("the decompressed files exceed \(budget) bytes") }
            entries.append(Entry(name: name, range: start..<(start + length), isDeflated: method == 8, size: size))
            offset += 46 + nameLength + max(0, number(offset + 30, 2)) + max(0, number(offset + 32, 2))
        }
    }

    /// Returns the decompressed bytes of a file.
    ///
    /// - Throws: `ModelFileError` if they do not match the directory.
    func bytes(of entry: Entry) throws(ModelFileError) -> [UInt8] {
        guard entry.isDeflated else { return Array(archive[entry.range]) }
        // Deflate expands by at most 1,032: a greater size is invalid and is detected before memory is allocated for it.
        guard entry.size / 1032 <= entry.range.count, let bytes = Self.inflated(archive[entry.range], size: entry.size) else {
            throw ModelFileError(file: file, location: entry.name, reason: .malformed("cannot be decompressed"))
        }
        return bytes
    }

    private static func inflated(_ packed: ArraySlice<UInt8>, size: Int) -> [UInt8]? {
        guard packed.count <= Int(UInt32.max), size <= Int(UInt32.max) else { return nil }
        var isWhole = false
        let result = [UInt8](unsafeUninitializedCapacity: max(size, 1)) { target, count in
            packed.withUnsafeBufferPointer { source in
                var stream = z_stream()
                // Negative for raw deflate, which zip uses.
                guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return }
                defer { inflateEnd(&stream) }
                stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(size)
                let status = inflate(&stream, Z_FINISH)
                count = Int(stream.total_out)
                isWhole = status == Z_STREAM_END && count == size
            }
        }
        return isWhole ? result : nil
    }
}
