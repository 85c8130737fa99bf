#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Ctrl-C, `SIGTERM` or a closed terminal stopped the work: exit code 1.
struct StoppedError: LocalizedError {
    var errorDescription: String? { "stopped: the unfinished file was not written" }
}

/// Runs `body` in a task that Ctrl-C cancels. `body` checks `Task.isCancelled` between steps and writes files atomically, so that a file is
/// either complete or does not exist.
///
/// - Throws: `StoppedError` if `body` ended because of it.
@MainActor
func cancellable(_ body: @escaping @MainActor @Sendable () async throws -> Void) async throws {
    let task = Task { @MainActor in try await body() }
    let interrupt = InterruptSource { task.cancel() }
    defer { interrupt.cancel() }
    do {
        try await task.value
    } catch {
        // An error of a cancelled task is a consequence of the cancellation.
        if task.isCancelled { throw StoppedError() }
        throw error
    }
}
