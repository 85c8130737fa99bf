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

    /// The costs have the proportions of measured runs: docs/measurements/photos.md (`preview`; the middle of the photos) and scale.md.
    @Test(arguments: [
        // photos, size, features, searched part (of the first two estimated), seconds of features, matching, cameras, depth, points, surface, texture
        (36, 960, 720, 6_800.0, 0.7, [5.7, 20.8, 9.2, 53.2, 4.6, 2.4, 7.8]),
        (47, 640, 480, 1_900, 0.55, [2.0, 13.8, 2.6, 38.7, 4.3, 3.3, 5.4]),
        (100, 640, 480, 7_600, 1, [12.6, 38, 30.9, 217.9, 25, 24.6, 4.7]), (1_000, 640, 480, 2_000, 1, [61.5, 221.6, 123.9]),
        (300, 640, 480, 7_600, 1, [32.8, 115.8, 118.6]), (1_020, 640, 480, 1_400, 1, [50.8, 180.8, 100.3]),
    ])
    func costsFollowTheMeasurements(
        photos: Int, width: Int, height: Int, features: Double, fraction: Double, seconds: [Double]
    ) throws {
        let costs = CostModel(
            sizes: Array(repeating: PhotoSize(width: width, height: height), count: photos), featureDimension: 2_400, depthDimension: 640,
            depthFraction: fraction, threads: 1, features: features)
        let limits = DetailLimits.limits(of: .preview, custom: .init())
        let planned = [costs.detection, costs.matching, costs.mapping, costs.depth, costs.fusion, costs.surface, costs.texture(limits)]
        // The whole time as it is estimated when the features are known.
        let estimate = planned.prefix(seconds.count).reduce(0, +) * seconds[0] / planned[0]
        #expect(abs(estimate / seconds.reduce(0, +) - 1) < 0.2, "\(estimate) instead of \(seconds.reduce(0, +))")
    }
}
