import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sleeps until the window system sends an event, `wake()` is called, or a time limit is reached, without blocking the main actor.
///
/// A helper thread waits in `poll` on the connection to the window system; SDL itself is only called on the main actor. A window system
/// without a connection to wait for is polled 60 times per second.
final class EventWaiter: Sendable {
    private let queue = DispatchQueue(label: "vitrine.window.wait")
    /// The ends of a pipe: a byte written to it wakes the thread.
    private let reading, writing: Int32
    private let connection: Int32?
    private static let pollingInterval = 1.0 / 60

    init(connection: Int32?) throws(WindowError) {
        self.connection = connection
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw WindowError("wait for events", reason: String(cString: strerror(errno))) }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Waits for an event.
    ///
    /// - Parameter timeout: The time limit in seconds; nil for no limit.
    func wait(timeout: Double?) async {
        let limit = connection == nil ? min(timeout ?? Self.pollingInterval, Self.pollingInterval) : timeout
        let milliseconds = limit.map { Int32(max(0, min($0 * 1000, 1e9).rounded(.up))) } ?? -1
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async {
                self.block(milliseconds: milliseconds)
                continuation.resume()
            }
        }
    }

    private func block(milliseconds: Int32) {
        // poll ignores negative descriptors.
        var descriptors = [
            pollfd(fd: connection ?? -1, events: Int16(POLLIN), revents: 0), pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&descriptors, 2, milliseconds)
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(reading, &bytes, bytes.count) == bytes.count {}
    }

    /// Ends the current wait, or the next one.
    func wake() {
        var byte: UInt8 = 1
        // A full pipe wakes the thread, too.
        _ = write(writing, &byte, 1)
    }
}
