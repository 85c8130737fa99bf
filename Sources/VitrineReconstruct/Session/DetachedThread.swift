#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A thread of its own for long work, which would block the few threads that tasks share.
enum DetachedThread {
    private final class Job: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body` and ends. Without memory for a thread, runs it here.
    ///
    /// - Parameter stackSize: Bytes of address space; only touched pages take memory.
    static func start(stackSize: Int, _ body: @escaping @Sendable () -> Void) {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return body() }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let job = Unmanaged.passRetained(Job(body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let status = pthread_create(
                &thread, &attributes,
                { argument in
                    Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
                    return nil
                }, job.toOpaque())
        #else
            var thread = pthread_t()
            let status = pthread_create(
                &thread, &attributes,
                { argument in
                    if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body() }
                    return nil
                }, job.toOpaque())
        #endif
        if status != 0 { job.takeRetainedValue().body() }
    }
}
