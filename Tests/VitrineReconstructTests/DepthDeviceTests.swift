import Foundation
import Synchronization
import Testing
import VitrineDenseGPU
import VitrineGPU
import VitrineTestSupport
import VitrineVision

@testable import VitrineDense
@testable import VitrineReconstruct

/// The choice of the device for depth, its failures, and what a resumed run takes from a checkpoint.
@Suite(.serialized) struct DepthDeviceTests {
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

    private struct Run {
        var errors: [String] = []
        var warnings: [String] = []
    }

    private func run(
        _ photos: URL, checkpoint: URL, device: PhotogrammetrySession.Configuration.DepthDevice, gpu: DepthGPU
    ) throws -> Run {
        var configuration = TinyCapture.configuration(checkpoint: checkpoint)
        configuration.depthDevice = device
        let run = Mutex(Run())
        var job = ReconstructionJob(
            input: .folder(photos), configuration: configuration, requests: [.pointCloud], cancellation: CancellationFlag(),
            emit: { output in
                switch output {
                case .requestError(_, let error): run.withLock { $0.errors.append(error.localizedDescription) }
                case .warning(let text): run.withLock { $0.warnings.append(text) }
                default: break
                }
            }, summarize: { _ in })
        job.depthGPU = gpu
        try ReconstructionPipeline(job).run()
        return run.withLock { $0 }
    }

    private func gpu(_ device: FakeDevice, isSoftware: Bool = false) -> DepthGPU {
        DepthGPU { _ in DepthGPU.Device(runner: device, name: "fake", isSoftware: isSoftware) }
    }

    private static let none = DepthGPU { choice in throw DenseGPUError.unavailable(.noAdapter(choice: choice, found: [])) }

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
            #expect(device.levels.load(ordering: .relaxed) == 8)
            for name in ["depth-first-0.bin", "depth-0.bin", "points.bin"] { #expect(try data(lost, name) == data(whole, name)) }

            // `gpu` fails, and the next run continues with the maps of the GPU.
            let resumed = try aligned("resumed")
            let failed = try run(photos, checkpoint: resumed, device: .gpu, gpu: gpu(FakeDevice(lostAfter: 7)))
            #expect(failed.errors.count == 1 && failed.errors[0].contains("unplugged"), "\(failed)")
            let missing = try run(photos, checkpoint: resumed, device: .gpu, gpu: Self.none)
            #expect(missing.errors.count == 1 && missing.errors[0].contains("no GPU adapter"), "\(missing)")
            let next = FakeDevice()
            let finished = try run(photos, checkpoint: resumed, device: .gpu, gpu: gpu(next, isSoftware: true))
            #expect(finished.errors.isEmpty && finished.warnings.contains { $0.contains("software GPU (fake)") }, "\(finished)")
            // Two photos have a first map already. Each photo has three levels in the first pass and two in the second.
            let count = try FileManager.default.contentsOfDirectory(atPath: resumed.path).count { $0.hasPrefix("depth-first-") }
            #expect(next.levels.load(ordering: .relaxed) == 5 * count - 6)
            // The same maps with another key: the processor does not use them.
            let (onGPU, onCPU) = (try data(resumed, "depth-0.bin"), try data(whole, "depth-0.bin"))
            #expect(onGPU != onCPU && onGPU.suffix(onGPU.count / 2) == onCPU.suffix(onCPU.count / 2))
            #expect(try run(photos, checkpoint: resumed, device: .gpu, gpu: Self.none).errors.isEmpty, "nothing is left to do")
        }
    }
}
