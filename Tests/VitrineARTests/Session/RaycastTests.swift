import Foundation
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineAR

@MainActor struct RaycastTests {
    /// A square of 1 m² around the origin of its frame.
    private func plane(_ alignment: ARPlaneAnchor.Alignment, _ transform: Matrix4) -> ARPlaneAnchor {
        ARPlaneAnchor(
            transform: transform, alignment: alignment, planeExtent: ARPlaneExtent(width: 1, height: 1),
            geometry: ARPlaneGeometry(
                boundaryVertices: [Vector3(-0.5, 0, -0.5), Vector3(-0.5, 0, 0.5), Vector3(0.5, 0, 0.5), Vector3(0.5, 0, -0.5)]))
    }

    private func frame(_ anchors: [ARAnchor]) -> ARFrame {
        ARFrame(
            timestamp: 0, capturedImage: CameraSample.scripted(0).image,
            camera: ARCamera(transform: Matrix4(translation: Vector3(0, 1.5, 0)), model: SensorRig.scripted.camera), anchors: anchors)
    }

    private let wall = Transform(translation: Vector3(0, 1, -3), rotation: Quaternion(angle: .degrees(90), axis: .right)).matrix

    @Test func resultsAreSortedByDistance() {
        let table = plane(.horizontal, Matrix4(translation: Vector3(0, 0.7, -1)))
        let floor = plane(.horizontal, Matrix4(translation: Vector3(0, 0, -2)))
        let frame = frame([floor, ARAnchor(transform: .identity), plane(.vertical, wall), table])
        let query = ARRaycastQuery(
            origin: Vector3(0, 1.5, 0), direction: Vector3(0, -1.5, -2), allowing: .existingPlaneInfinite, alignment: .any)
        let results = frame.raycast(query)
        #expect(results.map(\.distance).sorted() == results.map(\.distance))
        #expect(results.map { $0.anchor?.identifier } == [table.identifier, floor.identifier, frame.anchors[2].identifier])
        #expect(results[1].worldTransform.translation.isClose(Vector3(0, 0, -2)))
        #expect(abs(results[1].distance - 2.5) < 1e-5)
        #expect(results[1].worldTransform.y.xyz == .up)
    }

    @Test func targetsAndAlignmentsAreRespected() {
        let floor = plane(.horizontal, Matrix4(translation: Vector3(0, 0, -2)))
        let frame = frame([floor, plane(.vertical, wall)])
        func count(_ direction: Vector3, _ target: ARRaycastQuery.Target, _ alignment: ARRaycastQuery.TargetAlignment) -> Int {
            frame.raycast(ARRaycastQuery(origin: Vector3(0, 1.5, 0), direction: direction, allowing: target, alignment: alignment)).count
        }
        let down = Vector3(0, -1.5, -2)
        #expect(count(down, .existingPlaneInfinite, .any) == 2)
        #expect(count(down, .existingPlaneInfinite, .horizontal) == 1)
        #expect(count(down, .existingPlaneInfinite, .vertical) == 1)
        #expect(count(down, .existingPlaneGeometry, .any) == 1)
        // Outside of the outline.
        #expect(count(Vector3(0, -1.5, -1), .existingPlaneGeometry, .any) == 0)
        #expect(count(Vector3(0, -1.5, -1), .existingPlaneInfinite, .horizontal) == 1)
        // Away from the plane, and parallel to it.
        #expect(count(Vector3(0, 1.5, 2), .existingPlaneInfinite, .any) == 0)
        #expect(count(Vector3(1, 0, 0), .existingPlaneInfinite, .any) == 0)
        #expect(count(.zero, .existingPlaneInfinite, .any) == 0)
        #expect(count(Vector3(.nan, 0, 0), .existingPlaneInfinite, .any) == 0)
    }

    @Test func trackedRaycastsUpdate() async throws {
        let session = ARSession(source: ScriptedSource(times: (0..<9).map(Double.init)), pace: .stepped)
        let query = ARRaycastQuery(
            origin: Vector3(0, 1, 0), direction: Vector3(0, -1, 0), allowing: .existingPlaneInfinite, alignment: .any)
        #expect(session.trackedRaycast(query) { _ in } == nil)
        session.run(ARWorldTrackingConfiguration.walking)
        var heights: [[Float]] = []
        let tracked = session.trackedRaycast(query) { heights.append($0.map(\.worldTransform.translation.y)) }
        _ = try await session.step()
        #expect(heights == [])
        let floor = plane(.horizontal, .identity)
        try session.add(anchor: floor)
        _ = try await session.step()
        _ = try await session.step()
        #expect(heights == [[0]])
        try session.add(anchor: floor.with(transform: Matrix4(translation: Vector3(0, 0.25, 0))))
        _ = try await session.step()
        #expect(heights == [[0], [0.25]])
        // The ray stays fixed in the world when the origin moves.
        try session.setWorldOrigin(relativeTransform: Matrix4(translation: Vector3(0, 10, 0)))
        _ = try await session.step()
        #expect(heights == [[0], [0.25], [-9.75]])
        #expect(session.raycast(query).isEmpty == false)
        tracked?.stopTracking()
        session.remove(anchor: floor)
        _ = try await session.step()
        #expect(heights.count == 3)

        let second = session.trackedRaycast(query) { heights.append($0.map(\.worldTransform.translation.y)) }
        session.run(ARWorldTrackingConfiguration.walking, options: [.stopTrackedRaycasts])
        try session.add(anchor: floor)
        _ = try await session.step()
        #expect(heights.count == 3)
        _ = second
    }

    @Test func hitTestResultsHaveALocalTransform() {
        let anchor = ARAnchor(transform: Matrix4(translation: Vector3(1, 2, 3)))
        let result = ARHitTestResult(
            type: .existingPlane, distance: 1, worldTransform: Matrix4(translation: Vector3(1, 2, 5)), anchor: anchor)
        #expect(result.localTransform.isClose(to: Matrix4(translation: Vector3(0, 0, 2))))
    }
}
