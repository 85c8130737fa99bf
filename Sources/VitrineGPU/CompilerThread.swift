#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A thread with a large stack of fixed size for the shader compiler: naga recurses over the source, and the caller's stack may be small
/// (512 KiB in worker threads). Within `WGSLLimits`, no shader overflows this stack.
enum CompilerThread {
    /// The size of the stack in bytes of address space; the system allocates only the pages that are used.
    static let stackSize = 64 << 20

    /// Runs `body` on the thread and waits for it. On platforms without threads, runs it on the calling thread.
    ///
    /// - Returns: nil if the thread cannot be started.
    static func run<Result>(_ body: () -> Result) -> Result? {
        #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
            var result: Result?
            let store = { result = body() }
            // The thread is joined before `store` ends, so that nothing is shared.
            let isDone = withoutActuallyEscaping(store) { start(Job($0)) }
            return isDone ? result : nil
        #else
            return body()
        #endif
    }

    #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
        private final class Job {
            let body: () -> Void
            init(_ body: @escaping () -> Void) { self.body = body }
        }

        private static func start(_ job: Job) -> Bool {
            var attributes = pthread_attr_t()
            guard pthread_attr_init(&attributes) == 0 else { return false }
            defer { pthread_attr_destroy(&attributes) }
            guard pthread_attr_setstacksize(&attributes, stackSize) == 0 else { return false }
            let argument = Unmanaged.passUnretained(job).toOpaque()
            return withExtendedLifetime(job) {
                #if canImport(Darwin)
                    var thread: pthread_t?
                    let status = pthread_create(
                        &thread, &attributes,
                        { argument in
                            Unmanaged<Job>.fromOpaque(argument).takeUnretainedValue().body()
                            return nil
                        }, argument)
                    guard status == 0, let thread else { return false }
                #else
                    var thread = pthread_t()
                    let status = pthread_create(
                        &thread, &attributes,
                        { argument in
                            if let argument { Unmanaged<Job>.fromOpaque(argument).takeUnretainedValue().body() }
                            return nil
                        }, argument)
                    guard status == 0 else { return false }
                #endif
                return pthread_join(thread, nil) == 0
            }
        }
    #endif
}
