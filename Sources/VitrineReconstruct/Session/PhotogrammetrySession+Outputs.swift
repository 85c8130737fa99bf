import Synchronization

extension PhotogrammetrySession {
    /// The outputs of one `process` call, in order. The sequence ends after `.processingComplete` or `.processingCancelled`.
    ///
    /// Each iteration delivers all outputs from the first one on, also those from before it started; several may run at once.
    public struct Outputs: AsyncSequence, Sendable {
        let log: OutputLog

        /// Iterates over the outputs.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let log: OutputLog
            private var index = 0

            init(log: OutputLog) { self.log = log }

            /// The next output; nil at the end, or if the waiting task is cancelled. Doesn't throw: failures are reported by `.requestError`.
            public mutating func next() async throws -> Output? {
                guard let output = await log.output(at: index) else { return nil }
                index += 1
                return output
            }
        }

        /// Creates an iterator that starts at the first output.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(log: log) }
    }
}

/// Outputs in order, for any number of readers.
final class OutputLog: Sendable {
    private struct State {
        var outputs: [PhotogrammetrySession.Output] = []
        var isFinished = false
        var readers: [Int: Reader] = [:]
        var nextReader = 0
    }

    private struct Reader {
        let index: Int
        let continuation: CheckedContinuation<PhotogrammetrySession.Output?, Never>
    }

    private let state = Mutex(State())

    func append(_ output: PhotogrammetrySession.Output) {
        let waiting = state.withLock { state -> [Reader] in
            guard !state.isFinished else { return [] }
            state.outputs.append(output)
            let ready = state.readers.filter { $0.value.index < state.outputs.count }
            for key in ready.keys { state.readers[key] = nil }
            return Array(ready.values)
        }
        for reader in waiting { reader.continuation.resume(returning: output) }
    }

    func finish() {
        let waiting = state.withLock { state -> [Reader] in
            state.isFinished = true
            defer { state.readers.removeAll() }
            return Array(state.readers.values)
        }
        for reader in waiting { reader.continuation.resume(returning: nil) }
    }

    /// The output at `index`, as soon as it exists; nil past the end, or when the task is cancelled.
    func output(at index: Int) async -> PhotogrammetrySession.Output? {
        let ticket = state.withLock { state -> Int in
            state.nextReader += 1
            return state.nextReader
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> PhotogrammetrySession.Output?? in
                    if index < state.outputs.count { return state.outputs[index] }
                    // A task is marked as cancelled before its handler runs: either it is noticed here, or the handler gets the reader.
                    if state.isFinished || Task.isCancelled { return .some(nil) }
                    state.readers[ticket] = Reader(index: index, continuation: continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let reader = state.withLock { $0.readers.removeValue(forKey: ticket) }
            reader?.continuation.resume(returning: nil)
        }
    }
}
