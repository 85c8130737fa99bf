import Foundation
import Synchronization
import Testing
import VitrineDenseGPU
import VitrineGPU
import VitrineTestSupport
import VitrineVision

@testable import VitrineDense
@testable import VitrineReconstruct

/// The choice of the device, its failures, and what a resumed run takes from a checkpoint.
@Suite(.serialized) struct ComputeDeviceTests {
    /// A device that computes like the processor and is lost after some levels.
    private final class FakeDevice: SweepRunner {
        let levels = Atomic(0)
        private let lostAfter: Int

        init(lostAfter: Int = .max) { self.lostAfter = lostAfter }

        func run(_ sweeps: [Sweep], on level: StereoLevel, in context: StageContext) throws {
            guard levels.add(1, ordering: .relaxed).newValue <= lostAfter else {
                throw DenseGPUError.failed(.deviceLost(reason: .unknown, message: "unplugged"), adapter: "fake")
            }
            try ProcessorSweepRunner().run(sweeps, on: level, in: context)
        }
    }

    /// A search that is lost after some pairs.
    private final class FakeSearch: DescriptorSearch {
        let pairs = Atomic(0)
        private let lostAfter: Int

        init(lostAfter: Int = .max) { self.lostAfter = lostAfter }

        func neighbors(
            _ pairs: [(first: Int, second: Int)], of sets: [DescriptorSet], isCancelled: () -> Bool
        ) throws -> [DescriptorNeighbors] {
            guard self.pairs.add(pairs.count, ordering: .relaxed).newValue <= lostAfter else {
                throw DenseGPUError.failed(.deviceLost(reason: .unknown, message: "unplugged"), adapter: "fake")
            }
            return pairs.map { pair in
                let (a, b) = (sets[pair.first], sets[pair.second])
                var nearest: [DescriptorNeighbors.Nearest] = []
                var owners = [(distance: Int32, row: Int32)](repeating: (.max, 0), count: b.count)
                for row in 0..<a.count {
                    var (distance, second, index) = (Int32.max, Int32.max, 0)
                    for column in 0..<b.count {
                        let own = a.squaredDistance(row, to: b, column)
                        second = min(second, max(distance, own))
                        if own < distance { (distance, index) = (own, column) }
                        if own < owners[column].distance { owners[column] = (own, Int32(row)) }
                    }
                    nearest.append(.init(distance: distance, second: second, index: Int32(index)))
                }
                return DescriptorNeighbors(nearest: nearest, owners: owners.map(\.row))
            }
        }
    }

    private struct Run {
        var errors: [String] = []
        var warnings: [String] = []
    }

    private func run(
        _ photos: URL, checkpoint: URL, device: PhotogrammetrySession.Configuration.ComputeDevice, gpu: DepthGPU = ComputeDeviceTests.none,
        matching: MatchingGPU? = nil, requests: [PhotogrammetrySession.Request] = [.pointCloud]
    ) throws -> Run {
        var configuration = TinyCapture.configuration(checkpoint: checkpoint)
        configuration.computeDevice = device
        let run = Mutex(Run())
        var job = ReconstructionJob(
            input: .folder(photos), configuration: configuration, requests: requests, cancellation: CancellationFlag(),
            emit: { output in
                switch output {
                case .requestError(_, let error): run.withLock { $0.errors.append(error.localizedDescription) }
                case .warning(let text): run.withLock { $0.warnings.append(text) }
                default: break
                }
            }, summarize: { _ in })
        (job.depthGPU, job.matchingGPU) = (gpu, matching)
        try ReconstructionPipeline(job).run()
        return run.withLock { $0 }
    }

    private func gpu(_ device: FakeDevice, isSoftware: Bool = false) -> DepthGPU {
        DepthGPU { _ in DepthGPU.Device(runner: device, name: "fake", isSoftware: isSoftware) }
    }

    private static let none = DepthGPU { choice in throw DenseGPUError.unavailable(.noAdapter(choice: choice, found: [])) }

    /// The public choice.
    @Test func configurationsChooseTheDevice() {
        var configuration = PhotogrammetrySession.Configuration()
        #expect(configuration.usesGPU == false && configuration.computeDevice == .cpu)
        configuration.usesGPU = true
        #expect(configuration.usesGPU == true && configuration.computeDevice == .gpu)
        configuration.usesGPU = nil
        #expect(configuration.usesGPU == nil && configuration.computeDevice == .automatic)
        configuration.usesGPU = false
        #expect(configuration == PhotogrammetrySession.Configuration())
    }

    @Test func automaticUsesHardwareOnly() {
        let device = FakeDevice()
        #expect(gpu(device).openHardware()?.name == "fake")
        #expect(gpu(device, isSoftware: true).openHardware() == nil)
        #expect(Self.none.openHardware() == nil)
    }

    @Test func mapsAreOfOneDevice() throws {
        try withTemporaryDirectory { folder in
            let photos = try TinyCapture.write(to: folder, count: 6)
            let whole = folder.appendingPathComponent("cpu")
            func data(_ checkpoint: URL, _ name: String) throws -> Data { try Data(contentsOf: checkpoint.appendingPathComponent(name)) }
            /// A copy of the checkpoint without depth and points.
            func aligned(_ name: String) throws -> URL {
                let copy = folder.appendingPathComponent(name)
                try FileManager.default.copyItem(at: whole, to: copy)
                for file in try FileManager.default.contentsOfDirectory(atPath: copy.path)
                where ["depth", "points", "framing"].contains(where: { file.hasPrefix($0) }) {
                    try FileManager.default.removeItem(at: copy.appendingPathComponent(file))
                }
                return copy
            }

            let unused = FakeDevice()
            let first = try run(photos, checkpoint: whole, device: .cpu, gpu: gpu(unused))
            try #require(first.errors.isEmpty, "\(first.errors)")
            #expect(unused.levels.load(ordering: .relaxed) == 0)

            // A device that is lost in the middle: `auto` estimates all maps on the processor.
            let lost = try aligned("lost")
            let device = FakeDevice(lostAfter: 7)
            let fallback = try run(photos, checkpoint: lost, device: .automatic, gpu: gpu(device))
            #expect(fallback.errors.isEmpty && fallback.warnings.contains { $0.contains("unplugged") }, "\(fallback)")
            // Each of the photos at once detects the loss by a level of its own.
            #expect((8...12).contains(device.levels.load(ordering: .relaxed)))
            for name in ["depth-first-0.bin", "depth-0.bin", "points.bin"] { #expect(try data(lost, name) == data(whole, name)) }

            // `gpu` fails, and the next run continues with the maps of the GPU.
            let resumed = try aligned("resumed")
            let failed = try run(photos, checkpoint: resumed, device: .gpu, gpu: gpu(FakeDevice(lostAfter: 7)))
            #expect(failed.errors.count == 1 && failed.errors[0].contains("unplugged"), "\(failed)")
            let missing = try run(photos, checkpoint: resumed, device: .gpu, gpu: Self.none)
            #expect(missing.errors.count == 1 && missing.errors[0].contains("no GPU adapter"), "\(missing)")
            let next = FakeDevice()
            let finished = try run(photos, checkpoint: resumed, device: .gpu, gpu: gpu(next, isSoftware: true))
            #expect(finished.errors.isEmpty && finished.warnings.contains { $0.contains("software renderer (fake)") }, "\(finished)")
            // Two photos have a first map already. Each photo has three levels in the first pass and two in the second.
            let count = try FileManager.default.contentsOfDirectory(atPath: resumed.path).count { $0.hasPrefix("depth-first-") }
            #expect(next.levels.load(ordering: .relaxed) == 5 * count - 6)
            // The same maps with another key: the processor does not use them.
            let (onGPU, onCPU) = (try data(resumed, "depth-0.bin"), try data(whole, "depth-0.bin"))
            #expect(onGPU != onCPU && onGPU.suffix(onGPU.count / 2) == onCPU.suffix(onCPU.count / 2))
            #expect(try run(photos, checkpoint: resumed, device: .gpu, gpu: Self.none).errors.isEmpty, "nothing is left to do")
        }
    }

    /// The matches have the same bytes and the same key on every device; a device that is lost is replaced by the processor.
    @Test func matchesAreThoseOfTheProcessor() throws {
        try withTemporaryDirectory { folder in
            let photos = try TinyCapture.write(to: folder, count: 5)
            func matches(_ name: String) throws -> Data {
                try Data(contentsOf: folder.appendingPathComponent(name).appendingPathComponent("matches.bin"))
            }
            func run(_ name: String, _ device: PhotogrammetrySession.Configuration.ComputeDevice, _ search: FakeSearch) throws -> Run {
                try self.run(
                    photos, checkpoint: folder.appendingPathComponent(name), device: device,
                    matching: MatchingGPU { _ in MatchingGPU.Device(runner: search, name: "fake", isSoftware: false) }, requests: [.poses])
            }
            let unused = FakeSearch()
            try #require(try run("cpu", .cpu, unused).errors.isEmpty)
            #expect(unused.pairs.load(ordering: .relaxed) == 0)
            let used = FakeSearch()
            #expect(try run("gpu", .gpu, used).errors.isEmpty)
            #expect(used.pairs.load(ordering: .relaxed) == 10)
            #expect(try matches("gpu") == matches("cpu"))
            let fallback = try run("lost", .automatic, FakeSearch(lostAfter: 0))
            #expect(fallback.errors.isEmpty && fallback.warnings.contains { $0.contains("unplugged") }, "\(fallback)")
            #expect(try matches("lost") == matches("cpu"))
            let failed = try run("failed", .gpu, FakeSearch(lostAfter: 0))
            #expect(failed.errors.count == 1 && failed.errors[0].contains("unplugged"), "\(failed)")
        }
    }
}
