import Synchronization
import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Progress on standard error: on a terminal one line that overwrites itself, otherwise a line for each stage and each tenth.
///
/// Without a terminal, work of less than `quietSeconds` prints nothing.
final class ProgressLine: Sendable {
    private struct State {
        var stage = ""
        /// The time of the first report of the stage.
        var stageStart = ContinuousClock.now
        var stageStartFraction = 0.0
        var lastFraction = 0.0
        var isLineShown = false
        var lastLine: ContinuousClock.Instant?
    }

    private let isShown: Bool
    private let quietSeconds: Double
    private let started = ContinuousClock.now
    private let state = Mutex(State())

    /// Creates a progress line.
    ///
    /// - Parameter quietSeconds: Seconds before the first line if standard error is not a terminal.
    init(isShown: Bool, quietSeconds: Double = 2) { (self.isShown, self.quietSeconds) = (isShown, quietSeconds) }

    @Sendable func report(_ progress: LoadingProgress) { report(progress.stage, fraction: progress.fraction) }

    /// Shows the progress.
    ///
    /// - Parameters:
    ///   - stage: The name of the stage, such as "rendering". A new stage may start at a lower fraction.
    ///   - fraction: 0…1; nil if unknown.
    ///   - detail: Details of the current state, printed only on terminals.
    ///   - remaining: Seconds left; nil to extrapolate from the fractions of this stage.
    func report(_ stage: String, fraction: Double?, detail: String = "", remaining: Double? = nil) {
        guard isShown else { return }
        state.withLock { state in
            let now = ContinuousClock.now
            let isNewStage = stage != state.stage
            if isNewStage { (state.stage, state.stageStart, state.stageStartFraction) = (stage, now, fraction ?? 0) }
            let left = remaining ?? fraction.flatMap { Self.remaining(state, $0, now) }
            let text = (fraction.map { "\(Int(min(max($0, 0), 1) * 100)) % " } ?? "") + stage
            let time = left.map { ", \(Self.duration($0)) left" } ?? ""
            if StandardError.isTerminal {
                StandardError.write("\r\u{1B}[K" + text + (detail.isEmpty ? "" : ", \(detail)") + time)
                state.isLineShown = true
            } else if isDue(state, isNewStage, fraction ?? 0, now) {
                printError(text + time)
                (state.lastLine, state.lastFraction) = (now, fraction ?? 0)
            }
        }
    }

    /// Removes the line from a terminal.
    func finish() {
        state.withLock { state in
            guard state.isLineShown else { return }
            StandardError.write("\r\u{1B}[K")
            state.isLineShown = false
        }
    }

    private func isDue(_ state: State, _ isNewStage: Bool, _ fraction: Double, _ now: ContinuousClock.Instant) -> Bool {
        guard now - started >= .seconds(quietSeconds) else { return false }
        guard let last = state.lastLine, !isNewStage else { return true }
        return fraction - state.lastFraction >= 0.1 && now - last >= .seconds(2)
    }

    private static func remaining(_ state: State, _ fraction: Double, _ now: ContinuousClock.Instant) -> Double? {
        let (done, seconds) = (fraction - state.stageStartFraction, (now - state.stageStart) / .seconds(1))
        guard done > 0.01, seconds > 1 else { return nil }
        return seconds / done * (1 - fraction)
    }

    /// `40 s`, `3 min 20 s`, `1 h 5 min`.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e7 else { return "long" }
        let whole = Int(max(seconds, 0).rounded(.up))
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }
}
