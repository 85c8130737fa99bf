import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs what is done beside a picture that moves, such as reading the next model, on threads of its own that give way to those that draw:
/// a software GPU wants the same processors, and a task's priority alone holds nothing back on Linux.
final class BackgroundExecutor: TaskExecutor {
    static let shared = BackgroundExecutor()

    /// Steps below the usual: where others want a processor, about a tenth of it is left.
    private static let niceness: Int32 = 10

    private let jobs = Mutex<[UnownedJob]>([])
    private let waiting = DispatchSemaphore(value: 0)

    private init() {
        for _ in 0..<max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))) {
            // It lives as long as the program, and so do its threads.
            Self.startThread(Unmanaged.passRetained(self).toOpaque())
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        waiting.signal()
    }

    private func work() -> Never {
        while true {
            waiting.wait()
            guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private static func startThread(_ executor: UnsafeMutableRawPointer) {
        #if canImport(Darwin)
            var thread: pthread_t?
            pthread_create(&thread, nil, { Unmanaged<BackgroundExecutor>.fromOpaque($0).takeUnretainedValue().work() }, executor)
        #else
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { executor in
                    // On Linux the thread's own, not the process's.
                    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, BackgroundExecutor.niceness)
                    guard let executor else { return nil }
                    Unmanaged<BackgroundExecutor>.fromOpaque(executor).takeUnretainedValue().work()
                }, executor)
        #endif
    }
}
