import Foundation

/// The work was stopped by Ctrl-C, `SIGTERM` or a closed terminal: exit code 1.
struct StoppedError: LocalizedError {
    var errorDescription: String? { "stopped: the file in work was not written" }
}

/// Runs `body` in a task that Ctrl-C cancels. `body` checks `Task.isCancelled` between steps and writes files atomically, so that a file is
/// written whole or not at all.
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
        // Whatever a cancelled task throws, it throws because of that.
        if task.isCancelled { throw StoppedError() }
        throw error
    }
}
