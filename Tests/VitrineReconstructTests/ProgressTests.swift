import Foundation
import Testing
import VitrineVision

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

    /// A step that takes much longer than its cost corrects the estimate by its own rate.
    @Test(arguments: [0.5, 2, 4]) func aStepCorrectsItsOwnEstimate(_ factor: Double) {
        var estimate = ProgressEstimate(plan: Self.plan)
        estimate.finish(.intake, seconds: 10, wasRestored: false)
        let depth = 70 * factor
        for part in [0.25, 0.5, 0.75] {
            estimate.update(.depth, fraction: part, elapsed: part * depth)
            let left = estimate.remainingTime(of: 1)
            // The rest is the step itself and a third of its cost at a pace between the two steps'.
            #expect(abs(left - depth * (1 - part) - 20 * factor) < 0.2 * (10 + depth + 20 * factor), "\(part): \(left)")
        }
    }

    /// The first parts of a step that take four times as long as the others do not change the estimate of all later steps much.
    @Test func aSlowStartOfAStepHasLittleWeight() {
        var estimate = ProgressEstimate(plan: Self.plan)
        estimate.finish(.intake, seconds: 10, wasRestored: false)
        estimate.update(.depth, fraction: 0.05, elapsed: 14)
        let left = estimate.remainingTime(of: 1)
        #expect(left > 86 && left < 86 * 1.8, "\(left)")
    }

    /// A measured run: docs/measurements/scale.md.
    struct MeasuredRun: Sendable, CustomTestStringConvertible {
        let name: String
        let photos: Int
        /// The number of further photos, which are not registered.
        var strangers = 0
        let size: PhotoSize
        /// The mean number of features of a photo.
        let features: Double
        /// The fraction of the pixels in the masks, and in the object's box; nil: the whole scene.
        var masked = 1.0
        var box: Double?
        /// nil: cameras only.
        var detail: PhotogrammetrySession.Request.Detail?
        /// The largest error of an estimate after the first tenth.
        var largestError = 0.2
        /// Processor seconds of intake, features, matching, cameras, placement, depth, points, surface, texture and writing, as far as there are some.
        let seconds: [Double]

        var testDescription: String { name }

        static let all: [MeasuredRun] = [
            MeasuredRun(
                name: "temple, preview", photos: 47, size: PhotoSize(width: 640, height: 480), features: 1_660, masked: 0.33, box: 0.69,
                detail: .preview, seconds: [0.5, 2.3, 12.9, 2.4, 0.1, 33.2, 1.9, 3.2, 3.8, 0.1]),
            MeasuredRun(
                name: "temple, reduced", photos: 47, size: PhotoSize(width: 640, height: 480), features: 1_660, masked: 0.33, box: 0.69,
                detail: .reduced, seconds: [0.5, 2.3, 13, 2.3, 0.1, 36.2, 2.1, 3.9, 6.6, 0.2]),
            MeasuredRun(
                name: "bust, preview", photos: 36, size: PhotoSize(width: 960, height: 720), features: 6_790, box: 0.56, detail: .preview,
                seconds: [0.4, 4.3, 15.5, 5.6, 0.2, 42.8, 2.4, 1.8, 3.3, 0.1]),
            MeasuredRun(
                name: "bust, reduced", photos: 36, size: PhotoSize(width: 960, height: 720), features: 6_790, box: 0.56, detail: .reduced,
                seconds: [0.4, 4.4, 16.2, 6.1, 0.2, 102.7, 5.5, 4.3, 5.5, 0.2]),
            MeasuredRun(
                name: "bust, full", photos: 36, size: PhotoSize(width: 960, height: 720), features: 6_790, box: 0.56, detail: .full,
                seconds: [0.4, 4.4, 16.2, 6.4, 0.2, 105.6, 5.1, 6.1, 44.5, 5.1]),
            MeasuredRun(
                name: "36 of a scene, preview", photos: 36, size: PhotoSize(width: 640, height: 480), features: 7_590, detail: .preview,
                seconds: [0.4, 3.2, 12, 6.5, 0.2, 61, 4.8, 4.8, 2.8, 0.1]),
            MeasuredRun(
                name: "fountain, reduced", photos: 11, size: PhotoSize(width: 3_072, height: 2_048), features: 8_000, detail: .reduced,
                seconds: [2.2, 2.2, 1.9, 2, 0.1, 58.1, 3.1, 2.8, 5.3, 0.2]),
            MeasuredRun(
                name: "fox, preview", photos: 50, size: PhotoSize(width: 1_080, height: 1_920), features: 6_365, box: 1, detail: .preview,
                largestError: 0.3, seconds: [1.3, 5.6, 39.2, 12.5, 0.7, 90.4, 6.6, 9.9, 4.3, 0.1]),
            MeasuredRun(
                name: "scan 24, preview", photos: 49, size: PhotoSize(width: 1_600, height: 1_200), features: 8_000, box: 0.94,
                detail: .preview, largestError: 0.25, seconds: [1.5, 12.1, 38.2, 11.8, 1.1, 114.4, 6, 9.1, 3.7, 0.1]),
            MeasuredRun(
                name: "dinosaur, preview", photos: 37, size: PhotoSize(width: 720, height: 576), features: 1_534, masked: 0.47, box: 0.63,
                detail: .preview, seconds: [0.5, 1.8, 6.4, 1.5, 0.2, 39, 4.6, 1.7, 2.8, 0.1]),
            MeasuredRun(
                name: "plush bear, preview", photos: 85, strangers: 2, size: PhotoSize(width: 1_280, height: 720), features: 3_069,
                box: 0.75,
                detail: .preview, seconds: [1.5, 8.5, 20.6, 8.3, 0.3, 100.3, 4.7, 4.8, 4.2, 0.1]),
            MeasuredRun(
                name: "plush figure, preview", photos: 33, size: PhotoSize(width: 4_032, height: 3_024), features: 4_624, box: 0.97,
                detail: .preview, largestError: 0.25, seconds: [10.3, 5.1, 9.5, 2.3, 0.2, 83.9, 3.5, 4.2, 3.3, 0.1]),
            MeasuredRun(
                name: "mouse, preview", photos: 59, size: PhotoSize(width: 1_920, height: 1_440), features: 995, box: 0.24,
                detail: .preview, largestError: 0.5, seconds: [1.8, 4.3, 10.2, 6.5, 0.1, 45.7, 1.4, 1.6, 7.4, 0.1]),
            MeasuredRun(
                name: "clock, preview", photos: 22, strangers: 22, size: PhotoSize(width: 1_080, height: 1_440), features: 3_043, box: 0.84,
                detail: .preview, largestError: 0.3, seconds: [1.2, 7.1, 16.6, 29.9, 0.1, 38, 1.6, 2, 2.8, 0.1]),
            MeasuredRun(
                name: "300 of a scene, reduced", photos: 300, size: PhotoSize(width: 640, height: 480), features: 7_600, detail: .reduced,
                seconds: [2.7, 33.9, 111.1, 118.7, 2.1, 807.5, 136.9, 34.6, 7, 0.2]),
            MeasuredRun(
                name: "300 of a scene", photos: 300, size: PhotoSize(width: 640, height: 480), features: 7_600,
                seconds: [2.7, 32.8, 115.8, 118.6, 2.1]),
            MeasuredRun(
                name: "1,000 of a scene and 20 strangers", photos: 1_000, strangers: 20, size: PhotoSize(width: 640, height: 480),
                features: 1_400,
                seconds: [11.1, 50.8, 180.8, 100.3, 5]),
            MeasuredRun(
                name: "2,000 of a scene", photos: 2_000, size: PhotoSize(width: 640, height: 480), features: 3_500,
                seconds: [14.2, 119.7, 423.9, 347.4, 1.5]),
        ]

        var job: ReconstructionJob {
            var configuration = PhotogrammetrySession.Configuration()
            configuration.ignoreBoundingBox = box == nil
            let requests: [PhotogrammetrySession.Request] =
                detail.map { [.modelFile(url: URL(fileURLWithPath: "/tmp/model.glb"), detail: $0)] } ?? [.poses]
            return ReconstructionJob(
                input: .samples([]), configuration: configuration, requests: requests, cancellation: CancellationFlag(), emit: { _ in },
                summarize: { _ in })
        }

        /// The plan after `known` finished steps.
        func plan(_ known: Int) -> WorkPlan {
            let count = photos + strangers
            let guessed = Array(repeating: PhotoSize(width: 1_600, height: 1_200), count: count)
            guard known > 0 else { return job.workPlan(job.costs(sizes: guessed, threads: 1)) }
            return job.workPlan(
                job.costs(
                    sizes: Array(repeating: size, count: count), threads: 1, features: known > 1 ? features : nil,
                    registered: known > 2 ? Array(repeating: size, count: photos) : nil, box: known > 4 ? box : nil,
                    masked: known > 1 ? masked : 1))
        }
    }

    /// With the durations of measured steps, every estimate after the first tenth deviates by less than a fifth of the whole time. That of an
    /// object that fills its photos, or little of them, deviates by more before its box is known.
    @Test(arguments: MeasuredRun.all) func estimatesOfMeasuredRuns(_ run: MeasuredRun) {
        let total = run.seconds.reduce(0, +)
        var estimate = ProgressEstimate(plan: run.plan(0))
        var (done, largest) = (0.0, (error: 0.0, at: 0.0))
        for (index, seconds) in run.seconds.enumerated() {
            estimate.replan(run.plan(index))
            let step = run.plan(index).items[index].step
            for part in stride(from: 0, to: 1, by: 0.02) {
                estimate.update(step, fraction: part, elapsed: part * seconds)
                // Features are counted from the eighth photo on.
                if index == 1, part * Double(run.photos) >= 8 { estimate.replan(run.plan(2)) }
                let at = done + part * seconds
                guard at > 0.1 * total else { continue }
                let error = (at + estimate.remainingTime(of: 0)) / total - 1
                if abs(error) > abs(largest.error) { largest = (error, at / total) }
            }
            estimate.finish(step, seconds: seconds, wasRestored: false)
            done += seconds
        }
        #expect(abs(largest.error) < run.largestError, "\(largest)")
    }

    /// Steps that use one thread take their share of the time on machines with many.
    @Test func costsOfManyThreads() {
        let sizes = Array(repeating: PhotoSize(width: 640, height: 480), count: 1_000)
        func costs(_ threads: Int) -> CostModel {
            CostModel(
                sizes: sizes, featureDimension: 2_400, depthDimension: 1_024, viewDimension: 4_096, threads: threads,
                measured: CostModel.Photos(features: 7_300, searched: 1))
        }
        let (one, many) = (costs(1), costs(16))
        #expect(abs(many.detection * 16 / one.detection - 1) < 1e-9)
        // Measured: 194.5 s of 528 processor seconds.
        #expect((0.25...0.45).contains(many.mapping / one.mapping))
        #expect(many.placement == one.placement)
    }

    /// The first pass takes its share of the depth step: the decoding and undistortion of the photos, and its sweeps.
    @Test func firstPassShares() {
        func share(_ size: PhotoSize, _ dimension: Int) -> Double {
            CostModel(
                sizes: Array(repeating: size, count: 20), featureDimension: 2_400, depthDimension: dimension, viewDimension: 2_048,
                threads: 2
            ).depthShares.firstPass
        }
        #expect((0.2...0.26).contains(share(PhotoSize(width: 640, height: 480), 640)))
        #expect(share(PhotoSize(width: 4_000, height: 3_000), 640) > 0.3)
        #expect(share(PhotoSize(width: 1_600, height: 1_200), 2_400) < 0.12)
    }
}
