import Foundation
import Testing
import VitrineMath
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// Anchors hang on keyframes of the map: when the map corrects a keyframe, its anchors follow.
@MainActor struct KeyframeAnchorTests {
    /// Runs a session at 20 frames per second.
    ///
    /// - Parameter change: Changes the result of a frame.
    private func session(
        _ recorder: DelegateRecorder, frames: Int = 40, _ change: @escaping @Sendable (Int, inout TrackingResult) -> Void
    ) -> ARSession {
        let session = ARSession(source: ScriptedSource(times: (0..<frames).map { Double($0) / 20 }), pace: .stepped)
        session.delegate = recorder
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .mapping { index, time in
                    var result = TrackingResult.at(time)
                    result.referenceKeyframe = index < 5 ? 7 : 8
                    change(index, &result)
                    return result
                }))
        return session
    }

    private func steps(_ session: ARSession, _ count: Int) async throws -> [ARFrame] {
        var frames: [ARFrame] = []
        while frames.count < count, let frame = try await session.step() { frames.append(frame) }
        return frames
    }

    private func position(_ name: String, _ frame: ARFrame) throws -> Vector3 {
        try #require(frame.anchors.first { $0.name == name }).transform.translation
    }

    private nonisolated static func shift(_ x: Double) -> RigidTransform {
        RigidTransform(rotation: .identity, translation: Vector3d(x, 0, 0))
    }

    @Test func anchorsFollowTheirKeyframesSmoothly() async throws {
        let recorder = DelegateRecorder()
        let correction = RigidTransform(rotation: .rotation(Vector3d(0, 0.02, 0)), translation: Vector3d(0.04, 0, 0.01))
        let session = session(recorder) { index, result in if index == 10 { result.keyframeMoves = [8: correction] } }
        try session.add(anchor: ARAnchor(name: "first", transform: Matrix4(translation: Vector3(1, 0, -1))))
        _ = try await steps(session, 6)
        try session.add(anchor: ARAnchor(name: "second", transform: Matrix4(translation: Vector3(0, 0, -2))))
        let frames = try await steps(session, 100)
        for (a, b) in zip(frames, frames.dropFirst()) {
            #expect(distance(try position("second", a), try position("second", b)) < 0.01)
            #expect(a.camera.transform == b.camera.transform)
        }
        let last = try #require(frames.last)
        #expect(try position("second", last).isClose(Vector3(correction * Vector3d(0, 0, -2)), tolerance: 1e-4))
        #expect(try position("first", last) == Vector3(1, 0, -1))
        #expect(recorder.calls.count { $0 == "update second" } >= 8)
        #expect(!recorder.calls.contains("update first"))
    }

    @Test func movesBelowTwoMillimetresAccumulate() async throws {
        let recorder = DelegateRecorder()
        let session = session(recorder) { index, result in
            if index == 6 || index == 12 { result.keyframeMoves = [7: Self.shift(0.0015)] }
        }
        try session.add(anchor: ARAnchor(name: "a", transform: .identity))
        #expect(try position("a", try #require(try await steps(session, 12).last)) == .zero)
        #expect(try position("a", try #require(try await steps(session, 28).last)).isClose(Vector3(0.003, 0, 0)))
    }

    /// A second correction while the first one is applied, and one too large to be smooth.
    @Test func correctionsAddUp() async throws {
        let recorder = DelegateRecorder()
        let session = session(recorder) { index, result in
            if index == 6 || index == 9 { result.keyframeMoves = [7: Self.shift(0.03)] }
            if index == 11 { result.keyframeMoves = [7: Self.shift(0.5)] }
        }
        try session.add(anchor: ARAnchor(name: "a", transform: .identity))
        let before = try position("a", try #require(try await steps(session, 11).last))
        #expect(before.x > 0.005 && before.x < 0.06)
        #expect(try position("a", try #require(try await steps(session, 1).last)).isClose(Vector3(0.56, 0, 0)))
        #expect(try position("a", try #require(try await steps(session, 20).last)).isClose(Vector3(0.56, 0, 0)))
    }

    /// An anchor that the app moves hangs on the newest keyframe; one from before a loss stays.
    @Test func movedAndEarlierAnchorsDoNotFollow() async throws {
        let recorder = DelegateRecorder()
        let session = session(recorder) { index, result in
            if index == 15 || index == 16 { result.state = .limited(.relocalizing) }
            if index == 17 { result.relocalizationCorrection = .identity }
            if index == 8 || index == 20 { result.keyframeMoves = [7: Self.shift(0.1)] }
        }
        let anchor = ARAnchor(name: "moved", transform: .identity)
        try session.add(anchor: anchor)
        try session.add(anchor: ARAnchor(name: "early", transform: .identity))
        _ = try await steps(session, 6)
        try session.add(anchor: ARAnchor(name: "moved", transform: Matrix4(translation: .up), identifier: anchor.identifier))
        let last = try #require(try await steps(session, 40).last)
        #expect(try position("moved", last) == .up)
        #expect(try position("early", last).isClose(Vector3(0.1, 0, 0)))
    }

    @Test func planesFollowUntilTheDetectorCorrectsThem() throws {
        var world = WorldModel()
        func update(_ index: Int, moves: [Int: RigidTransform] = [:]) {
            var result = TrackingResult.at(Double(index))
            (result.referenceKeyframe, result.keyframeMoves) = (3, moves)
            let sample = CameraSample(time: result.time, image: CapturedImage(luma: Plane(width: 4, height: 4, repeating: 9)))
            var milliseconds = 0.0
            _ = world.update(
                with: TrackedFrame(sample: sample, result: result, timestamp: result.time), estimatesPosition: true,
                milliseconds: &milliseconds)
        }
        func plane(_ name: UUID, _ height: Float, width: Float) -> ARPlaneAnchor {
            ARPlaneAnchor(
                transform: Matrix4(translation: Vector3(0, height, 0)), identifier: name, alignment: .horizontal, center: .zero,
                planeExtent: ARPlaneExtent(width: width, height: 1), geometry: ARPlaneGeometry(boundaryVertices: []))
        }
        let floor = UUID()
        world.apply(PlaneAnchorChanges(added: [plane(floor, 0, width: 1)]))
        update(0)
        update(1, moves: [3: Self.shift(0.05)])
        for index in 2..<4 { update(index) }
        #expect(world.anchors[0].transform.translation.isClose(Vector3(0.05, 0, 0)))
        // It grows in place.
        world.apply(PlaneAnchorChanges(updated: [plane(floor, 0, width: 2)]))
        #expect(world.anchors[0].transform.translation.isClose(Vector3(0.05, 0, 0)))
        #expect((world.anchors[0] as? ARPlaneAnchor)?.planeExtent.width == 2)
        // The detector's correction includes the move of the world.
        world.apply(PlaneAnchorChanges(updated: [plane(floor, 0.03, width: 2)]))
        #expect(world.anchors[0].transform.translation == Vector3(0, 0.03, 0))
    }
}
