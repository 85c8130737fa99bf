import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The source files of the examples and templates, which the command contains.
enum ProgramFiles {
    /// The files of an example, such as "Card", by their names.
    static func files(of example: String) -> [(name: String, bytes: [UInt8])] {
        EmbeddedFile.programs.filter { $0.name.deletingLastPathComponent == example }.map { ($0.name.lastPathComponent, Array($0.bytes)) }
    }

    static func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }

    /// Writes a file, and the folder that contains it.
    static func write(_ bytes: [UInt8], to path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try AtomicFile.write(bytes, to: url)
    }
}
