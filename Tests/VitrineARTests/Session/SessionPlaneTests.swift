import Testing
import VitrineMath
import VitrineVision

@testable import VitrineAR

/// Planes of a session whose tracker gives a grid of points on a floor 1.2 m below the camera.
@MainActor struct SessionPlaneTests {
    private nonisolated static let floor: [TrackedPoint] = (0..<144).map { index in
        TrackedPoint(id: index, position: Vector3d(Double(index % 12) * 0.15 - 0.8, -1.2, -1 - Double(index / 12) * 0.15), pixel: .zero)
    }

    private func session(
        _ detection: ARWorldTrackingConfiguration.PlaneDetection, tracking: TrackingMethod? = nil
    ) -> (ARSession, ARWorldTrackingConfiguration) {
        let session = ARSession(source: ScriptedSource(times: (0..<60).map { Double($0) / 20 }), pace: .stepped)
        let tracking = tracking ?? .scripted { _, time in .at(time, Vector3d(0.1 * time, 0, 0), points: Self.floor) }
        let configuration = ARWorldTrackingConfiguration(
            planeDetection: detection, isLightEstimationEnabled: false, tracking: tracking)
        session.run(configuration)
        return (session, configuration)
    }

    private func steps(_ session: ARSession, _ count: Int) async throws -> ARFrame {
        var last: ARFrame?
        for _ in 0..<count { last = try await session.step() ?? last }
        return try #require(last)
    }

    private func planes(_ frame: ARFrame) -> [ARPlaneAnchor] { frame.anchors.compactMap { $0 as? ARPlaneAnchor } }

    @Test func planesAreAnchors() async throws {
        let (session, _) = session([.horizontal])
        let recorder = DelegateRecorder()
        session.delegate = recorder
        let frame = try await steps(session, 30)
        let plane = try #require(planes(frame).first)
        #expect(planes(frame).count == 1)
        #expect(plane.alignment == .horizontal)
        #expect(abs(plane.transform.translation.y + 1.2) < 0.01)
        #expect(plane.transform.y.xyz.isClose(.up, tolerance: 0.02))
        #expect(plane.center.y == 0)
        #expect(max(plane.planeExtent.width, plane.planeExtent.height) > 1.2)
        #expect(plane.geometry.boundaryVertices.allSatisfy { $0.y == 0 })
        #expect(plane.geometry.contains(plane.center))
        #expect(recorder.calls.filter { $0 == "add ?" }.count == 1)
        // A later frame has the same plane with the same transform.
        let later = try #require(planes(try await steps(session, 20)).first)
        #expect(later.identifier == plane.identifier)
        #expect(later.transform == plane.transform)
    }

    @Test func onlyRequestedPlanesAreDetected() async throws {
        let (none, _) = session([])
        #expect(planes(try await steps(none, 20)).isEmpty)
        let (upright, _) = session([.vertical])
        #expect(planes(try await steps(upright, 20)).isEmpty)
    }

    @Test func tapsHitTheFloor() async throws {
        let (session, _) = session([.horizontal])
        try session.setWorldOrigin(relativeTransform: Matrix4(translation: Vector3(0, -1.2, 0)))
        let frame = try await steps(session, 40)
        // At three quarters of the height, the ray falls by 0.5 m per metre.
        let tap = Vector2(0.5, 0.75)
        for target in ARRaycastQuery.Target.allCases {
            let results = session.raycast(frame.raycastQuery(from: tap, allowing: target, alignment: .horizontal))
            let hit = try #require(results.first, "\(target)")
            #expect(hit.worldTransform.translation.isClose(Vector3(frame.camera.transform.translation.x, 0, -2.4), tolerance: 0.05))
            #expect(hit.worldTransform.y.xyz.isClose(.up, tolerance: 0.05))
            #expect((hit.anchor == nil) == (target == .estimatedPlane))
        }
        #expect(session.raycast(frame.raycastQuery(from: tap, allowing: .existingPlaneInfinite, alignment: .vertical)).isEmpty)
        let all: ARHitTestResult.ResultType = [
            .featurePoint, .estimatedHorizontalPlane, .existingPlane, .existingPlaneUsingExtent, .existingPlaneUsingGeometry,
        ]
        let hits = frame.hitTest(tap, types: all)
        #expect(hits.map(\.distance).sorted() == hits.map(\.distance))
        #expect(hits.reduce(into: ARHitTestResult.ResultType()) { $0.formUnion($1.type) } == all)
        #expect(hits.allSatisfy { abs($0.worldTransform.translation.y) < 0.02 })
        #expect(frame.hitTest(Vector2(0.5, 0.1), types: all).isEmpty)
    }

    @Test func removedPlanesStayRemovedUntilAReset() async throws {
        let (session, configuration) = session([.horizontal])
        let plane = try #require(planes(try await steps(session, 28)).first)
        session.remove(anchor: plane)
        #expect(planes(try await steps(session, 4)).isEmpty)
        session.run(configuration, options: [.removeExistingAnchors])
        let found = try #require(planes(try await steps(session, 28)).first)
        #expect(found.identifier != plane.identifier)
    }

    @Test func replaysAreBitIdentical() async throws {
        var rounds: [[ARFrame]] = []
        for _ in 0..<2 {
            let (session, _) = session([.horizontal, .vertical])
            var frames: [ARFrame] = []
            for try await frame in session.frames { frames.append(frame) }
            rounds.append(frames)
        }
        #expect(rounds[0].count == 60)
        #expect(rounds[0] == rounds[1])
        #expect(rounds[0].last?.anchors.isEmpty == false)
    }
}
