import Foundation
import Testing

/// Real photos and models that are not part of the package: `$VITRINE_DATA`, else `../shared/data` beside the package.
///
/// Tests are skipped if it is missing:
/// ```swift
/// @Test(.enabled(if: SharedData.has("environments"), SharedData.missing)) func environmentsLoad() throws { … }
/// ```
package enum SharedData {
    /// The package's folder.
    package static let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().standardizedFileURL

    /// The data's folder, or nil.
    package static let root: URL? = {
        let environment = ProcessInfo.processInfo.environment["VITRINE_DATA"]
        let candidates = environment.map { [URL(fileURLWithPath: $0)] } ?? worktreeCandidates
        return candidates.first { isDirectory($0) }
    }()

    /// `../shared/data` beside the package, or beside the main checkout when the package lies in a git worktree a folder deeper.
    private static var worktreeCandidates: [URL] {
        let parent = packageRoot.deletingLastPathComponent()
        return [parent, parent.deletingLastPathComponent()].map { $0.appendingPathComponent("shared/data") }
    }

    /// The comment of a skipped test.
    package static let missing: Comment = "shared data is missing: set VITRINE_DATA to its folder"

    /// Whether a file or folder exists.
    package static func has(_ path: String) -> Bool {
        root.map { FileManager.default.fileExists(atPath: $0.appendingPathComponent(path).path) } ?? false
    }

    /// A file or folder in the data.
    package static func url(_ path: String) throws -> URL {
        guard let root, has(path) else { throw MissingSharedData(path: path) }
        return root.appendingPathComponent(path)
    }

    /// All files under a folder with one of the extensions (lower case), sorted by path; none if the folder is missing.
    package static func files(under path: String = "", extensions: Set<String>) -> [URL] {
        guard let root else { return [] }
        let folder = path.isEmpty ? root : root.appendingPathComponent(path)
        guard let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
        return walk.compactMap { $0 as? URL }.filter { extensions.contains($0.pathExtension.lowercased()) }.sorted { $0.path < $1.path }
    }

    private static func isDirectory(_ url: URL) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && isDirectory.boolValue
    }
}

package struct MissingSharedData: Error, CustomStringConvertible {
    package let path: String
    package var description: String { "\(path) is not in the shared data" }
}
