import Synchronization
import Vitrine

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

/// This command as a child process: a crash or the lack of memory ends only the child.
final class CommandProcess: Sendable {
    /// The outcome of a process.
    enum End: Equatable {
        case code(Int32)
        case signal(Int32)
    }

    /// 0 after its end.
    private let identifier: Mutex<pid_t>
    private let output: Int32
    private let errors: Int32

    /// The program of this process.
    private static var program: String {
        #if os(Linux)
            return "/proc/self/exe"
        #else
            return CommandLine.arguments[0]
        #endif
    }

    /// Starts this command with other arguments.
    ///
    /// - Throws: `CommandError` if the process cannot be started.
    init(_ arguments: [String]) throws {
        var ends: [Int32] = [-1, -1]
        var template = Array((FileManager.default.temporaryDirectory.path + "/vitrine-XXXXXX").utf8CString)
        let log = mkstemp(&template)
        guard log >= 0, pipe(&ends) == 0 else { throw Self.failure(errno) }
        unlink(template)
        for descriptor in ends + [log] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, log, 2)
        let words: [UnsafeMutablePointer<CChar>?] = (["vitrine"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var started: pid_t = 0
        let code = posix_spawnp(&started, Self.program, &actions, nil, words, environ)
        close(ends[1])
        identifier = Mutex(started)
        (output, errors) = (ends[0], log)
        guard code == 0 else { throw Self.failure(code) }
    }

    deinit {
        close(output)
        close(errors)
    }

    private static func failure(_ code: Int32) -> CommandError {
        CommandError(file: "vitrine", reason: "cannot start a process: \(String(cString: strerror(code)).lowercased())")
    }

    /// Requests the process to end.
    func stop() { identifier.withLock { if $0 > 0 { kill($0, SIGTERM) } } }

    /// Waits for the end of the process.
    ///
    /// - Parameter line: Called with each line of its standard output.
    func run(_ line: ([UInt8]) -> Void) -> End {
        var rest: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = read(output, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest += chunk[0..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line(Array(rest[..<end]))
                rest.removeFirst(end + 1)
            }
        }
        let child = identifier.withLock { $0 }
        // Keeps the process, so that its identifier is not reused as long as `stop` may use it.
        var end = siginfo_t()
        while waitid(P_PID, id_t(child), &end, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        var status: Int32 = 0
        identifier.withLock {
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            $0 = 0
        }
        return status & 0x7F == 0 ? .code(status >> 8 & 0xFF) : .signal(status & 0x7F)
    }

    /// The last line `error: …` of its standard error, without the word; nil if there is none.
    var errorMessage: String? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 14)
        // The end is enough.
        let size = lseek(errors, 0, SEEK_END)
        lseek(errors, max(0, size - 1 << 16), SEEK_SET)
        while true {
            let count = read(errors, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[0..<count]
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.last { $0.hasPrefix("error: ") }.map { String($0.dropFirst(7)) }
    }
}
