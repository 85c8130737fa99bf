import VitrineFiles
import VitrineImageFiles
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Scene {
    /// Loads a model file by its name: from a folder of resources, otherwise from the current directory.
    ///
    /// ```swift
    /// let scene = try await Scene(named: "owl.glb")
    /// ```
    ///
    /// - Parameters:
    ///   - name: A file name with its extension, or a path below the resources or the current directory.
    ///   - folder: The folder; by default that of the program. Use `Bundle.module.resourceURL` in a package with resources.
    /// - Throws: `ModelFileError` if the file is in neither or cannot be read; `CancellationError` if the task was cancelled.
    public convenience init(named name: String, in folder: URL? = nil) async throws {
        let resource = (folder ?? programFolder)?.appendingPathComponent(name)
        let local = URL(fileURLWithPath: name)
        if let resource, FileManager.default.fileExists(atPath: resource.path) {
            try await self.init(contentsOf: resource)
        } else if resource == nil || FileManager.default.fileExists(atPath: local.path) {
            try await self.init(contentsOf: local)
        } else {
            let folders = [resource?.deletingLastPathComponent().path, local.deletingLastPathComponent().path].compactMap { $0 }
            throw ModelFileError(file: name, reason: .file("no such file in \(folders.joined(separator: " or "))"))
        }
    }
}

/// The folder of the running program; nil if the system does not report it.
private var programFolder: URL? {
    #if os(Linux)
        return SystemPath.resolvingLinks("/proc/self/exe").map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
    #else
        return CommandLine.arguments.first.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
    #endif
}
