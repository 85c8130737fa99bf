import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The error of reading or writing a file of cameras: `Configuration.camerasFile` and the exported poses.
package struct CameraFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file's path.
    package let file: String
    /// The location in the file: `cameras/3/K` in JSON, `line 12` in text; empty for the whole file.
    package let location: String
    /// The reason, in a few words.
    package let reason: String

    init(file: String, location: String = "", reason: String) { (self.file, self.location, self.reason) = (file, location, reason) }

    init(_ error: FileError) { self.init(file: error.path, reason: error.reason) }

    /// The error in the form `FILE: reason` or `FILE:LOCATION: reason`.
    package var description: String { location.isEmpty ? "\(file): \(reason)" : "\(file):\(location): \(reason)" }
}

extension CameraFileError: LocalizedError {
    /// The description, for Foundation's `LocalizedError`.
    package var errorDescription: String? { description }
}
