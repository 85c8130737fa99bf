/// The requests of a job that have neither a result nor an error.
final class RequestQueue {
    private let requests: [PhotogrammetrySession.Request]
    private let tracker: StepTracker
    private let record: RunRecord
    private let emit: @Sendable (PhotogrammetrySession.Output) -> Void
    /// Indices into `requests`.
    private var waiting: [Int]

    init(_ job: ReconstructionJob, tracker: StepTracker, record: RunRecord) {
        (requests, emit, self.tracker, self.record) = (job.requests, job.emit, tracker, record)
        waiting = Array(job.requests.indices)
    }

    var isEmpty: Bool { waiting.isEmpty }

    func isWaiting(_ index: Int) -> Bool { waiting.contains(index) }

    func isWaiting(for condition: (PhotogrammetrySession.Request) -> Bool) -> Bool { waiting.contains { condition(requests[$0]) } }

    /// Completes all waiting requests that are equal to `request`.
    func complete(_ request: PhotogrammetrySession.Request, _ result: @autoclosure () -> PhotogrammetrySession.Result) {
        for index in waiting where requests[index] == request { complete(index, result()) }
    }

    func complete(_ index: Int, _ result: PhotogrammetrySession.Result) {
        close(index)
        emit(.requestComplete(requests[index], result))
    }

    func fail(_ index: Int, _ error: any Error) {
        close(index)
        emit(.requestError(requests[index], error))
    }

    func failRemaining(_ error: any Error) { for index in waiting { fail(index, error) } }

    private func close(_ index: Int) {
        tracker.close(index)
        waiting.removeAll { $0 == index }
        record.publish()
    }
}
