import Testing

@testable import VitrineReconstruct

@Suite struct ProgressTests {
    private static let plan = WorkPlan(items: [
        .init(step: .intake, cost: 10, requests: [0, 1]), .init(step: .depth, cost: 70, requests: [1]),
        .init(step: .fusion, cost: 20, requests: [1]),
    ])

    @Test func fractionsIncreaseToOne() {
        var estimate = ProgressEstimate(plan: Self.plan)
        var shown: [Double] = []
        for step in Self.plan.items {
            for tenth in 0...10 {
                estimate.update(step.step, fraction: Double(tenth) / 10, elapsed: 1)
                shown.append(estimate.fraction(of: 1))
            }
            // A decreasing fraction of a step is ignored.
            estimate.update(step.step, fraction: 0.3, elapsed: 1)
            shown.append(estimate.fraction(of: 1))
            estimate.finish(step.step, seconds: 2, wasRestored: false)
        }
        #expect(shown == shown.sorted())
        #expect(shown.first == 0)
        #expect(estimate.fraction(of: 1) == 1)
        #expect(estimate.remainingTime(of: 1) == 0)
    }

    @Test func remainingTimeFollowsTheMeasuredPace() {
        var estimate = ProgressEstimate(plan: Self.plan)
        // Takes three times as long as planned.
        estimate.finish(.intake, seconds: 30, wasRestored: false)
        let left = estimate.remainingTime(of: 1)
        #expect(left > 200 && left < 290)
        estimate.update(.depth, fraction: 0.5, elapsed: 105)
        let half = estimate.remainingTime(of: 1)
        #expect(half > 140 && half < 185)
    }

    @Test func requestIgnoresLaterSteps() {
        var estimate = ProgressEstimate(plan: Self.plan)
        estimate.finish(.intake, seconds: 10, wasRestored: false)
        #expect(estimate.fraction(of: 0) == 1)
        #expect(estimate.remainingTime(of: 0) == 0)
        #expect(estimate.fraction(of: 1) < 0.2)
    }

    @Test func restoredStepsDoNotChangeThePace() {
        var estimate = ProgressEstimate(plan: Self.plan)
        estimate.finish(.intake, seconds: 0.01, wasRestored: true)
        #expect(estimate.remainingTime(of: 1) == 90)
    }

    @Test func replanKeepsFinishedSteps() {
        var estimate = ProgressEstimate(plan: Self.plan)
        estimate.finish(.intake, seconds: 10, wasRestored: false)
        let before = estimate.fraction(of: 1)
        estimate.replan(
            WorkPlan(items: [
                .init(step: .intake, cost: 10, requests: [0, 1]), .init(step: .depth, cost: 700, requests: [1]),
                .init(step: .fusion, cost: 20, requests: [1]),
            ]))
        #expect(estimate.fraction(of: 1) == before)
        #expect(estimate.remainingTime(of: 1) > 700)
    }
}
