/// Estimates each request's progress and remaining time, from a plan and the elapsed time.
///
/// The ratio of actual to planned time of finished steps is the machine's pace; the weight of the current step's pace increases with its progress.
struct ProgressEstimate {
    private var plan: WorkPlan
    /// Seconds that finished steps took, by the plan's index; nil: not finished.
    private var taken: [Double?]
    private var current: (index: Int, fraction: Double, elapsed: Double)?
    private var shown: [Int: Double] = [:]

    init(plan: WorkPlan) {
        self.plan = plan
        taken = Array(repeating: nil, count: plan.items.count)
    }

    /// Replaces the plan by one with the same steps and better estimates of their costs.
    mutating func replan(_ plan: WorkPlan) {
        var carried: [WorkPlan.Step: Double] = [:]
        for (item, time) in zip(self.plan.items, taken) { carried[item.step] = time }
        let step = current.map { self.plan.items[$0.index].step }
        self.plan = plan
        taken = plan.items.map { carried[$0.step] }
        current = current.flatMap { now in plan.items.firstIndex { $0.step == step }.map { ($0, now.fraction, now.elapsed) } }
    }

    mutating func update(_ step: WorkPlan.Step, fraction: Double, elapsed: Double) {
        guard let index = plan.items.firstIndex(where: { $0.step == step }) else { return }
        current = (index, min(1, max(0, fraction)), elapsed)
    }

    /// Marks a step as finished.
    ///
    /// - Parameter wasRestored: Whether the output came from a checkpoint: its time is not used for the pace.
    mutating func finish(_ step: WorkPlan.Step, seconds: Double, wasRestored: Bool) {
        guard let index = plan.items.firstIndex(where: { $0.step == step }) else { return }
        taken[index] = wasRestored ? -1 : seconds
        current = nil
    }

    /// The actual seconds per second of the plan.
    private var pace: Double {
        var (real, planned) = (0.0, 0.0)
        for (item, time) in zip(plan.items, taken) {
            guard let time, time >= 0 else { continue }
            real += time
            planned += item.cost
        }
        if let current {
            real += trust * current.elapsed
            planned += trust * plan.items[current.index].cost * current.fraction
        }
        // Two seconds of the plan are the prior before anything was measured.
        return (real + 2) / (planned + 2)
    }

    /// The weight of the current step's own rate, 0…1: the first parts of a step often take longer, for example to decode photos that later parts share.
    private var trust: Double {
        guard let current, current.fraction > 0.02 else { return 0 }
        return min(1, current.fraction * 4)
    }

    private func remaining(_ index: Int, pace: Double) -> Double {
        if taken[index] != nil { return 0 }
        let planned = plan.items[index].cost * pace
        guard let current, current.index == index else { return planned }
        let left = 1 - current.fraction
        guard trust > 0 else { return planned * left }
        let own = current.elapsed / current.fraction * left
        return own * trust + planned * left * (1 - trust)
    }

    /// Seconds until the request is complete.
    func remainingTime(of request: Int) -> Double {
        let pace = pace
        guard let last = plan.items.lastIndex(where: { $0.requests.contains(request) }) else { return 0 }
        return (0...last).reduce(0) { $0 + remaining($1, pace: pace) }
    }

    /// The progress, 0…1; never decreases from call to call.
    mutating func fraction(of request: Int) -> Double {
        guard let last = plan.items.lastIndex(where: { $0.requests.contains(request) }) else { return 1 }
        var (done, total) = (0.0, 0.0)
        for index in 0...last {
            let cost = plan.items[index].cost
            total += cost
            if taken[index] != nil {
                done += cost
            } else if let current, current.index == index {
                done += cost * current.fraction
            }
        }
        let value = max(shown[request] ?? 0, total > 0 ? done / total : 1)
        shown[request] = value
        return value
    }

    var stage: PhotogrammetrySession.Output.ProcessingStage? { current.map { plan.items[$0.index].step.stage } }
}
