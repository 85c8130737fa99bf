import Foundation
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineAR

@MainActor struct AnchorTests {
    private func session(frames: Int = 20, delegate: DelegateRecorder? = nil) -> ARSession {
        let session = ARSession(source: ScriptedSource(times: (0..<frames).map(Double.init)), pace: .stepped)
        session.delegate = delegate
        session.run(ARWorldTrackingConfiguration.walking)
        return session
    }

    @Test func anchorsTakeEffectOnTheNextFrame() async throws {
        let recorder = DelegateRecorder()
        let session = session(delegate: recorder)
        let first = try #require(try await session.step())
        let anchor = ARAnchor(name: "cube", transform: first.camera.transform * Matrix4(translation: Vector3(0, 0, -0.3)))
        try session.add(anchor: anchor)
        #expect(session.currentFrame?.anchors == [])
        #expect(try await session.step()?.anchors == [anchor])
        session.remove(anchor: anchor)
        #expect(session.currentFrame?.anchors == [anchor])
        #expect(try await session.step()?.anchors == [])
        // Earlier frames keep their anchors.
        #expect(first.anchors == [])
        #expect(recorder.calls == ["state normal", "frame 0.0", "frame 1.0", "add cube", "frame 2.0", "remove cube"])
    }

    @Test func anchorsAreDistinguishedByIdentifier() async throws {
        let recorder = DelegateRecorder()
        let session = session(delegate: recorder)
        let a = ARAnchor(name: "a", transform: .identity)
        let b = ARAnchor(name: "b", transform: .identity)
        try session.add(anchor: a)
        try session.add(anchor: b)
        _ = try await session.step()
        let moved = ARAnchor(name: "a", transform: Matrix4(translation: Vector3(0, 1, 0)), identifier: a.identifier)
        try session.add(anchor: moved)
        #expect(try await session.step()?.anchors == [moved, b])
        // Removed by another object with the same identifier, its earlier state.
        session.remove(anchor: a)
        #expect(try await session.step()?.anchors == [b])
        session.remove(anchor: a)
        #expect(try await session.step()?.anchors == [b])
        #expect(
            recorder.calls == [
                "state normal", "frame 0.0", "add a b", "frame 1.0", "update a", "frame 2.0", "remove a", "frame 3.0",
            ])
    }

    @Test func changesAreAppliedInOrder() async throws {
        let recorder = DelegateRecorder()
        let session = session(delegate: recorder)
        let (a, b) = (ARAnchor(name: "a", transform: .identity), ARAnchor(name: "b", transform: .identity))
        try session.add(anchor: a)
        try session.add(anchor: b)
        _ = try await session.step()
        recorder.calls = []
        session.remove(anchor: a)
        try session.add(anchor: ARAnchor(name: "b", transform: Matrix4(translation: .up), identifier: b.identifier))
        try session.add(anchor: ARAnchor(name: "c", transform: .identity))
        _ = try await session.step()
        #expect(recorder.calls == ["frame 1.0", "add c", "update b", "remove a"])
    }

    @Test func changesThatCancelOutBetweenFramesAreNotReported() async throws {
        let recorder = DelegateRecorder()
        let session = session(delegate: recorder)
        let anchor = ARAnchor(name: "a", transform: .identity)
        try session.add(anchor: anchor)
        session.remove(anchor: anchor)
        #expect(try await session.step()?.anchors == [])
        #expect(recorder.calls == ["state normal", "frame 0.0"])
        // Removed and added again unchanged: no change.
        try session.add(anchor: anchor)
        _ = try await session.step()
        session.remove(anchor: anchor)
        try session.add(anchor: anchor)
        #expect(try await session.step()?.anchors == [anchor])
        #expect(recorder.calls == ["state normal", "frame 0.0", "frame 1.0", "add a", "frame 2.0"])
    }

    @Test func changesDuringAPauseTakeEffectAfterIt() async throws {
        let session = session()
        _ = try await session.step()
        session.pause()
        let anchor = ARAnchor(transform: .identity)
        try session.add(anchor: anchor)
        #expect(session.currentFrame?.anchors == [])
        session.run(ARWorldTrackingConfiguration.walking)
        #expect(try await session.step()?.anchors == [anchor])
    }

    @Test func runRemovesAnchorsOnRequest() async throws {
        let recorder = DelegateRecorder()
        let session = session(delegate: recorder)
        try session.add(anchor: ARAnchor(name: "old", transform: .identity))
        _ = try await session.step()
        session.run(ARWorldTrackingConfiguration.walking, options: [.resetTracking])
        #expect(try await session.step()?.anchors.count == 1)
        session.run(ARWorldTrackingConfiguration.walking, options: [.removeExistingAnchors])
        try session.add(anchor: ARAnchor(name: "new", transform: .identity))
        #expect(try await session.step()?.anchors.map(\.name) == ["new"])
        #expect(recorder.calls.suffix(3) == ["frame 2.0", "add new", "remove old"])
    }

    @Test func invalidTransformsAreRejected() throws {
        let session = session()
        var flat = Matrix4.identity
        flat.y = .zero
        var projective = Matrix4.identity
        projective.z.w = -1
        for transform in [Matrix4(translation: Vector3(.nan, 0, 0)), Matrix4(scale: Vector3(1, .infinity, 1)), flat, projective] {
            let error = #expect(throws: ARError.self) { try session.add(anchor: ARAnchor(transform: transform)) }
            #expect(error?.code == .invalidValue)
        }
        for transform in [Matrix4(scale: Vector3(repeating: 2)), Matrix4(scale: Vector3(-1, 1, 1)), flat] {
            #expect(throws: ARError.self) { try session.setWorldOrigin(relativeTransform: transform) }
        }
    }

    @Test func movingTheOriginMovesEverything() async throws {
        let recorder = DelegateRecorder()
        let session = ARSession(source: ScriptedSource(times: [0, 0, 1, 2, 3].map { $0 }), pace: .stepped)
        session.delegate = recorder
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .scripted { _, time in
                    .at(time, Vector3d(1, 2, 3), points: [TrackedPoint(id: 1, position: Vector3d(1, 2, 0), pixel: .zero)])
                }))
        try session.add(anchor: ARAnchor(name: "a", transform: Matrix4(translation: Vector3(1, 2, 2))))
        let before = try #require(try await session.step())
        // The new origin: below the camera, rotated by 90° to the left.
        let turn = Transform(translation: Vector3(1, 0, 3), rotation: Quaternion(angle: .degrees(90), axis: .up)).matrix
        try session.setWorldOrigin(relativeTransform: turn)
        #expect(session.currentFrame == before)
        let after = try #require(try await session.step())
        #expect(after.camera.transform.translation.isClose(Vector3(0, 2, 0)))
        // Relative to the camera, the anchor and the point stay in place.
        func seen(_ frame: ARFrame, _ matrix: Matrix4) -> Matrix4 { frame.camera.transform.affineInverse * matrix }
        #expect(seen(after, after.anchors[0].transform).isClose(to: seen(before, before.anchors[0].transform)))
        let (old, new) = (try #require(before.rawFeaturePoints), try #require(after.rawFeaturePoints))
        #expect(
            seen(after, Matrix4(translation: new.points[0])).translation.isClose(
                seen(before, Matrix4(translation: old.points[0])).translation))
        #expect(recorder.calls.suffix(2) == ["frame 1.0", "update a"])
        // The change persists, and further ones accumulate.
        let third = try #require(try await session.step())
        #expect(third.camera.transform == after.camera.transform)
        try session.setWorldOrigin(relativeTransform: Matrix4(translation: Vector3(0, 1, 0)))
        #expect(try #require(try await session.step()).camera.transform.translation.isClose(Vector3(0, 1, 0)))
    }

    @Test func planesGrowInPlaceAndMerge() throws {
        var world = WorldModel()
        let (floor, piece) = (plane("floor", width: 1), plane("piece", width: 0.5, at: Vector3(2, 0, 0)))
        world.apply(PlaneAnchorChanges(added: [floor, piece]))
        #expect(world.anchorChanges == AnchorChanges(added: [floor, piece]))
        world.confirmAnchorChanges()
        let grown = plane("floor", width: 4, center: Vector3(1, 0, 0), like: floor)
        world.apply(PlaneAnchorChanges(updated: [grown], removed: [piece]))
        #expect(world.anchors == [grown])
        #expect(world.anchors[0].transform == floor.transform)
        #expect(world.anchorChanges == AnchorChanges(updated: [grown], removed: [piece]))
    }

    @Test func planesMoveWithTheOrigin() {
        var world = WorldModel()
        world.moveOrigin(RigidTransform(rotation: .identity, translation: Vector3d(0, -1, 0)))
        world.apply(PlaneAnchorChanges(added: [plane("floor", width: 1)]))
        #expect(world.anchors[0].transform.translation == Vector3(0, 1, 0))
        world.moveOrigin(RigidTransform(rotation: .identity, translation: Vector3d(0, 1, 0)))
        #expect(world.anchors[0].transform.translation == .zero)
        #expect((world.anchors[0] as? ARPlaneAnchor)?.planeExtent.width == 1)
    }

    @Test(.timeLimit(.minutes(10))) func tenThousandAnchorsAreFast() async throws {
        let session = session()
        let anchors = (0..<10_000).map { ARAnchor(transform: Matrix4(translation: Vector3(Float($0), 0, 0))) }
        for anchor in anchors { try session.add(anchor: anchor) }
        #expect(try await session.step()?.anchors.count == 10_000)
        for anchor in anchors where anchor.transform.translation.x.truncatingRemainder(dividingBy: 2) == 1 {
            session.remove(anchor: anchor)
        }
        let half = try #require(try await session.step()).anchors
        #expect(half.map(\.transform.translation.x) == (0..<5_000).map { Float(2 * $0) })
        // Alternating removal and addition: the worst order.
        for anchor in anchors.prefix(200) {
            session.remove(anchor: anchor)
            try session.add(anchor: anchor)
        }
        try session.setWorldOrigin(relativeTransform: Matrix4(translation: .up))
        let last = try #require(try await session.step()).anchors
        #expect(last.count == 5_100)
        #expect(last.allSatisfy { $0.transform.translation.y == -1 })
    }

    private func plane(_ name: String, width: Float, at position: Vector3 = .zero, center: Vector3 = .zero, like: ARPlaneAnchor? = nil)
        -> ARPlaneAnchor
    {
        ARPlaneAnchor(
            name: name, transform: Matrix4(translation: position), identifier: like?.identifier ?? UUID(), alignment: .horizontal,
            center: center, planeExtent: ARPlaneExtent(width: width, height: 1), geometry: ARPlaneGeometry(boundaryVertices: []))
    }
}

extension Vector3 {
    func isClose(_ other: Vector3, tolerance: Float = 1e-5) -> Bool { distance(self, other) <= tolerance }
}
