import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Times the steps and reports the requests' progress.
final class StepTracker: Sendable {
    private struct State {
        var estimate: ProgressEstimate
        var requests: [(index: Int, request: PhotogrammetrySession.Request)]
        var current: (step: WorkPlan.Step, began: ContinuousClock.Instant)?
        var lastReport: ContinuousClock.Instant?
        var lastStage: PhotogrammetrySession.Output.ProcessingStage?
    }

    private let state: Mutex<State>
    private let emit: @Sendable (PhotogrammetrySession.Output) -> Void

    init(
        plan: WorkPlan, requests: [PhotogrammetrySession.Request], emit: @escaping @Sendable (PhotogrammetrySession.Output) -> Void
    ) {
        state = Mutex(State(estimate: ProgressEstimate(plan: plan), requests: Array(requests.enumerated()).map { ($0.offset, $0.element) }))
        self.emit = emit
    }

    func replan(_ plan: WorkPlan) { state.withLock { $0.estimate.replan(plan) } }

    func begin(_ step: WorkPlan.Step) {
        state.withLock { state in
            state.current = (step, .now)
            state.estimate.update(step, fraction: 0, elapsed: 0)
        }
        report(always: true)
    }

    /// Called from any thread. Ignores decreasing fractions.
    func progress(_ step: WorkPlan.Step, _ fraction: Double) {
        state.withLock { state in
            guard let current = state.current, current.step == step else { return }
            state.estimate.update(step, fraction: fraction, elapsed: (ContinuousClock.now - current.began).seconds)
        }
        report(always: false)
    }

    /// Marks a step as finished.
    ///
    /// - Returns: The seconds it took.
    @discardableResult func finish(_ step: WorkPlan.Step, wasRestored: Bool) -> Double {
        let seconds = state.withLock { state -> Double in
            guard let current = state.current, current.step == step else { return 0 }
            let seconds = (ContinuousClock.now - current.began).seconds
            state.estimate.finish(step, seconds: seconds, wasRestored: wasRestored)
            state.current = nil
            return seconds
        }
        report(always: true)
        return seconds
    }

    /// Stops progress reports for a request that has a result or an error.
    func close(_ request: Int) { state.withLock { $0.requests.removeAll { $0.index == request } } }

    private func report(always: Bool) {
        // Under the lock, so that no thread reports an older fraction after a newer one.
        state.withLock { state in
            let now = ContinuousClock.now
            if !always, let last = state.lastReport, (now - last).seconds < 0.2 { return }
            state.lastReport = now
            state.lastStage = state.estimate.stage ?? state.lastStage
            for (index, request) in state.requests {
                emit(.requestProgress(request, fractionComplete: state.estimate.fraction(of: index)))
                let info = PhotogrammetrySession.Output.ProgressInfo(
                    estimatedRemainingTime: state.estimate.remainingTime(of: index), processingStage: state.lastStage)
                emit(.requestProgressInfo(request, info))
            }
        }
    }
}

extension Duration {
    var seconds: Double {
        let parts = components
        return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
    }
}
