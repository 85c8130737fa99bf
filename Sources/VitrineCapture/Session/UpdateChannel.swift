/// Delivers the changes of a value to any number of asynchronous sequences.
@MainActor final class UpdateChannel<Value: Equatable & Sendable> {
    private var value: Value
    private var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
    private var last = 0
    private var isFinished = false

    init(_ value: Value) { self.value = value }

    /// The present value, then each new one.
    func updates() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        continuation.yield(value)
        guard !isFinished else {
            continuation.finish()
            return stream
        }
        last += 1
        let key = last
        continuations[key] = continuation
        continuation.onTermination = { [weak self] _ in Task { @MainActor in self?.continuations[key] = nil } }
        return stream
    }

    /// Sends a value if it differs from the last one.
    func send(_ new: Value) {
        guard new != value, !isFinished else { return }
        value = new
        for key in continuations.keys.sorted() { continuations[key]?.yield(new) }
    }

    /// Ends all sequences.
    func finish() {
        isFinished = true
        for key in continuations.keys.sorted() { continuations[key]?.finish() }
        continuations = [:]
    }
}
