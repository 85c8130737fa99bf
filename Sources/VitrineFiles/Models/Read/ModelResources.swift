#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the files that a model refers to.
struct ModelResources {
    private let load: (String) throws(FileError) -> [UInt8]
    /// Whether paths may be absolute or contain `..`; `load` then checks them.
    let allowsOutsidePaths: Bool

    /// Reads files from the model's folder, from the allowed folders, and from their subfolders.
    init(folder: URL, allowed: [URL], limit: Int) throws(ModelFileError) {
        let access = try FolderAccess(folder: folder, allowed: allowed)
        load = { (path) throws(FileError) in try access.read(path, limit: limit) }
        allowsOutsidePaths = true
    }

    /// Reads files with a closure, by relative paths without `..`.
    init(_ load: @escaping (String) throws(FileError) -> [UInt8]) {
        self.load = load
        allowsOutsidePaths = false
    }

    func bytes(_ path: String) throws(FileError) -> [UInt8] {
        let resolved = ResourcePath.resolved(path)
        guard !resolved.isEmpty, resolved != "/", !path.contains("\0") else { throw FileError(path: path, reason: "is not a file name") }
        guard allowsOutsidePaths || !ResourcePath.leadsOutside(resolved) && !path.contains(":") else {
            throw FileError(path: path, reason: "the files of a model must be in its folder or below")
        }
        return try load(resolved)
    }
}
