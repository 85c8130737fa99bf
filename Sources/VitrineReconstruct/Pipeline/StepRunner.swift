import VitrineFiles
import VitrineVision

/// Runs the steps of a job: measures their time and memory, and reports their progress.
final class StepRunner {
    let resources: StageResources
    let parallel: Parallel

    private let cancellation: CancellationFlag
    private let tracker: StepTracker
    private let record: RunRecord

    init(resources: StageResources, parallel: Parallel, cancellation: CancellationFlag, tracker: StepTracker, record: RunRecord) {
        (self.resources, self.parallel, self.cancellation) = (resources, parallel, cancellation)
        (self.tracker, self.record) = (tracker, record)
    }

    /// Replaces the plan by one with the same steps and better estimates of their costs.
    func replan(_ plan: WorkPlan) { tracker.replan(plan) }

    /// Runs `body` as a step.
    ///
    /// - Parameters:
    ///   - name: The name in the report; nil uses the step's name.
    ///   - body: Sets its second argument if a part of the output came from the checkpoint.
    func step<Result>(
        _ step: WorkPlan.Step, name: String? = nil, _ body: (_ context: StageContext, _ wasRestored: inout Bool) throws -> Result
    ) throws -> Result {
        try cancellation.check()
        ProcessMemory.releaseUnused()
        ProcessMemory.resetPeak()
        tracker.begin(step)
        let (tracker, cancellation, record) = (tracker, cancellation, record)
        let context = StageContext(
            parallel: parallel, progress: { tracker.progress(step, $0) }, isCancelled: { cancellation.isRaised },
            warn: { record.warn($0) })
        var wasRestored = false
        let result = try body(context, &wasRestored)
        let seconds = tracker.finish(step, wasRestored: wasRestored)
        record.update {
            $0.steps.append(
                .init(
                    name: name ?? step.name, stage: step.stage, seconds: seconds, peakMemory: ProcessMemory.peak, wasRestored: wasRestored))
        }
        record.publish()
        try cancellation.check()
        return result
    }

    /// Runs one stage as a step.
    func run<S: Stage>(_ stage: S.Type, _ input: S.Input, as step: WorkPlan.Step, name: String? = nil) throws -> S.Output {
        try self.step(step, name: name) { context, wasRestored in
            let output = try resources.output(of: stage, input, in: context)
            wasRestored = output.wasRestored
            return output.value
        }
    }
}
