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

    /// A context for one of many pieces of work that run side by side: one thread, no progress.
    package var singleThreaded: StageContext {
        StageContext(parallel: Parallel(threads: 1), isCancelled: cancellationCheck, warn: warningHandler)
    }
}
