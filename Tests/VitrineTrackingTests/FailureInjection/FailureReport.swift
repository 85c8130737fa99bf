import Foundation

@testable import VitrineTracking

/// Prints the results of runs with injected failures, with `VITRINE_FIGURES=1`.
enum FailureReport {
    private static let areShown = ProcessInfo.processInfo.environment["VITRINE_FIGURES"] != nil

    static func report(_ name: String, _ run: FailureRun, _ failure: Failure, _ drift: Double) {
        guard areShown else { return }
        var spans: [(state: TrackingState, from: Double)] = []
        for (time, result) in run.results where spans.last?.state != result.state { spans.append((result.state, time)) }
        let states = spans.map { String(format: "%.2f ", $0.from) + "\($0.state)" }.joined(separator: ", ")
        let during = zip(run.results, run.tracked).filter { failure.span.contains($0.0.time) }.map(\.1).sorted()
        let features = during.isEmpty ? "none" : "\(during[0]), \(during[during.count / 2]), \(during[during.count - 1])"
        let losses = run.tracker.diagnostics.losses
        print("failure \(name): drift \(String(format: "%.3f", drift)) m, features \(features), lost \(losses): \(states)")
    }
}
