#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Resolves file names inside of a recording.
enum RelativePath {
    /// The URL of a file below `directory`; rejects names that lead outside of it.
    static func url(of name: String, in directory: URL) throws(SourceError) -> URL {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isInside =
            !name.isEmpty && name.utf8.count <= 1024 && !name.utf8.contains(0)
            && parts.allSatisfy { $0 != ".." && $0 != "." && !$0.isEmpty }
        guard isInside else { throw .broken("'\(name.prefix(80))' is not a file name inside the recording") }
        return directory.appendingPathComponent(name)
    }
}
