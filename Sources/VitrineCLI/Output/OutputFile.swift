import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks of the paths of output files, for commands that work for long before they write.
enum OutputFile {
    /// Throws if the folder of a file or folder does not exist or is not writable.
    static func checkFolder(of path: String) throws(CommandError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        guard FileStatus.isFolder(folder.path) else {
            throw CommandError(file: path, reason: "the folder \(folder.relativePath) does not exist")
        }
        guard FileManager.default.isWritableFile(atPath: folder.path) else {
            throw CommandError(file: path, reason: "the folder is not writable")
        }
    }

    /// Throws if a file cannot be written because a folder has its name, or its own folder is missing or not writable.
    static func check(_ path: String) throws(CommandError) {
        try checkFolder(of: path)
        if FileStatus.isFolder(URL(fileURLWithPath: path).path) { throw CommandError(file: path, reason: "is a folder") }
    }
}
