import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes the folder of a web page: a complete new folder takes the name in one step.
struct WebFolder {
    let path: String

    private var url: URL { URL(fileURLWithPath: path).standardizedFileURL }
    private var manager: FileManager { .default }

    /// Refuses to replace anything but an earlier page. Call it before long work, too.
    ///
    /// - Parameter names: The names of the files that a page can have.
    func check(names: Set<String>) throws {
        guard let status = FileStatus(path: url.path) else {
            let parent = url.deletingLastPathComponent()
            guard FileStatus.isFolder(parent.path) else {
                throw CommandError(file: path, reason: "the folder \(path.deletingLastPathComponent) does not exist")
            }
            return
        }
        guard status.kind == .folder else { throw CommandError(file: path, reason: "is a file: choose a folder") }
        let others = try manager.contentsOfDirectory(atPath: url.path).filter { !names.contains($0) }.sorted()
        if let other = others.first {
            throw CommandError(file: path, reason: "contains '\(other)', which is not part of a page: choose a new or an empty folder")
        }
    }

    func write(_ files: [WebFile]) throws {
        let temporary = url.deletingLastPathComponent().appendingPathComponent(".vitrine-\(UUID().uuidString).tmp")
        try manager.createDirectory(at: temporary, withIntermediateDirectories: false)
        defer { try? manager.removeItem(at: temporary) }
        for file in files { try AtomicFile.write(file.bytes, to: temporary.appendingPathComponent(file.name)) }
        // A link stays a link: its target is replaced.
        let target = url.resolvingSymlinksInPath()
        guard manager.fileExists(atPath: target.path) else { return try manager.moveItem(at: temporary, to: target) }
        let former = target.deletingLastPathComponent().appendingPathComponent(".vitrine-\(UUID().uuidString).tmp")
        try manager.moveItem(at: target, to: former)
        do {
            try manager.moveItem(at: temporary, to: target)
        } catch {
            try? manager.moveItem(at: former, to: target)
            throw error
        }
        try? manager.removeItem(at: former)
    }
}
