import VitrineFiles

/// A file of cameras that can't be read or written. Prints as `FILE[:PLACE]: reason`.
public struct CameraFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The path, as given.
    public let file: String
    /// Where in the file: `cameras/3/K` in JSON, `line 12` in text; empty for the whole file.
    public let place: String
    /// The reason, for people.
    public let reason: String

    /// Creates an error.
    public init(file: String, place: String = "", reason: String) { (self.file, self.place, self.reason) = (file, place, reason) }

    init(_ error: FileError) { self.init(file: error.path, reason: error.reason) }

    /// `FILE[:PLACE]: reason`.
    public var description: String { place.isEmpty ? "\(file): \(reason)" : "\(file):\(place): \(reason)" }
}
