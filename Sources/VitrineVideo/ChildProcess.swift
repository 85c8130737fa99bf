import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A child process with pipes.
///
/// Decoders of untrusted files run in a child process, so that a crash is an error.
package final class ChildProcess {
    private let program: String
    private let standardError = ErrorOutput()
    private var identifier: pid_t = 0
    /// The descriptor of the standard input; -1 if it is closed.
    private var input: Int32 = -1
    private var output: Int32 = -1

    /// The timeout of reads in seconds.
    private static let timeout: Int32 = 120

    /// Starts a program as a child process.
    ///
    /// - Parameters:
    ///   - program: The name of a program on the PATH.
    ///   - writes: Whether `write` feeds the standard input; otherwise it is empty.
    ///   - package: The Debian package to suggest if the program is missing.
    package init(_ program: String, _ arguments: [String], writes: Bool = false, package: String) throws(VideoError) {
        self.program = program
        guard let toChild = Self.makePipe() else { throw Self.systemError(program) }
        guard let fromChild = Self.makePipe() else {
            Self.close([toChild.read, toChild.write])
            throw Self.systemError(program)
        }
        guard let errors = Self.makePipe() else {
            Self.close([toChild.read, toChild.write, fromChild.read, fromChild.write])
            throw Self.systemError(program)
        }
        let failure = Self.spawn(
            program, arguments, [toChild.read, fromChild.write, errors.write], readsInput: writes, &identifier)
        Self.close([toChild.read, fromChild.write, errors.write])
        (input, output) = (toChild.write, fromChild.read)
        guard failure == 0 else {
            identifier = 0
            Self.close([errors.read])
            throw failure == ENOENT
                ? VideoError("\(program) is not installed: sudo apt-get install -y \(package)")
                : VideoError("\(program): \(String(cString: strerror(failure)).lowercased())")
        }
        if !writes { closeInput() }
        standardError.collect(from: errors.read)
    }

    deinit { stop() }

    /// Creates a socket pair, because writing to a closed one is an error, while a closed pipe would raise a signal. Other child processes do not
    /// inherit it.
    private static func makePipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        #if os(Linux)
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return nil }
        #else
            guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { return nil }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                var isOn: Int32 = 1
                setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
            }
        #endif
        return (ends[0], ends[1])
    }

    private static func close(_ descriptors: [Int32]) { for descriptor in descriptors { systemClose(descriptor) } }

    private static func systemError(_ program: String) -> VideoError {
        VideoError("\(program): \(String(cString: strerror(errno)).lowercased())")
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ ends: [Int32], readsInput: Bool, _ identifier: inout pid_t
    ) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if readsInput {
            posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[2], 2)
        // In its own process group, so that Ctrl-C reaches only this process.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        let words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        return posix_spawnp(&identifier, program, &actions, &attributes, words, environ)
    }

    // MARK: Input and output

    /// Reads exactly `count` bytes of output; returns nil at its end.
    ///
    /// - Throws: `VideoError` if the output ends early, or after two minutes without output.
    package func read(_ count: Int) throws(VideoError) -> [UInt8]? {
        var failure: VideoError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = Self.wait(for: output) ? systemRead(output, buffer.baseAddress! + filled, count - filled) : -2
                if got > 0 {
                    filled += got
                } else if got == -2 {
                    failure = VideoError("\(program): no output for \(Self.timeout) s")
                    return
                } else if got == 0 || errno != EINTR {
                    return
                }
            }
        }
        if let failure { throw failure }
        if bytes.count == count { return bytes }
        if bytes.isEmpty { return nil }
        throw VideoError("\(program): ended in the middle of a frame\(errorOutput)")
    }

    /// Reads all output.
    ///
    /// - Throws: `VideoError` for more than `limit` bytes, a failed process, or after two minutes without output.
    package func readToEnd(limit: Int) throws(VideoError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            guard Self.wait(for: output) else { throw VideoError("\(program): no output for \(Self.timeout) s") }
            let got = systemRead(output, &chunk, chunk.count)
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            guard bytes.count + got <= limit else { throw VideoError("\(program): the output exceeds \(limit) bytes") }
            bytes += chunk[0..<got]
        }
        try finish()
        return bytes
    }

    private static func wait(for descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var result: Int32
        repeat { result = poll(&entry, 1, timeout * 1000) } while result < 0 && errno == EINTR
        return result != 0
    }

    func write(_ bytes: [UInt8]) throws(VideoError) {
        var done = 0
        while done < bytes.count {
            #if os(Linux)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let wrote = bytes.withUnsafeBytes { send(input, $0.baseAddress! + done, $0.count - done, flags) }
            if wrote >= 0 {
                done += wrote
            } else if errno != EINTR {
                try finish()
                throw VideoError("\(program): ended early\(errorOutput)")
            }
        }
    }

    // MARK: Termination

    func closeInput() {
        guard input >= 0 else { return }
        systemClose(input)
        input = -1
    }

    /// Waits for the process to exit.
    ///
    /// - Throws: `VideoError` with its error output if it failed.
    package func finish() throws(VideoError) {
        closeInput()
        guard identifier > 0 else { return }
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        identifier = 0
        closeOutput()
        if status != 0 { throw VideoError("\(program): failed\(errorOutput)") }
    }

    /// Terminates the process.
    func stop() {
        closeInput()
        closeOutput()
        guard identifier > 0 else { return }
        kill(identifier, SIGKILL)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        identifier = 0
    }

    private func closeOutput() {
        guard output >= 0 else { return }
        systemClose(output)
        output = -1
    }

    private var errorOutput: String {
        let text = standardError.firstLine
        return text.isEmpty ? "" : ": \(text)"
    }
}

/// Collects the first two kilobytes of standard error; reads and drops the rest, so that the process never blocks.
private final class ErrorOutput: Sendable {
    private let text = Mutex<[UInt8]>([])
    private let end = DispatchSemaphore(value: 0)

    func collect(from descriptor: Int32) {
        DispatchQueue.global().async {
            var chunk = [UInt8](repeating: 0, count: 1024)
            while true {
                let got = systemRead(descriptor, &chunk, chunk.count)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { break }
                let new = chunk[0..<got]
                self.text.withLock { if $0.count < 2048 { $0 += new } }
            }
            systemClose(descriptor)
            self.end.signal()
        }
    }

    var firstLine: String {
        // The process is exiting: wait for its remaining output.
        if end.wait(timeout: .now() + 1) == .success { end.signal() }
        let bytes = text.withLock { $0 }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        return String((lines.first ?? "").prefix(300))
    }
}

// The system calls, hidden by methods of the same names.
private func systemRead(_ descriptor: Int32, _ into: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int { read(descriptor, into, count) }
private func systemClose(_ descriptor: Int32) { close(descriptor) }
