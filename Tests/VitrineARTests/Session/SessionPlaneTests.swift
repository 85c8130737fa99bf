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

    /// An anchor on an estimated surface moves along its ray onto the plane that is detected there; an anchor without a ray stays.
    @Test func anchorsOnEstimatedSurfacesSnapToThePlane() async throws {
        let (session, _) = session([.horizontal])
        let recorder = DelegateRecorder()
        session.delegate = recorder
        _ = try await steps(session, 1)
        // A guess 20 cm above the floor, 2 m ahead of the camera.
        let guess = Vector3(0, -1, -2)
        try session.add(anchor: ARAnchor(name: "guess", transform: Matrix4(translation: guess), estimatedFrom: .zero))
        try session.add(anchor: ARAnchor(name: "fixed", transform: Matrix4(translation: guess)))
        let frame = try await steps(session, 40)
        #expect(planes(frame).count == 1)
        let snapped = try #require(frame.anchors.first { $0.name == "guess" })
        #expect(snapped.transform.translation.isClose(Vector3(0, -1.2, -2.4), tolerance: 0.03))
        #expect(snapped.transform.y.xyz.isClose(.up, tolerance: 0.02))
        #expect(snapped.estimatedFrom == nil)
        #expect(frame.anchors.first { $0.name == "fixed" }?.transform.translation == guess)
        #expect(recorder.calls.filter { $0 == "update guess" }.count == 1)
    }

    /// The planes of a loaded map are live: detection updates them, and adds no other plane on the same surface.
    @Test func planesOfALoadedMapContinue() async throws {
        let corners = [Vector3(-0.4, 0, -0.3), Vector3(-0.4, 0, 0.3), Vector3(0.4, 0, 0.3), Vector3(0.4, 0, -0.3)]
        let saved = ARPlaneAnchor(
            name: "saved", transform: Matrix4(translation: Vector3(0, -1.22, -1.4)), alignment: .horizontal,
            planeExtent: ARPlaneExtent(width: 0.8, height: 0.6), geometry: ARPlaneGeometry(boundaryVertices: corners),
            classification: .floor)
        var map = ARWorldMap(anchors: [saved])
        map.landmarkMap = .oneView
        let (session, configuration) = session(
            [.horizontal],
            tracking: .mapping { index, time in
                var result = TrackingResult.at(
                    time, Vector3d(0.1 * time, 0, 0), index == 0 ? .limited(.relocalizing) : .normal, points: Self.floor)
                if index == 1 { result.relocalizationCorrection = .identity }
                return result
            })
        var mapped = configuration
        mapped.initialWorldMap = map
        session.run(mapped)
        let frame = try await steps(session, 45)
        #expect(planes(frame).count == 1)
        let plane = try #require(planes(frame).first)
        #expect(plane.identifier == saved.identifier && plane.name == "saved" && plane.transform == saved.transform)
        // The outline now covers the whole floor that was detected.
        #expect(max(plane.planeExtent.width, plane.planeExtent.height) > 1.2)
        #expect(plane.geometry.contains(.zero))
        #expect(Polygon.signedArea(plane.geometry.boundaryVertices.map { Vector2($0.x, -$0.z) }) > 0)
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
