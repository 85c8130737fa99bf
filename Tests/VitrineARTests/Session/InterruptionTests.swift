import Testing
import VitrineMath
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
        #expect(session.problems.messages == ["image at 1.0 s: arrived while the source was interrupted"])
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
                "frame 2.0", "frame 3.0", "relocalized", "state normal", "frame 4.0", "end",
            ])
        // The tracker keeps its map; the device may have moved.
        #expect(log.all == ["made", "reset", "image 0.0", "interrupt", "image 2.0", "image 3.0", "image 4.0"])
        #expect(session.currentFrame?.anchors.count == 1)
    }

    /// The outcome of relocalization is an event.
    @Test func relocalizationAndNewWorldsAreReported() async throws {
        let recorder = DelegateRecorder()
        let session = ARSession(source: ScriptedSource(times: [0, 1, 2, 3, 4]), pace: .stepped)
        session.delegate = recorder
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .scripted { index, time in
                    var result = TrackingResult.at(time, .zero, index % 2 == 1 ? .limited(.relocalizing) : .normal)
                    if index == 2 { result.relocalizationCorrection = .identity }
                    if index == 4 { result.startsNewWorld = true }
                    return result
                }))
        while try await session.step() != nil {}
        #expect(
            recorder.calls == [
                "state normal", "frame 0.0", "state relocalizing", "frame 1.0", "relocalized", "state normal", "frame 2.0",
                "state relocalizing", "frame 3.0", "new world", "state normal", "frame 4.0", "end",
            ])
    }

    /// Anchors from before a loss stay, later ones move with the correction: after the frame that reports the relocalization.
    @Test func anchorsChangeAfterTheFrameOfARelocalization() async throws {
        let recorder = DelegateRecorder()
        let session = ARSession(source: ScriptedSource(times: (0..<6).map(Double.init)), pace: .stepped)
        session.delegate = recorder
        let correction = RigidTransform(rotation: .identity, translation: Vector3d(0, 0, 5))
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .scripted { index, time in
                    var result = TrackingResult.at(time, .zero, [1, 2, 4].contains(index) ? .limited(.relocalizing) : .normal)
                    if index == 3 { result.relocalizationCorrection = correction }
                    result.startsNewWorld = index == 5
                    return result
                }))
        try session.add(anchor: ARAnchor(name: "old", transform: .identity))
        for _ in 0..<2 { _ = try await session.step() }
        let (recent, gone) = (ARAnchor(name: "recent", transform: .identity), ARAnchor(name: "gone", transform: .identity))
        for anchor in [recent, gone] { try session.add(anchor: anchor) }
        _ = try await session.step()
        session.remove(anchor: gone)
        while try await session.step() != nil {}
        #expect(
            recorder.calls == [
                "state normal", "frame 0.0", "add old", "state relocalizing", "frame 1.0", "frame 2.0", "add recent gone", "relocalized",
                "state normal", "frame 3.0", "update recent", "remove gone", "state relocalizing", "frame 4.0", "new world",
                "state normal", "frame 5.0", "end",
            ])
        #expect(session.currentFrame?.anchors.map(\.transform.translation.z) == [0, 5])
    }

    /// After a loss the state stays, also when the app runs the session again, until it resets tracking.
    @Test func onlyAResetEndsRelocalizing() async throws {
        let log = ScriptedTracker.Log()
        let session = ARSession(source: ScriptedSource(times: (0..<9).map(Double.init)), pace: .stepped)
        let configuration = ARWorldTrackingConfiguration(
            tracking: .scripted(log) { index, time in .at(time, .zero, index == 0 ? .normal : .limited(.relocalizing)) })
        session.run(configuration)
        for _ in 0..<4 { _ = try await session.step() }
        #expect(session.currentFrame?.camera.trackingState == .limited(.relocalizing))
        session.run(configuration)
        #expect(try await session.step()?.camera.trackingState == .limited(.relocalizing))
        #expect(log.count("reset") == 1)
        session.run(configuration, options: .resetTracking)
        _ = try await session.step()
        #expect(log.count("reset") == 2)
    }

    /// A long initialization reports the reason.
    @Test func aLongInitializationHasAReason() async throws {
        let session = ARSession(source: ScriptedSource(times: (0..<8).map(Double.init)), pace: .stepped)
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .scripted { _, time in
                    var result = TrackingResult.at(time, .zero, .limited(.initializing))
                    result.advice = .moveSideways
                    return result
                }))
        while let frame = try await session.step() { #expect(frame.camera.trackingAdvice == .moveSideways) }
        #expect(session.problems.messages == ["tracking has been initializing for 5 s: \(TrackingAdvice.moveSideways.text)"])
    }

    /// Without IMU, depth, marker or given depth, metres are a guess: a state and a warning, never normal.
    @Test func anUnknownScaleIsAState() async throws {
        let session = ARSession(source: ScriptedSource(times: [0, 1, 2]), pace: .stepped)
        session.run(ARWorldTrackingConfiguration(tracking: .scripted { _, time in .at(time, .zero, .limited(.scaleUnknown)) }))
        while let frame = try await session.step() { #expect(frame.camera.trackingState == .limited(.scaleUnknown)) }
        #expect(session.problems.count == 1)
        #expect(session.problems.messages.first?.hasPrefix("the scale is unknown") == true)
    }

    @Test func unmatchedEndsOfInterruptionsAreCounted() async throws {
        let session = ARSession(
            source: ScriptedSource([.interruptionEnded, .image(0), .interruptionBegan, .interruptionBegan]), pace: .stepped)
        session.run(ARWorldTrackingConfiguration.walking)
        while try await session.step() != nil {}
        #expect(session.problems.count == 2)
    }
}
