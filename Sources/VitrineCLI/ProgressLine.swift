import Foundation

/// A line on the terminal that tells how far a load has come; nothing where standard error is no terminal.
final class ProgressLine: Sendable {
    private let isShown: Bool

    init(isShown: Bool) { self.isShown = isShown && isatty(STDERR_FILENO) == 1 }

    /// Shows the fraction done, 0…1, and what is being done.
    @Sendable func report(_ fraction: Double, _ stage: String) {
        guard isShown else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(Int(fraction * 100)) % \(stage)".utf8))
    }

    func finish() {
        guard isShown else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
    }
}
