import Synchronization
import VitrineVision

/// The summary of a run while it grows, and its warnings.
final class RunRecord: Sendable {
    private let summary: Mutex<ReconstructionSummary>
    private let began = ContinuousClock.now
    private let emit: @Sendable (PhotogrammetrySession.Output) -> Void
    private let summarize: @Sendable (ReconstructionSummary) -> Void

    init(_ job: ReconstructionJob) {
        var summary = ReconstructionSummary()
        summary.settings = SettingsDescription(job).lines
        self.summary = Mutex(summary)
        (emit, summarize) = (job.emit, job.summarize)
    }

    var current: ReconstructionSummary { summary.withLock { $0 } }

    func update(_ change: (inout ReconstructionSummary) -> Void) { summary.withLock { change(&$0) } }

    /// Changes a sample's record.
    func updatePhoto(_ id: Int, _ change: (inout ReconstructionSummary.Photo) -> Void) {
        summary.withLock { summary in
            guard let index = summary.photos.firstIndex(where: { $0.id == id }) else { return }
            change(&summary.photos[index])
        }
    }

    /// Hands the summary to the session.
    func publish() {
        let seconds = (ContinuousClock.now - began).seconds
        let current = summary.withLock { summary in
            summary.seconds = seconds
            return summary
        }
        summarize(current)
    }

    /// Reports a warning, once: models of one session share most of them.
    func warn(_ text: String) {
        let isNew = summary.withLock { summary in
            guard !summary.warnings.contains(text) else { return false }
            summary.warnings.append(text)
            return true
        }
        guard isNew else { return }
        publish()
        emit(.warning(text))
    }
}
