#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// File names that a recording gives.
enum RelativePath {
    /// A file below `directory`; a recording must not make a program read what lies elsewhere.
    static func url(of name: String, in directory: URL) throws(SourceError) -> URL {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isInside =
            !name.isEmpty && name.utf8.count <= 1024 && !name.utf8.contains(0)
            && parts.allSatisfy { $0 != ".." && $0 != "." && !$0.isEmpty }
        guard isInside else { throw .broken("'\(name.prefix(80))' is no file name inside the recording") }
        return directory.appendingPathComponent(name)
    }
}
