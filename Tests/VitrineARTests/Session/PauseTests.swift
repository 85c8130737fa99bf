import Synchronization
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineAR

/// Running, failing and pausing in quick succession.
@Suite(.timeLimit(.minutes(10))) struct PauseTests {
    private let bad = ARWorldTrackingConfiguration(initialWorldMap: ARWorldMap())

    @Test(arguments: [ARSession.Pace.unpaced, .stepped])
    @MainActor func aRunThatFailsCanBeReplacedAtOnce(_ pace: ARSession.Pace) async throws {
        let session = ARSession(source: ScriptedSource(times: [0, 1, 2]), pace: pace)
        let recorder = DelegateRecorder()
        session.delegate = recorder
        session.run(bad)
        session.run(ARWorldTrackingConfiguration.walking)
        var frames = 0
        for try await _ in session.frames { frames += 1 }
        #expect(recorder.calls.filter { $0.hasPrefix("frame") }.count == 3)
        // An unpaced session may have failed already.
        #expect(recorder.errors.count + session.problems.count == 1)
        if pace == .stepped { #expect(recorder.errors.isEmpty) }
    }

    @Test @MainActor func aRunAfterAFailureContinues() async throws {
        let session = ARSession(source: ScriptedSource(times: [0, 1, 2]), pace: .stepped)
        let recorder = DelegateRecorder()
        session.delegate = recorder
        session.run(bad)
        await #expect(throws: ARError.self) { try await session.step() }
        session.run(ARWorldTrackingConfiguration.walking)
        #expect(try await session.step()?.timestamp == 0)
        #expect(recorder.errors.count == 1)
    }

    /// A session that its tracker pauses once, at an image.
    private func session(pausedAt imageIndex: Int, log: ScriptedTracker.Log, steps: [ScriptedSource.Step]) -> ARSession {
        final class Box: Sendable { let session = Mutex<ARSession?>(nil) }
        let box = Box()
        let session = ARSession(source: ScriptedSource(steps), pace: .stepped)
        box.session.withLock { $0 = session }
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .scripted(log) { index, time in
                    if index == imageIndex { box.session.withLock { $0?.pause() } }
                    return .at(time, Vector3d(time, 0, 0))
                }))
        return session
    }

    @Test func anImageInProgressIsDeliveredAfterThePause() async throws {
        let log = ScriptedTracker.Log()
        let session = session(pausedAt: 1, log: log, steps: (0..<4).map { .image(Double($0)) })
        #expect(try await session.step()?.timestamp == 0)
        #expect(try await session.step() == nil)
        #expect(session.currentFrame?.timestamp == 0)
        let anchor = ARAnchor(transform: .identity)
        try session.add(anchor: anchor)
        session.run(session.configuration!)
        let next = try #require(try await session.step())
        #expect(next.timestamp == 1)
        #expect(next.anchors == [anchor])
        #expect(try await session.step()?.timestamp == 2)
        #expect(log.all.filter { $0.hasPrefix("image") } == ["image 0.0", "image 1.0", "image 2.0"])
    }

    @Test func afterATrackingResetTheImageIsTrackedAgain() async throws {
        let log = ScriptedTracker.Log()
        let session = session(pausedAt: 1, log: log, steps: (0..<4).map { .image(Double($0)) })
        _ = try await session.step()
        _ = try await session.step()
        session.run(session.configuration!, options: .resetTracking)
        #expect(try await session.step()?.timestamp == 1)
        #expect(log.all.suffix(3) == ["image 1.0", "reset", "image 1.0"])
    }

    @Test func sourcesAreStartedAndStopped() async throws {
        let source = ScriptedSource(times: [0, 1, 2])
        let session = ARSession(source: source, pace: .stepped)
        session.run(ARWorldTrackingConfiguration.walking)
        #expect(source.calls.withLock { $0 } == [])
        _ = try await session.step()
        _ = try await session.step()
        #expect(source.calls.withLock { $0 } == ["start"])
        session.pause()
        while source.calls.withLock({ $0.count }) < 2 { await Task.yield() }
        session.run(ARWorldTrackingConfiguration.walking)
        while try await session.step() != nil {}
        #expect(source.calls.withLock { $0 } == ["start", "stop", "start", "stop"])
    }
}
