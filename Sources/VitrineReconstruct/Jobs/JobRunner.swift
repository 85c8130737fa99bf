import VitrineFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Runs tasks of a job. Several processes, on several machines, may run tasks of one job at the same time.
///
/// A task keeps its results in the folder `results`, each file whole or not at all. If it is killed, the next run of the task continues from
/// them. Two processes may even run the same task: both write the same bytes.
package struct JobRunner: Sendable {
    private let plan: JobPlan
    private let folder: JobFolder
    private let configuration: PhotogrammetrySession.Configuration
    private let requests: [PhotogrammetrySession.Request]

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the whole reconstruction; the checkpoint folder is that of the job.
    ///   - requests: The requests of the whole reconstruction.
    package init(
        _ plan: JobPlan, in folder: JobFolder, configuration: PhotogrammetrySession.Configuration,
        requests: [PhotogrammetrySession.Request]
    ) {
        (self.plan, self.folder, self.configuration, self.requests) = (plan, folder, configuration, requests)
    }

    /// Runs a task on the calling thread, except `write`, which is an ordinary session with the job's checkpoint.
    ///
    /// - Throws: `MissingArtifact` if a task before it is not done, `CancellationError`, and the errors of stages.
    package func run(_ task: JobTask, isCancelled: @escaping @Sendable () -> Bool = { false }) throws {
        var configuration = configuration
        configuration.checkpointDirectory = folder.results
        var job = ReconstructionJob(
            input: .folder(folder.photos), configuration: configuration, requests: requests,
            cancellation: CancellationFlag(or: isCancelled), emit: { _ in }, summarize: { _ in })
        job.scope = TaskScope(task.kind, root: folder.url, photoBlocks: plan.photoBlocks)
        try ReconstructionPipeline(job).run(task, of: plan)
    }
}
