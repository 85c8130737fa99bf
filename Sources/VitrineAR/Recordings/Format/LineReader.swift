import VitrineImageFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A text file's lines, one after the other, with as much memory as the longest.
final class LineReader {
    struct Line {
        /// The bytes of the line, without its end.
        let bytes: ArraySlice<UInt8>
        /// The number of the line, from 1.
        let number: Int
        /// Whether its end was there: a file that was cut short ends in a line without.
        let isWhole: Bool
    }

    private let descriptor: Int32
    private let name: String
    private let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0
    /// Bytes of the file, and those that were read from it.
    private var (size, taken) = (0, 0)
    private var number = 0
    private var isAtEnd = false

    private static let chunk = 1 << 16

    /// Opens a file of lines.
    ///
    /// - Parameters:
    ///   - name: The file's name in errors.
    ///   - limit: The length limit of a line in bytes.
    init(_ url: URL, name: String, limit: Int = 1 << 16) throws(SourceError) {
        // O_NONBLOCK: opening a pipe without a writer would wait for ever.
        descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .broken("\(name): \(String(cString: strerror(errno)).lowercased())") }
        (self.name, self.limit) = (name, limit)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .broken("\(name): is not a regular file") }
        size = Int(status.st_size)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Back to the first line.
    func rewind() {
        lseek(descriptor, 0, SEEK_SET)
        (buffer, start, number, isAtEnd, taken) = ([], 0, 0, false, 0)
    }

    /// The share of the file that was read, 0…1.
    var fractionRead: Double { size > 0 ? min(1, Double(taken - (buffer.count - start)) / Double(size)) : 1 }

    /// The next line; nil at the end.
    func next() throws(SourceError) -> Line? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                number += 1
                defer { start = end + 1 }
                return Line(bytes: trimmed(start..<end), number: number, isWhole: true)
            }
            guard buffer.count - start <= limit else { throw .broken("\(name):\(number + 1): a line of more than \(limit) bytes") }
            guard !isAtEnd else { break }
            searched = try fill()
        }
        guard start < buffer.count else { return nil }
        number += 1
        defer { start = buffer.count }
        return Line(bytes: trimmed(start..<buffer.count), number: number, isWhole: false)
    }

    private func trimmed(_ range: Range<Int>) -> ArraySlice<UInt8> {
        let line = buffer[range]
        return line.last == 0x0D ? line.dropLast() : line
    }

    /// Reads the next chunk and returns the index of its first byte.
    private func fill() throws(SourceError) -> Int {
        buffer.removeSubrange(0..<start)
        start = 0
        let old = buffer.count
        buffer += [UInt8](repeating: 0, count: Self.chunk)
        var got = 0
        repeat {
            got = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + old, Self.chunk) }
        } while got < 0 && errno == EINTR
        buffer.removeSubrange((old + max(got, 0))...)
        guard got >= 0 else { throw .broken("\(name): \(String(cString: strerror(errno)).lowercased())") }
        isAtEnd = got == 0
        taken += got
        return old
    }
}
