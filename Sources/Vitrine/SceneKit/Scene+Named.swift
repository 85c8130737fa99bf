import Foundation
import VitrineFiles
import VitrineScene

extension Scene {
    /// Loads a model file by its name: from a bundle's resources, otherwise from the current directory.
    ///
    /// ```swift
    /// let scene = try await Scene(named: "owl.glb")
    /// ```
    ///
    /// - Parameters:
    ///   - name: A file name with its extension, or a path below the resources or the current directory.
    ///   - bundle: Default: the program's own; `.module` in a package with resources.
    /// - Throws: `ModelFileError` if the file is in neither or cannot be read; `CancellationError` if the task was cancelled.
    public convenience init(named name: String, in bundle: Bundle = .main) async throws {
        let resource = bundle.resourceURL?.appendingPathComponent(name)
        let local = URL(fileURLWithPath: name)
        if let resource, FileManager.default.fileExists(atPath: resource.path) {
            try await self.init(contentsOf: resource)
        } else if resource == nil || FileManager.default.fileExists(atPath: local.path) {
            try await self.init(contentsOf: local)
        } else {
            let places = [resource?.deletingLastPathComponent().path, local.deletingLastPathComponent().path].compactMap { $0 }
            throw ModelFileError(file: name, reason: .file("no such file in \(places.joined(separator: " or "))"))
        }
    }
}
