#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes bytes to a file descriptor with `write(2)`. Never throws or traps: returns the error number instead.
enum DescriptorWriter {
    /// Writes all of `text` as UTF-8.
    ///
    /// Retries after signals. Where the descriptor is non-blocking and full, waits until it accepts bytes again.
    ///
    /// - Parameter patience: Milliseconds to wait for a full non-blocking descriptor; −1 waits without limit.
    /// - Returns: 0, or the `errno` of the write that failed. The rest of the text is lost.
    static func write(_ text: String, to descriptor: Int32, patience: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor, patience: patience) }
    }

    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, patience: Int32) -> Int32 {
        guard let start = bytes.baseAddress else { return 0 }
        var done = 0
        while done < bytes.count {
            let count = systemWrite(descriptor, start + done, bytes.count - done)
            if count >= 0 {
                done += count
                continue
            }
            let code = errno
            switch code {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: guard waitUntilWritable(descriptor, patience) else { return code }
            default: return code
            }
        }
        return 0
    }

    private static func waitUntilWritable(_ descriptor: Int32, _ patience: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let ready = poll(&request, 1, patience)
            if ready < 0, errno == EINTR { continue }
            return ready > 0
        }
    }
}

/// The system's `write`, which `DescriptorWriter.write` hides.
private func systemWrite(_ descriptor: Int32, _ from: UnsafeRawPointer, _ count: Int) -> Int { write(descriptor, from, count) }
