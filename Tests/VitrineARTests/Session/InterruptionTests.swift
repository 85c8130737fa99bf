import Testing
import VitrineVision

@testable import VitrineAR

@MainActor struct InterruptionTests {
    private let steps: [ScriptedSource.Step] = [
        .image(0), .interruptionBegan, .image(1), .interruptionEnded, .image(2), .image(3), .image(4),
    ]

    @Test func withoutRelocalizationTrackingRestarts() async throws {
        let log = ScriptedTracker.Log()
        let recorder = DelegateRecorder()
        let session = ARSession(source: ScriptedSource(steps), pace: .stepped)
        session.delegate = recorder
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .scripted(log) { index, time in .at(time, .zero, index == 1 ? .limited(.initializing) : .normal) }))
        while try await session.step() != nil {}
        #expect(
            recorder.calls == [
                "state normal", "frame 0.0", "interrupted", "state notAvailable", "resumed", "asked", "state initializing", "frame 2.0",
                "state normal", "frame 3.0", "frame 4.0", "end",
            ])
        #expect(log.all == ["made", "reset", "image 0.0", "reset", "image 2.0", "image 3.0", "image 4.0"])
        #expect(session.problems.messages == ["image at 1.0 s: came while the source was interrupted"])
    }

    @Test func withRelocalizationTheTrackerRelocalizes() async throws {
        let log = ScriptedTracker.Log()
        let recorder = DelegateRecorder()
        recorder.isToRelocalize = true
        let session = ARSession(source: ScriptedSource(steps), pace: .stepped)
        session.delegate = recorder
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .scripted(log) { index, time in
                    .at(time, .zero, [1, 2].contains(index) ? .limited(.insufficientFeatures) : .normal)
                }))
        try session.add(anchor: ARAnchor(name: "a", transform: .identity))
        while try await session.step() != nil {}
        #expect(
            recorder.calls == [
                "state normal", "frame 0.0", "add a", "interrupted", "state notAvailable", "resumed", "asked", "state relocalizing",
                "frame 2.0", "frame 3.0", "state normal", "frame 4.0", "end",
            ])
        #expect(log.count("reset") == 1)
        #expect(session.currentFrame?.anchors.count == 1)
    }

    @Test func unmatchedEndsOfInterruptionsAreCounted() async throws {
        let session = ARSession(
            source: ScriptedSource([.interruptionEnded, .image(0), .interruptionBegan, .interruptionBegan]), pace: .stepped)
        session.run(ARWorldTrackingConfiguration.walking)
        while try await session.step() != nil {}
        #expect(session.problems.count == 2)
    }
}
