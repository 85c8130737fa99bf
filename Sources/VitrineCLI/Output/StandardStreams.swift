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

/// Standard input, output and error of the command.
enum StandardStreams {
    /// Fills closed descriptors 0 to 2 with `/dev/null`: the next opened file would have the number of a closed one, and messages would be written
    /// into that file. Input is opened for writing and output for reading, so that using them is still an error.
    ///
    /// Call it before the command opens any file.
    static func fillClosedDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            let filler = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY)
            // The lowest free descriptor is used first, and all lower ones are open here.
            if filler >= 0, filler != descriptor {
                _ = dup2(filler, descriptor)
                close(filler)
            }
        }
    }
}

/// The stream of diagnostics: errors, warnings, progress. Write failures are ignored, so that a lost message does not end the work.
enum StandardError {
    /// Whether standard error is a terminal, where progress overwrites its own line.
    static let isTerminal = isatty(STDERR_FILENO) == 1

    static func write(_ text: String) { _ = DescriptorWriter.write(text, to: STDERR_FILENO, patience: 1000) }
}

/// The stream of results. After a failed write the command continues and ends with exit code 1 (`finish`).
///
/// A closed pipe, as after `| head -1`, is not a failure: the rest of the output is discarded.
enum StandardOutput {
    /// The `errno` of the first failure; 0 if there is none.
    private static let failure = Mutex<Int32>(0)

    static func write(_ text: String) {
        failure.withLock { failure in
            guard failure == 0 else { return }
            failure = DescriptorWriter.write(text, to: STDOUT_FILENO, patience: -1)
        }
    }

    static func write(_ bytes: [UInt8]) {
        failure.withLock { failure in
            guard failure == 0 else { return }
            failure = bytes.withUnsafeBytes { DescriptorWriter.write($0, to: STDOUT_FILENO, patience: -1) }
        }
    }

    /// The exit code of a command that ends with `code`: 1 instead of 0 if results were lost, with a message.
    static func finish(_ code: Int32) -> Int32 {
        let failure = failure.withLock { $0 }
        guard code == 0, failure != 0, failure != EPIPE else { return code }
        printError("error: standard output: \(String(cString: strerror(failure)).lowercased()): the results were not printed")
        return 1
    }
}

func printError(_ text: String) { StandardError.write(text + "\n") }

/// Prints results. Replaces the standard library's `print` in this module, which ignores failures.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    StandardOutput.write(items.map { String(describing: $0) }.joined(separator: separator) + terminator)
}
