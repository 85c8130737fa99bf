import Vitrine
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The output of `vitrine job status`: the tasks that are done, ready and waiting.
struct JobStatus: Encodable {
    enum State: String, Encodable {
        case done
        /// The task can run: all tasks that it needs are done.
        case ready
        case waiting
    }

    struct Task: Encodable {
        let name: String
        let state: State
        /// Measured if it is done, otherwise estimated.
        let seconds: Double
    }

    let done, ready, waiting: Int
    /// The estimated seconds of the tasks that are not done, one after the other, at the pace of those that are.
    let secondsLeft: Double
    let tasks: [Task]
    private let kinds: [(kind: JobTask.Kind, done: Int, all: Int)]

    private enum CodingKeys: String, CodingKey {
        case done, ready, waiting, secondsLeft, tasks
    }

    init(_ job: LoadedJob) {
        let finished = Set(job.plan.tasks.map(\.name).filter { job.isDone($0) })
        var (planned, taken, left) = (0.0, 0.0, 0.0)
        var tasks: [Task] = []
        for task in job.plan.tasks {
            if finished.contains(task.name) {
                let seconds = job.marker(task.name)?.seconds ?? task.seconds
                (planned, taken) = (planned + task.seconds, taken + seconds)
                tasks.append(Task(name: task.name, state: .done, seconds: seconds))
            } else {
                left += task.seconds
                let isReady = task.needs.allSatisfy { finished.contains($0) }
                tasks.append(Task(name: task.name, state: isReady ? .ready : .waiting, seconds: task.seconds))
            }
        }
        self.tasks = tasks
        done = finished.count
        ready = tasks.count { $0.state == .ready }
        waiting = tasks.count { $0.state == .waiting }
        // Two seconds of the plan are the prior before anything was measured.
        secondsLeft = (left * (taken + 2) / (planned + 2) * 10).rounded() / 10
        kinds = JobTask.Kind.allCases.compactMap { kind in
            let own = job.plan.tasks.filter { $0.kind == kind }
            return own.isEmpty ? nil : (kind, own.count { finished.contains($0.name) }, own.count)
        }
    }

    func print(_ settings: JobStatusSettings) throws {
        if settings.isJSON { return try JSONReport.print(self) }
        let names = tasks.filter { $0.state == .ready }.map(\.name)
        if settings.listsReady {
            for name in names { VitrineCLI.print(name) }
            return
        }
        for (kind, done, all) in kinds { VitrineCLI.print(kind.rawValue.padded(to: 13) + "\(done) of \(all) done") }
        guard waiting + ready > 0 else { return VitrineCLI.print("all \(done) tasks are done") }
        let list = names.prefix(8).joined(separator: " ") + (names.count > 8 ? " …" : "")
        VitrineCLI.print("ready: \(list)")
        VitrineCLI.print("about \(ProgressLine.duration(secondsLeft)) left, one task after the other")
    }
}
