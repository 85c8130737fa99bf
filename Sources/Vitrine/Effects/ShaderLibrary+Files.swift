import VitrineFiles
import VitrineImageFiles
import VitrineLayers

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ShaderLibrary {
    /// Reads a library from a file.
    ///
    /// - Parameter name: The file's name in errors; by default its path.
    /// - Throws: `ShaderError` if the file cannot be read, has more than 1 MiB, is not UTF-8, or has an error (see `init(source:name:line:)`).
    public init(url: URL, name: String? = nil) throws(ShaderError) {
        let name = name ?? url.relativePath
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileBytes.read(url, limit: 1 << 20)
        } catch {
            throw ShaderError(file: name, line: 0, .file(error.reason))
        }
        guard let source = String(validating: bytes, as: UTF8.self) else {
            throw ShaderError(file: name, line: 0, .file("is not text in UTF-8"))
        }
        try self.init(source: source, name: name, line: 0)
    }

    /// Reads the library `NAME.wgsl` from a folder of resources.
    ///
    /// - Parameter folder: `Bundle.module.resourceURL` in a package with resources; nil throws, as for a missing file.
    public init(named name: String, in folder: URL?) throws(ShaderError) {
        guard let url = folder?.appendingPathComponent("\(name).wgsl"), FileStatus(path: url.path) != nil else {
            throw ShaderError(file: "\(name).wgsl", line: 0, .file("is not among the resources in \(folder?.path ?? "no folder")"))
        }
        try self.init(url: url)
    }
}
