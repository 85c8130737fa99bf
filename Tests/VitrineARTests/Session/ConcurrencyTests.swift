import Synchronization
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineAR

/// Concurrent calls, and calls from callbacks.
@Suite(.timeLimit(.minutes(10))) struct ConcurrencyTests {
    @Test func callsFromManyTasksAreSafe() async throws {
        let session = ARSession(source: ScriptedSource(times: (0..<200).map(Double.init)), pace: .unpaced)
        let recorder = DelegateRecorder()
        session.delegate = recorder
        let anchors = (0..<16).map { ARAnchor(name: "\($0)", transform: Matrix4(translation: Vector3(Float($0), 0, 0))) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 0..<4 {
                group.addTask {
                    var random = SplitMix64(seed: UInt64(seed))
                    for _ in 0..<300 {
                        switch random.below(8) {
                        case 0: session.pause()
                        case 1: session.run(ARWorldTrackingConfiguration.walking, options: .resetTracking)
                        case 2: try session.add(anchor: anchors[random.below(16)])
                        case 3: session.remove(anchor: anchors[random.below(16)])
                        case 4: try session.setWorldOrigin(relativeTransform: Matrix4(translation: Vector3(0.1, 0, 0)))
                        case 5: _ = session.currentFrame?.anchors.count
                        case 6: for try await _ in session.frames { break }
                        default: session.run(ARWorldTrackingConfiguration.walking)
                        }
                        await Task.yield()
                    }
                }
            }
            // One task must call step, or readers of an idle session would wait.
            let isOver = Atomic(false)
            async let runner: Void = {
                while !isOver.load(ordering: .relaxed) {
                    session.run(ARWorldTrackingConfiguration.walking)
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }()
            try await group.waitForAll()
            isOver.store(true, ordering: .relaxed)
            await runner
        }
        session.pause()
        let last = session.currentFrame
        try await Task.sleep(for: .milliseconds(5))
        #expect(session.currentFrame == last)
        // The reported changes add up to the current anchors.
        let calls = await recorder.calls
        #expect(calls.contains { $0.hasPrefix("frame") })
        #expect(!calls.contains("fail"))
    }

    @Test @MainActor func delegatesMayPauseAndChangeTheSession() async throws {
        let session = ARSession(source: ScriptedSource(times: (0..<10).map(Double.init)), pace: .unpaced)
        let recorder = DelegateRecorder()
        session.delegate = recorder
        recorder.onFrame = { session, frame in
            try? session.add(anchor: ARAnchor(name: "\(Int(frame.timestamp))", transform: .identity))
            if frame.timestamp == 3 { session.pause() }
        }
        session.run(ARWorldTrackingConfiguration.walking)
        while session.isRunning { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: .milliseconds(5))
        #expect(
            recorder.calls == [
                "state normal", "frame 0.0", "frame 1.0", "add 0", "frame 2.0", "add 1", "frame 3.0", "add 2",
            ])
        session.run(ARWorldTrackingConfiguration.walking)
        while session.isRunning { try await Task.sleep(for: .milliseconds(1)) }
        while recorder.calls.last != "end" { try await Task.sleep(for: .milliseconds(1)) }
        #expect(recorder.calls[8...10] == ["frame 4.0", "add 3", "frame 5.0"])
        #expect(session.currentFrame?.anchors.count == 9)
    }

    @Test func aPauseBetweenTwoImagesLosesNone() async throws {
        // Far enough apart that the pause is between them on a slow machine; the second is due as soon as the session resumes.
        let session = ARSession(source: ScriptedSource(times: [0, 30]), pace: .realTime)
        var iterator = session.frames.makeAsyncIterator()
        session.run(ARWorldTrackingConfiguration.walking)
        #expect(try await iterator.next()?.timestamp == 0)
        try await Task.sleep(for: .milliseconds(10))
        session.pause()
        #expect(try await iterator.next() == nil)
        let recorder = DelegateRecorder()
        session.delegate = recorder
        session.run(ARWorldTrackingConfiguration.walking)
        while session.isRunning { try await Task.sleep(for: .milliseconds(1)) }
        while await recorder.calls.last != "end" { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await recorder.calls == ["frame 30.0", "end"])
        #expect(session.problems.count == 0)
    }
}
