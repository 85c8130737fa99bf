import Synchronization

extension PhotogrammetrySession {
    /// The messages of one `process` call, in order. It ends after `.processingComplete` or `.processingCancelled`.
    ///
    /// Each iteration gets all messages from the first one on, also those sent before it began; several may run at once.
    public struct Outputs: AsyncSequence, Sendable {
        public typealias Element = Output

        let log: OutputLog

        public struct AsyncIterator: AsyncIteratorProtocol {
            let log: OutputLog
            private var index = 0

            init(log: OutputLog) { self.log = log }

            /// Nil at the end, or when the task that waits is cancelled. Doesn't throw: what fails is told by `.requestError`.
            public mutating func next() async throws -> Output? {
                guard let output = await log.output(at: index) else { return nil }
                index += 1
                return output
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(log: log) }
    }
}

/// Messages in order, for any number of readers.
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

    /// The message at `index`, when it is there; nil past the end, or when the task is cancelled.
    func output(at index: Int) async -> PhotogrammetrySession.Output? {
        let ticket = state.withLock { state -> Int in
            state.nextReader += 1
            return state.nextReader
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> PhotogrammetrySession.Output?? in
                    if index < state.outputs.count { return state.outputs[index] }
                    // A task is marked as cancelled before its handler runs: either it is seen here, or the handler finds the reader.
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
