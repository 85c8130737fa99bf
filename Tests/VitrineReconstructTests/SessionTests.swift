import Foundation
import Synchronization
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport
import VitrineVision

@testable import VitrineReconstruct

/// Whole sessions with few small photos.
@Suite(.serialized) struct SessionTests {
    /// The example of `PhotogrammetrySession`'s documentation, with the order and the content of its outputs.
    @Test func photosGiveAModel() async throws {
        try await withTemporaryDirectory { folder in
            let photos = try TinyCapture.write(to: folder)
            try Data("junk".utf8).write(to: photos.appendingPathComponent("zz.txt"))
            let output = folder.appendingPathComponent("model.glb")
            let model = PhotogrammetrySession.Request.modelFile(url: output, detail: .custom)
            let session = try PhotogrammetrySession(input: photos, configuration: TinyCapture.configuration())
            let copy = PhotogrammetrySession.Request.modelFile(url: folder.appendingPathComponent("copy.ply"), detail: .custom)
            try session.process(requests: [model, copy, .pointCloud, .bounds, .poses])
            #expect(throws: ReconstructionError.alreadyProcessing) { try session.process(requests: [.poses]) }
            let transcript = try await Transcript(session)

            #expect(transcript.endsComplete)
            #expect(!session.isProcessing && session.activeRequests.isEmpty)
            try #require(transcript.errors.isEmpty, "\(transcript.errors)")
            #expect(transcript.completions.map(\.request).suffix(3) == [.pointCloud, model, copy])
            #expect(Set(transcript.completions.map(\.request)) == [model, copy, .pointCloud, .bounds, .poses])
            try checkProgress(transcript, model)
            try checkPoses(transcript)
            let invalid = transcript.outputs.compactMap { if case .invalidSample(let id, let reason) = $0 { (id, reason) } else { nil } }
            #expect(invalid.map(\.0) == [9])
            #expect(invalid[0].1.contains("zz.txt"))

            let inspection = try await FileInspection(contentsOf: output)
            #expect(inspection.text.contains("triangles"))
            let summary = try #require(session.summary)
            #expect(summary.usedCount == 9)
            #expect(summary.models.count == 2)
            #expect(Set(summary.warnings).count == summary.warnings.count)
            let warnings = transcript.outputs.compactMap { if case .warning(let text) = $0 { text } else { nil } }
            #expect(warnings == summary.warnings)
            #expect((1..<2_000).contains(summary.models[0].triangles))
            #expect(summary.models[0].textureDimension == 1_024)
            #expect(ReportPage(summary).html.contains("photo-3.png"))
        }
    }

    private func checkProgress(_ transcript: Transcript, _ request: PhotogrammetrySession.Request) throws {
        let fractions = transcript.fractions(of: request)
        #expect(fractions.count > 10)
        #expect(fractions == fractions.sorted())
        #expect(fractions.allSatisfy { (0...1).contains($0) })
        let stages = transcript.outputs.compactMap { output -> PhotogrammetrySession.Output.ProcessingStage? in
            if case .requestProgressInfo(let of, let info) = output, of == request { info.processingStage } else { nil }
        }
        for stage in PhotogrammetrySession.Output.ProcessingStage.allCases { #expect(stages.contains(stage)) }
        let order = stages.map { PhotogrammetrySession.Output.ProcessingStage.allCases.firstIndex(of: $0) ?? 0 }
        #expect(order == order.sorted())
    }

    /// The ratios of the distances between cameras are those of the ground truth.
    private func checkPoses(_ transcript: Transcript) throws {
        let poses = try #require(
            transcript.completions.compactMap { if case .poses(let poses) = $0.result { poses } else { nil } }.first)
        #expect(poses.posesBySample.keys.sorted() == Array(0..<9))
        #expect(poses.urlsBySample[4]?.lastPathComponent == "photo-4.png")
        let truth = TinyCapture.capture.cameras.map { Vector3($0.centerInWorld) }
        let found = try (0..<9).map { try #require(poses.posesBySample[$0]).translation }
        let scale = distance(found[0], found[8]) / distance(truth[0], truth[8])
        for index in 1..<8 {
            let ratio = distance(found[0], found[index]) / distance(truth[0], truth[index]) / scale
            #expect(abs(ratio - 1) < 0.03)
        }
    }

    /// A run that was cancelled at a depth map and resumed gives the bytes of an uninterrupted run, also with another number of threads.
    @Test func resumedRunGivesTheSameBytes() async throws {
        try await withTemporaryDirectory { folder in
            let photos = try TinyCapture.write(to: folder)
            let work = folder.appendingPathComponent("work")
            func run(_ name: String, checkpoint: URL?, threads: Int, stopAt: String? = nil) async throws -> (
                Transcript, ReconstructionSummary, URL
            ) {
                let output = folder.appendingPathComponent(name).appendingPathComponent("model.glb")
                try FileManager.default.createDirectory(at: output.deletingLastPathComponent(), withIntermediateDirectories: true)
                let configuration = TinyCapture.configuration(checkpoint: checkpoint, threads: threads)
                let session = try PhotogrammetrySession(input: photos, configuration: configuration)
                try session.process(requests: [.modelFile(url: output, detail: .custom)])
                if let stopAt, let checkpoint {
                    // On a separate thread: other tests may block all threads of the cooperative pool.
                    let file = checkpoint.appendingPathComponent(stopAt).path
                    Thread.detachNewThread {
                        while session.isProcessing, !FileManager.default.fileExists(atPath: file) { usleep(2000) }
                        session.cancel()
                    }
                }
                return (try await Transcript(session), try #require(session.summary), output)
            }
            let stopped = try await run("stopped", checkpoint: work, threads: 2, stopAt: "depth-first-3.bin")
            #expect(stopped.0.endsCancelled)
            #expect(try FileManager.default.contentsOfDirectory(atPath: stopped.2.deletingLastPathComponent().path).isEmpty)
            let resumed = try await run("resumed", checkpoint: work, threads: 1)
            #expect(resumed.0.endsComplete && resumed.0.errors.isEmpty)
            #expect(resumed.1.steps.filter(\.wasRestored).map(\.name).contains("depth"))
            let whole = try await run("whole", checkpoint: nil, threads: 2)
            #expect(whole.1.steps.allSatisfy { !$0.wasRestored })
            #expect(try Data(contentsOf: resumed.2) == Data(contentsOf: whole.2))
        }
    }

    /// Models of one session share most of their warnings: the session reports each of them once.
    @Test func warningsAreReportedOnce() throws {
        let warnings = Mutex<[String]>([])
        let job = ReconstructionJob(
            input: .samples([]), configuration: .init(), requests: [.poses], cancellation: CancellationFlag(),
            emit: { output in if case .warning(let text) = output { warnings.withLock { $0.append(text) } } }, summarize: { _ in })
        let record = RunRecord(job)
        for line in ["a hole", "a side", "a hole"] { record.warn(line) }
        #expect(record.current.warnings == ["a hole", "a side"])
        #expect(warnings.withLock { $0 } == ["a hole", "a side"])
    }

    /// Depth maps determine the scale, also if the configuration asks for another unit.
    @Test(arguments: [PhotogrammetrySession.Configuration.Scale.automatic, .unit])
    func depthMapsDetermineTheScale(_ scale: PhotogrammetrySession.Configuration.Scale) async throws {
        var samples = TinyCapture.samples
        for index in samples.indices {
            let depths = TinyCapture.capture.depths[index]
            let bytes = depths.values.flatMap { depth in
                [depth, 0, 0, 1].flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
            }
            samples[index].depthDataMap = try Image(
                width: depths.width, height: depths.height, format: .rgba32Float, bytes: bytes)
        }
        var configuration = TinyCapture.configuration()
        configuration.scale = scale
        let session = try PhotogrammetrySession(input: samples, configuration: configuration)
        try session.process(requests: [.poses])
        let transcript = try await Transcript(session)
        try #require(transcript.errors.isEmpty, "\(transcript.errors)")
        let summary = try #require(session.summary)
        #expect(summary.isMetric == (scale == .automatic))
        guard scale == .automatic, case .poses(let poses) = transcript.completions.first?.result else { return }
        let truth = TinyCapture.capture.cameras.map { Vector3($0.centerInWorld) }
        let found = distance(try #require(poses.posesBySample[0]).translation, try #require(poses.posesBySample[8]).translation)
        #expect(abs(found / distance(truth[0], truth[8]) - 1) < 0.02)
        #expect(summary.scaleSource.contains("depth maps"))
    }

    @Test func twoPhotosGiveAnError() async throws {
        let session = try PhotogrammetrySession(input: TinyCapture.samples.prefix(2))
        try session.process(requests: [.poses, .bounds])
        let transcript = try await Transcript(session)
        #expect(transcript.endsComplete)
        #expect(transcript.errors.count == 2)
        #expect(transcript.errors.allSatisfy { $0 as? ReconstructionError == .tooFewPhotos(usable: 2, unusable: 0) })
        #expect(transcript.errors.first?.localizedDescription.contains("only 2 can be used") == true)
    }

    @Test func uniformPhotosGiveAnError() async throws {
        let blank = ColorPlane(width: 160, height: 120, values: Array(repeating: 90, count: 160 * 120 * 3))
        let samples = (0..<4).compactMap { id -> PhotogrammetrySample? in
            var plane = blank
            plane.values[id] = 91
            return plane.image.map { PhotogrammetrySample(id: id, image: $0) }
        }
        let session = try PhotogrammetrySession(input: samples)
        try session.process(requests: [.modelEntity(detail: .preview)])
        let transcript = try await Transcript(session)
        guard case .notAligned = transcript.errors.first as? ReconstructionError else {
            Issue.record("\(transcript.errors)")
            return
        }
    }

    @Test func processRejectsInvalidRequests() throws {
        let session = try PhotogrammetrySession(input: TinyCapture.samples)
        let nowhere = URL(fileURLWithPath: "/no/such/folder/model.glb")
        #expect(throws: PhotogrammetrySession.Error.invalidOutput(nowhere)) { try session.process(requests: [.modelFile(url: nowhere)]) }
        let odd = FileManager.default.temporaryDirectory.appendingPathComponent("model.xyz")
        #expect(throws: PhotogrammetrySession.Error.invalidOutput(odd)) { try session.process(requests: [.modelFile(url: odd)]) }
        #expect(throws: ReconstructionError.self) { try session.process(requests: []) }
        #expect(throws: ReconstructionError.self) { try session.process(requests: [.poses, .poses]) }
        var configuration = PhotogrammetrySession.Configuration()
        configuration.meshPrimitive = .quad
        #expect(throws: ReconstructionError.self) {
            try PhotogrammetrySession(input: TinyCapture.samples, configuration: configuration).process(requests: [.poses])
        }
        var twice = TinyCapture.samples
        twice[1].id = 0
        #expect(throws: ReconstructionError.self) { try PhotogrammetrySession(input: twice) }
        #expect(!session.isProcessing)
    }
}
