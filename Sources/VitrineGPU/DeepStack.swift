#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Room for the compilers of drivers: they recurse as deep as a shader is, and tasks run on threads with half a megabyte of stack. Mesa's
/// ends the process there on a shader that it compiles on a main thread. Elsewhere than on Linux nothing is known to need it.
enum DeepStack {
    /// Bytes: a main thread's, twice.
    private static let size = 16 << 20

    /// Calls `body` on a thread of its own with a deep stack, and waits for it.
    static func run(_ body: () -> Void) {
        #if canImport(Glibc) || canImport(Musl)
            let hasRun = withoutActuallyEscaping(body) { body in
                var work = DeepWork(body: body)
                return withUnsafeMutablePointer(to: &work) { runOnThread(UnsafeMutableRawPointer($0)) }
            }
            if hasRun { return }
        #endif
        body()
    }

    #if canImport(Glibc) || canImport(Musl)
        /// Whether there was a thread to be had; it has done the work then.
        private static func runOnThread(_ work: UnsafeMutableRawPointer) -> Bool {
            var attributes = pthread_attr_t()
            guard pthread_attr_init(&attributes) == 0 else { return false }
            defer { pthread_attr_destroy(&attributes) }
            var thread = pthread_t()
            guard pthread_attr_setstacksize(&attributes, size) == 0, pthread_create(&thread, &attributes, doWork, work) == 0 else {
                return false
            }
            pthread_join(thread, nil)
            return true
        }
    #endif
}

#if canImport(Glibc) || canImport(Musl)
    private struct DeepWork {
        let body: () -> Void
    }

    private func doWork(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        work?.assumingMemoryBound(to: DeepWork.self).pointee.body()
        return nil
    }
#endif
