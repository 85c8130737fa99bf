import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Calls a closure when the process receives `SIGINT` (Ctrl-C), `SIGTERM`, or `SIGHUP` (its terminal closed; unless ignored, as under
/// `nohup`). A second signal of the same kind ends the process immediately. There is at most one at a time.
///
/// The signal handler writes into a pipe that a queue reads. Dispatch's own signal sources lose a signal that a thread other than the
/// manager's receives first (on Linux they raise it again for that thread alone).
final class InterruptSource {
    private let signals: [Int32]
    private let source: any DispatchSourceRead

    init(_ body: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        source = DispatchSource.makeReadSource(fileDescriptor: readEnd, queue: DispatchQueue(label: "interrupt"))
        source.setEventHandler {
            var byte: UInt8 = 0
            while read(readEnd, &byte, 1) == 1 {}
            body()
        }
        source.setCancelHandler {
            close(readEnd)
            close(writeEnd)
        }
        source.resume()
        interruptPipe = writeEnd
        signals = [SIGINT, SIGTERM, SIGHUP].filter { number in
            var action = sigaction()
            // The first signal restores the default: the second one ends the process.
            action.sa_flags = SA_RESTART | Int32(bitPattern: UInt32(SA_RESETHAND))
            action.__sigaction_handler.sa_handler = { _ in
                let saved = errno
                var byte: UInt8 = 1
                _ = write(interruptPipe, &byte, 1)
                errno = saved
            }
            var previous = sigaction()
            sigaction(number, nil, &previous)
            if number == SIGHUP, previous.isIgnored { return false }
            sigaction(number, &action, nil)
            return true
        }
    }

    func cancel() {
        for number in signals { signal(number, SIG_DFL) }
        source.cancel()
    }
}

/// The write end of the current interrupt source's pipe. A constant initial value: the handler must not run an initializer.
private nonisolated(unsafe) var interruptPipe: Int32 = -1

extension sigaction {
    fileprivate var isIgnored: Bool { unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) }
}

/// A flag that one thread sets and another reads.
final class StopFlag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
