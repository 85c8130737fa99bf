import Testing
import VitrineGeometry

@Suite struct ShapeTests {
    @Test func polygonsContainByTheEvenOddRule() {
        let corners = [Vector2d(0, 0), Vector2d(4, 0), Vector2d(4, 4), Vector2d(2, 1), Vector2d(0, 4)]
        #expect(Polygon.contains(corners, Vector2d(1, 1)) && Polygon.contains(corners, Vector2d(3.5, 3)))
        #expect(!Polygon.contains(corners, Vector2d(2, 2)) && !Polygon.contains(corners, Vector2d(5, 1)))
        #expect(Polygon.signedArea(corners) == 10 && Polygon.area(corners.reversed()) == 10)
        #expect(Polygon.distance(corners, Vector2d(6, 1)) == 2 && Polygon.distance(corners, Vector2d(1, 1)) == 0)
    }

    @Test func planesMeasureSignedDistances() {
        let plane = Plane3(normal: Vector3d(0, 1, 0), through: Vector3d(3, 2, 5))
        #expect(plane.signedDistance(to: Vector3d(9, 5, -1)) == 3 && plane.signedDistance(to: .zero) == -2)
        #expect(plane.projection(of: Vector3d(9, 5, -1)) == Vector3d(9, 2, -1))
        let ray = Ray3(origin: Vector3d(1, 5, 1), direction: Vector3d(0, -2, 0))
        #expect(ray.intersection(with: plane) == 1.5)
        #expect(Ray3(origin: Vector3d(1, 5, 1), direction: Vector3d(1, 0, 0)).intersection(with: plane) == nil)
    }

    @Test func rigidTransformsMovePlanes() {
        let move = RigidTransform(rotation: .rotation(Vector3d(0.3, -0.5, 0.2)), translation: Vector3d(1, -2, 3))
        let plane = Plane3(normal: normalize(Vector3d(1, 2, -1)), offset: 0.7)
        let point = Vector3d(0.4, 0.9, -0.3)
        #expect(abs(plane.transformed(by: move).signedDistance(to: move * point) - plane.signedDistance(to: point)) < 1e-12)
        let larger = SimilarityTransform(scale: 3, rotation: move.rotation, translation: move.translation)
        #expect(abs(plane.moved(by: larger).signedDistance(to: larger * point) - 3 * plane.signedDistance(to: point)) < 1e-12)
    }

    @Test func quaternionsOfDoublesRoundTrip() {
        var numbers = SplitMix64(seed: 12)
        for _ in 0..<200 {
            let rotation = Matrix3d.rotation(numbers.vector3d() * 3)
            #expect(length(Matrix3d(quaternion: rotation.quaternion).x - rotation.x) < 1e-14)
            #expect(length(Matrix3d(UnitQuaternion(rotation)).y - rotation.y) < 1e-14)
            #expect(length(Matrix3d.rotation(rotation.rotationVector).z - rotation.z) < 1e-13)
        }
    }
}
