import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Folders that a command fills with files of its own.
enum NewFolder {
    /// Creates a folder, and those above it. An empty folder may exist.
    static func make(_ path: String) throws {
        if let status = FileStatus(path: path), status.kind != .folder {
            throw CommandError(file: path, reason: "is a file: choose a new or an empty folder")
        }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw CommandError(file: path, reason: "the folder cannot be created: \(describe(error))")
        }
        guard try FileManager.default.contentsOfDirectory(atPath: path).isEmpty else {
            throw CommandError(file: path, reason: "is not empty: choose a new or an empty folder")
        }
    }
}
