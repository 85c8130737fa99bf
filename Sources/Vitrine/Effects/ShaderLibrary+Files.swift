import Foundation
import VitrineFiles
import VitrineLayers

extension ShaderLibrary {
    /// A library in a file of its own.
    ///
    /// - Parameter name: what errors call the file; by default its path as given.
    /// - Throws: `ShaderError`: no such file, more than a mebibyte, no UTF-8, or what `init(source:name:line:)` refuses.
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

    /// A library among a bundle's resources: `NAME.wgsl`.
    public static func bundle(_ bundle: Bundle, named name: String = "effects") throws(ShaderError) -> ShaderLibrary {
        guard let url = bundle.url(forResource: name, withExtension: "wgsl") else {
            throw ShaderError(file: "\(name).wgsl", line: 0, .file("is not among the resources of \(bundle.bundlePath)"))
        }
        return try ShaderLibrary(url: url)
    }
}
