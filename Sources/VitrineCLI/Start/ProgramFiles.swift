import CPrograms
import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The source files of the examples and templates, which the command contains.
enum ProgramFiles {
    /// The files of an example, such as "Card", by their names.
    static func files(of example: String) -> [(name: String, bytes: [UInt8])] {
        all.filter { $0.folder == example }.map { ($0.name, $0.bytes) }
    }

    private static var all: [(folder: String, name: String, bytes: [UInt8])] {
        (0..<vitrine_program_file_count()).map { index in
            let file = vitrine_program_file_at(index)
            let path = String(cString: file.name)
            return (
                path.deletingLastPathComponent, path.lastPathComponent, Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
            )
        }
    }

    /// Creates a new or empty folder.
    static func makeFolder(_ folder: String) throws {
        if let status = FileStatus(path: folder), status.kind != .folder {
            throw CommandError(file: folder, reason: "is a file: choose a new or an empty folder")
        }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw CommandError(file: folder, reason: "the folder cannot be created: \(describe(error))")
        }
        guard try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty else {
            throw CommandError(file: folder, reason: "is not empty: choose a new or an empty folder")
        }
    }

    static func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }

    /// Writes a file, and the folder in which it lies.
    static func write(_ bytes: [UInt8], to path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try AtomicFile.write(bytes, to: url)
    }
}
