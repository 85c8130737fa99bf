import Foundation
import Synchronization

/// Calls back when the process is asked to end: by Ctrl-C, by `SIGTERM`, or because its terminal closed (`SIGHUP`, unless it is ignored, as
/// under `nohup`). A second signal of the same kind ends the process at once.
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

/// Set from one thread, read from another.
final class StopFlag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
