import Vitrine
import VitrineFiles
import VitrineReconstruct

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

/// Runs one task for `vitrine job run`.
@MainActor
struct JobTaskRun {
    private let job: LoadedJob
    private let task: JobTask

    init(_ job: LoadedJob, task name: String) throws {
        guard let task = job.plan.tasks.first(where: { $0.name == name }) else {
            let nearest = nearestName(to: name, in: job.plan.tasks.map(\.name))
            throw CommandError(
                file: job.folder.url.relativePath,
                reason: "has no task '\(name)'" + (nearest.map { ": did you mean '\($0)'?" } ?? ": 'vitrine job status' lists them"))
        }
        (self.job, self.task) = (job, task)
    }

    func run() async throws {
        let missing = task.needs.filter { !job.isDone($0) }
        guard missing.isEmpty else {
            let names = missing.prefix(3).joined(separator: ", ") + (missing.count > 3 ? " …" : "")
            throw CommandError(file: task.name, reason: "needs \(missing.count) tasks that are not done: \(names)")
        }
        let begin = ContinuousClock.now
        if task.kind == .write {
            try await ReconstructRun(photos: job.folder.photos, settings: job.settings).run()
        } else {
            try compute()
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let marker = LoadedJob.Marker(
            task: task.name, seconds: (seconds * 100).rounded() / 100, peakMemoryMb: ProcessMemory.peak.map { $0 / 1_000_000 },
            host: Self.host)
        try AtomicFile.write(Array(try JSONReport.data(marker)), to: job.folder.marker(task.name))
        print("\(task.name)  done in \(ProgressLine.duration(seconds))")
    }

    private func compute() throws {
        let stop = StopFlag()
        let interrupt = InterruptSource { stop.set() }
        defer { interrupt.cancel() }
        let runner = JobRunner(job.plan, in: job.folder, configuration: job.settings.configuration, requests: job.settings.requests)
        do {
            try runner.run(task, isCancelled: { stop.isSet })
        } catch is CancellationError {
            throw CommandError(file: task.name, reason: "stopped: run the task again")
        } catch {
            throw CommandError(file: task.name, reason: describe(error))
        }
    }

    private static var host: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
