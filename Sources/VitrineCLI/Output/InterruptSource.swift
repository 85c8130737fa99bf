import Foundation
import Synchronization

/// Calls a closure when the process receives `SIGINT` (Ctrl-C), `SIGTERM`, or `SIGHUP` (its terminal closed; unless ignored, as under
/// `nohup`). A second signal of the same kind ends the process immediately.
final class InterruptSource {
    private let sources: [(signal: Int32, source: any DispatchSourceSignal)]

    init(_ body: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            let previous = signal(number, SIG_IGN)
            if number == SIGHUP, previous.isIgnoring { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                body()
                signal(number, SIG_DFL)
            }
            source.resume()
            return (number, source)
        }
    }

    func cancel() {
        for (number, source) in sources {
            source.cancel()
            signal(number, SIG_DFL)
        }
    }
}

extension Optional where Wrapped == @convention(c) (Int32) -> Void {
    /// Whether this is `SIG_IGN`.
    fileprivate var isIgnoring: Bool { unsafeBitCast(self, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) }
}

/// A flag that one thread sets and another reads.
final class StopFlag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
