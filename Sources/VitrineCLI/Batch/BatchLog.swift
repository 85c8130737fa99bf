import Vitrine

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

/// The results of a batch, a line of JSON after each object, so that a killed batch loses none. A later line of an object replaces earlier ones.
final class BatchLog {
    private let path: String
    private let descriptor: Int32

    /// Opens the log, or creates it.
    init(_ path: String) throws {
        self.path = path
        let bytes = FileManager.default.contents(atPath: path)
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw CommandError(file: path, reason: String(cString: strerror(errno)).lowercased()) }
        // A killed process may have left an incomplete line.
        if let last = bytes?.last, last != UInt8(ascii: "\n") { try write("\n") }
    }

    deinit { close(descriptor) }

    /// The last result of each object; damaged lines are skipped.
    func results() -> [String: BatchResult] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        var results: [String: BatchResult] = [:]
        for line in (FileManager.default.contents(atPath: path) ?? Data()).split(separator: UInt8(ascii: "\n")) {
            guard let result = try? decoder.decode(BatchResult.self, from: Data(line)) else { continue }
            results[result.name] = result
        }
        return results
    }

    func append(_ result: BatchResult) throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try write(String(decoding: try encoder.encode(result), as: UTF8.self) + "\n")
    }

    private func write(_ text: String) throws {
        let code = DescriptorWriter.write(text, to: descriptor, patience: -1)
        guard code == 0, fsync(descriptor) == 0 else {
            throw CommandError(file: path, reason: String(cString: strerror(code == 0 ? errno : code)).lowercased())
        }
    }
}
