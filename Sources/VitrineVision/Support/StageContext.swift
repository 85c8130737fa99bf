import Synchronization

/// The context of a pipeline stage: threads, progress, cancellation and warnings.
///
/// A stage's result depends on its input only, never on its context.
///
/// ```
/// let context = StageContext(parallel: Parallel(threads: 4), progress: { print($0) })
/// let points = try DepthFusion().fuse(maps, in: context)
/// ```
package struct StageContext: Sendable {
    /// The threads to work on.
    package let parallel: Parallel

    private let progressHandler: @Sendable (Double) -> Void
    private let cancellationCheck: @Sendable () -> Bool
    private let warningHandler: @Sendable (String) -> Void

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - parallel: Default: one thread per processor core.
    ///   - progress: Called with the completed fraction, 0…1, rising; from any thread.
    ///   - isCancelled: Called several times per second, from any thread; true ends the stage with an error.
    ///   - warn: Called with one line of text for each problem that does not stop the stage; from any thread.
    package init(
        parallel: Parallel = Parallel(), progress: @escaping @Sendable (Double) -> Void = { _ in },
        isCancelled: @escaping @Sendable () -> Bool = { false }, warn: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.parallel, progressHandler, cancellationCheck, warningHandler) = (parallel, progress, isCancelled, warn)
    }

    /// Whether the caller requests the stage to stop.
    package var isCancelled: Bool { cancellationCheck() }

    /// Throws if the caller requests the stage to stop.
    package func checkCancellation() throws(CancellationError) { if isCancelled { throw CancellationError() } }

    /// Reports the completed fraction of the stage, 0…1.
    package func report(_ fraction: Double) { progressHandler(fraction) }

    /// Reports a problem that does not stop the stage.
    package func warn(_ text: String) { warningHandler(text) }

    /// A context for a part of the stage: its fractions 0…1 become `lower`…`upper` of this one's.
    package func part(from lower: Double, to upper: Double) -> StageContext {
        let report = progressHandler
        return StageContext(
            parallel: parallel, progress: { report(lower + (upper - lower) * $0) }, isCancelled: cancellationCheck, warn: warningHandler)
    }

    /// The results of `body` for 0..<count, in the order of the indices, some of them at a time; reports their completed fraction.
    ///
    /// - Parameters:
    ///   - lanes: The number of pieces at a time.
    ///   - body: Does one piece on the threads of the context that it gets, which reports no progress.
    /// - Throws: `CancellationError`, and the error of the first piece that failed; pieces that have not begun are skipped.
    package func map<Result: Sendable>(
        _ count: Int, on lanes: Parallel, _ body: @Sendable (Int, StageContext) throws -> Result
    ) throws -> [Result] {
        let piece = StageContext(parallel: parallel, isCancelled: cancellationCheck, warn: warningHandler)
        let hasFailed = Atomic(false)
        let completed = Mutex(0)
        let results: [Swift.Result<Result, any Error>?] = lanes.map(count) { index in
            guard !hasFailed.load(ordering: .relaxed), !isCancelled else { return nil }
            let result = Swift.Result { try body(index, piece) }
            if case .failure = result { hasFailed.store(true, ordering: .relaxed) }
            completed.withLock {
                $0 += 1
                report(Double($0) / Double(count))
            }
            return result
        }
        for case .failure(let error)? in results { throw error }
        try checkCancellation()
        return try results.compactMap { try $0?.get() }
    }

    /// A context for one of many pieces of work that run side by side: one thread, no progress.
    package var singleThreaded: StageContext {
        StageContext(parallel: Parallel(threads: 1), isCancelled: cancellationCheck, warn: warningHandler)
    }
}
