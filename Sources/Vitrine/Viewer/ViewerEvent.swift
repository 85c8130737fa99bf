#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An event that a `Viewer` reports.
public enum ViewerEvent: Sendable {
    /// The progress of a file that is being loaded. The fraction is 0…1.
    case loading(file: String, fraction: Double, stage: String)
    /// The viewer shows a file. `warnings` lists changes and omissions by the reader.
    case loaded(file: String, warnings: [String])
    /// A file cannot be shown, or an image cannot be written. The current scene stays.
    case failed(String)
    /// A part of the model cannot be drawn, for example because a material has more textures than the GPU binds.
    case warning(String)
    /// A screenshot was written to this file.
    case screenshotWritten(URL)
    /// The result of a command in one line, such as "tone mapping: agx". The viewer also shows it.
    case changed(String)

    /// Prints failures and warnings to standard error.
    static func printProblem(_ event: ViewerEvent) {
        let text: String
        switch event {
        case .failed(let message): text = "error: \(message)\n"
        case .warning(let message): text = "warning: \(message)\n"
        default: return
        }
        let line = Array(text.utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
