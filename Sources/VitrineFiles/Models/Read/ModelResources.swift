#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Files that a model names.
struct ModelResources {
    private let load: (String) throws(FileError) -> [UInt8]
    /// Whether paths may be absolute or lead up: `load` checks them.
    let takesOutsidePaths: Bool

    /// From the model's folder and below, and from the allowed folders and below.
    init(folder: URL, allowed: [URL], limit: Int) throws(ModelFileError) {
        let access = try FolderAccess(folder: folder, allowed: allowed)
        load = { (path) throws(FileError) in try access.read(path, limit: limit) }
        takesOutsidePaths = true
    }

    /// From somewhere else, by relative paths without `..`.
    init(_ load: @escaping (String) throws(FileError) -> [UInt8]) {
        self.load = load
        takesOutsidePaths = false
    }

    func bytes(_ path: String) throws(FileError) -> [UInt8] {
        let resolved = ResourcePath.resolved(path)
        guard !resolved.isEmpty, resolved != "/", !path.contains("\0") else { throw FileError(path: path, reason: "is not a file name") }
        guard takesOutsidePaths || !ResourcePath.leadsOutside(resolved) && !path.contains(":") else {
            throw FileError(path: path, reason: "files of a model must lie in its folder or below")
        }
        return try load(resolved)
    }
}
