import CProcessor
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs background work, such as reading the next model, on low-priority threads, so that drawing stays smooth: a software GPU draws on the same
/// processors, and task priorities have no effect on Linux.
final class BackgroundExecutor: TaskExecutor {
    static let shared = BackgroundExecutor()

    /// The nice value: about a tenth of a contended processor.
    private static let niceness: Int32 = 10

    private let jobs = Mutex<[UnownedJob]>([])
    private let waiting = DispatchSemaphore(value: 0)

    private init() {
        for _ in 0..<max(2, vitrine_processor_count()) {
            // The executor and its threads live as long as the program.
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
                    // On Linux, this sets the priority of the thread, not of the process.
                    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, BackgroundExecutor.niceness)
                    guard let executor else { return nil }
                    Unmanaged<BackgroundExecutor>.fromOpaque(executor).takeUnretainedValue().work()
                }, executor)
        #endif
    }
}
