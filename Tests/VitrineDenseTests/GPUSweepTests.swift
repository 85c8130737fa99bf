import Testing
import VitrineGPU
import VitrineMath
import VitrineVision

@testable import VitrineDense
@testable import VitrineDenseGPU

/// PatchMatch as compute shaders against the processor's, on the software GPU.
@Suite(.serialized) struct GPUSweepTests {
    private static let scene = SyntheticScene()
    private static let views = [0.0, -14, -7, 7, 14].enumerated().map { photo, angle in
        scene.view(
            SyntheticScene.camera(angle: angle, width: 240, height: 180, focal: 285), photo: photo,
            brightness: [1, 0.8, 1.1, 0.9, 1][photo])
    }
    private static let runner = Result { try GPUSweepRunner(.software) }

    private static var options: DepthEstimator.Options {
        var options = DepthEstimator.Options()
        (options.maximumSide, options.firstPassHalvings, options.levels) = (240, 1, 3)
        options.smallestIsland = 8
        return options
    }

    /// Of the pixels with a depth in either map, the fractions with one in both, and with depths in both that differ by at most 0.5 %.
    private func agreement(_ a: DepthMap, _ b: DepthMap) -> (both: Double, close: Double) {
        var (any, both, close) = (0, 0, 0)
        for (x, y) in zip(a.depths, b.depths) where x > 0 || y > 0 {
            any += 1
            guard x > 0, y > 0 else { continue }
            both += 1
            if abs(x - y) <= 0.005 * y { close += 1 }
        }
        return (Double(both) / Double(any), Double(close) / Double(both))
    }

    private func first(_ index: Int, on runner: (any SweepRunner)?, prior: DepthPrior? = nil) throws -> DepthMap {
        try DepthEstimator(options: Self.options, sweepRunner: runner).estimate(
            reference: Self.views[index], sources: Self.views.indices.filter { $0 != index }.map { Self.views[$0] }, priorDepth: prior)
    }

    @Test func bothPassesAgreeWithTheProcessor() throws {
        let runner = try Self.runner.get()
        #expect(runner.isSoftware)
        let maps = try Self.views.indices.map { try first($0, on: nil) }
        let onGPU = try first(0, on: runner)
        let one = agreement(onGPU, maps[0])
        #expect(one.both > 0.98 && one.close > 0.99, "\(one)")
        let sources = (1..<5).map { (view: Self.views[$0], map: DepthMap?.some(maps[$0])) }
        let second = try DepthEstimator(options: Self.options).refineConsistently(reference: Self.views[0], map: maps[0], sources: sources)
        let secondOnGPU = try DepthEstimator(options: Self.options, sweepRunner: runner).refineConsistently(
            reference: Self.views[0], map: maps[0], sources: sources)
        let two = agreement(secondOnGPU, second)
        #expect(two.both > 0.98 && two.close > 0.99, "\(two)")
    }

    @Test func sensorDepthAgreesWithTheProcessor() throws {
        let prior = DepthPrior(depths: Plane(width: 120, height: 90, values: Self.scene.depths(Self.views[0].camera.halved)))
        let result = agreement(try first(0, on: try Self.runner.get(), prior: prior), try first(0, on: nil, prior: prior))
        #expect(result.both > 0.98 && result.close > 0.99, "\(result)")
    }

    /// Submissions of a few rows each give the bytes of large ones.
    @Test func submissionsDoNotChangeTheMap() throws {
        let small = try GPUSweepRunner(.software, batch: SubmissionBatch(largest: 2_000))
        #expect(try first(1, on: small) == first(1, on: try Self.runner.get()))
    }

    @Test func cancellationThrows() throws {
        let (runner, calls) = (try Self.runner.get(), Counter())
        #expect(throws: CancellationError.self) {
            try DepthEstimator(options: Self.options, sweepRunner: runner).estimate(
                reference: Self.views[0], sources: Array(Self.views.dropFirst()),
                in: StageContext(isCancelled: { calls.next() > 12 }))
        }
        // The device is still usable.
        #expect(try first(0, on: runner).coverage > 0.5)
    }

    @Test func lostDevicesAndMissingAdaptersThrow() throws {
        let runner = try GPUSweepRunner(.software)
        runner.loseDevice()
        let loss = #expect(throws: DenseGPUError.self) { _ = try first(0, on: runner) }
        #expect(loss?.description.hasPrefix("\(runner.adapter): GPU device lost") == true)
        let missing = #expect(throws: DenseGPUError.self) { _ = try GPUSweepRunner(.named("no such adapter")) }
        #expect(missing?.description.contains("no such adapter") == true)
    }

    @Test func batchesFollowTheMeasuredSpeed() {
        var batch = SubmissionBatch()
        let start = batch.limit
        var isFull = batch.add(start)
        #expect(isFull)
        batch.finish(in: .seconds(1))
        #expect(batch.limit == start / 2)
        isFull = batch.add(start / 4)
        #expect(!isFull)
        _ = batch.add(start / 4)
        batch.begin()
        isFull = batch.add(start / 4)
        #expect(!isFull)
        batch.finish(in: .milliseconds(1))
        #expect(batch.limit == start)
        #expect(batch.count(work: start, multipleOf: 8) == 8 && batch.count(work: start / 100, multipleOf: 8) == 96)
    }
}
