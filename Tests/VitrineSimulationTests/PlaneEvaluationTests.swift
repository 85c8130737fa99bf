import Testing
import VitrineAR
import VitrineVision

@testable import VitrineSimulation

@Suite struct PlaneEvaluationTests {
    /// Points on a floor at 0 and on a surface 0.6 m above it that does not exist in the ground truth.
    @Test func planesAreComparedWithGroundTruth() throws {
        let points = (0..<200).map { i in
            let (row, column) = (Double(i % 100 / 10), Double(i % 10))
            return TrackedPoint(
                id: i, position: Vector3d(column * 0.15 - 0.7, i < 100 ? 0.01 : 0.6, -1 - row * 0.15 - (i < 100 ? 0 : 2)), pixel: .zero)
        }
        let pose = RigidTransform(rotation: .identity, translation: Vector3d(0, 1.4, 0))
        let rig = SimulatedDevice.phone.rig
        var evaluation = PlaneEvaluation()
        for frame in 0..<30 {
            let result = TrackingResult(time: Double(frame) / 10, state: .normal, worldFromCamera: pose, points: points, rig: rig)
            evaluation.add(result, camera: rig.camera, depth: nil)
        }
        let floor = SimulatedRoom.Face(origin: Vector3(-4, 0, -4), across: Vector3(8, 0, 0), down: Vector3(0, 0, 8))
        #expect(floor.normal.y > 0.999)
        let planes = evaluation.planes(in: [floor], .identity)
        let found = try #require(planes.first { !$0.isFalse })
        #expect(planes.count == 2 && planes.filter(\.isFalse).count == 1)
        let (distance, angle) = (try #require(found.distance), try #require(found.angle))
        #expect(abs(distance - 0.01) < 0.003 && angle < 0.3)
        #expect(found.area > 1 && found.areaOff == 0 && found.moves == 0 && found.after < 2)
    }
}
