import Foundation
import Vitrine

/// A line on the terminal that tells how far a load has come; nothing where standard error is no terminal.
final class ProgressLine: Sendable {
    private let isShown: Bool

    init(isShown: Bool) { self.isShown = isShown && isatty(STDERR_FILENO) == 1 }

    @Sendable func report(_ progress: ModelLoadProgress) { report(progress.stage.rawValue, fraction: progress.fraction) }

    /// - Parameter fraction: 0…1 of the whole.
    func report(_ stage: String, fraction: Double) {
        guard isShown else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(Int(fraction * 100)) % \(stage)".utf8))
    }

    func finish() {
        guard isShown else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
    }
}
