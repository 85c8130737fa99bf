import Synchronization

/// Counts from several threads.
final class Counter: Sendable {
    private let value = Atomic(0)

    /// 1, 2, 3 …
    func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// Requests cancellation, from any thread.
final class CancellationFlag: Sendable {
    private let value = Atomic(false)
    private let other: @Sendable () -> Bool

    /// Creates a flag that is not raised.
    ///
    /// - Parameter other: Raises the flag too, when it returns true.
    init(or other: @escaping @Sendable () -> Bool = { false }) { self.other = other }

    var isRaised: Bool { value.load(ordering: .relaxed) || other() }
    func raise() { value.store(true, ordering: .relaxed) }
    /// Throws if the flag is raised.
    func check() throws(CancellationError) { if isRaised { throw CancellationError() } }
}
