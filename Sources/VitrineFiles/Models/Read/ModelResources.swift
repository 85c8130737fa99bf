#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Files that a model names: in its own folder and below only.
struct ModelResources {
    private let load: (String) throws(FileError) -> [UInt8]

    init(folder: URL, limit: Int) {
        load = { (path) throws(FileError) in try FileBytes.read(folder.appendingPathComponent(path), limit: limit) }
    }

    /// From somewhere else.
    init(_ load: @escaping (String) throws(FileError) -> [UInt8]) { self.load = load }

    func bytes(_ path: String) throws(FileError) -> [UInt8] {
        let parts = path.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
        guard !path.isEmpty, parts.first?.isEmpty == false, !parts.contains(".."), !path.contains(":"), !path.contains("\0") else {
            throw FileError(path: path, reason: "files of a model must lie in its folder or below")
        }
        return try load(parts.joined(separator: "/"))
    }
}
