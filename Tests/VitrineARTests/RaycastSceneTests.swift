import Testing
import VitrineMath
import VitrineTracking
import VitrineVision

@testable import VitrineAR

@Suite struct RaycastSceneTests {
    typealias Ray = RaycastScene.Ray

    /// The scene after detection in the furnished room, with depth or with points.
    static func scene(depth: Bool) -> RaycastScene {
        let room = SyntheticRoom.furnished
        return PlaneDetectorTests.run(
            room, frames: 60, points: depth ? [] : room.points(count: 900), noise: 0.01, depth: depth ? 0.002 : nil
        )
        .detector.raycastScene(sessionFromTracker: .identity)
    }

    static let byDepth = scene(depth: true)
    static let byPoints = scene(depth: false)

    @Test(arguments: ARRaycastQuery.TargetAlignment.allCases) func resultsHaveTheRequestedAlignment(
        alignment: ARRaycastQuery.TargetAlignment
    ) {
        var count = 0
        for scene in [Self.byDepth, Self.byPoints] {
            for x in stride(from: -1.0, through: 1, by: 0.25) {
                let ray = Ray(origin: Vector3d(0, 1.5, 0.5), direction: Vector3d(x, -0.4, -1))
                guard let surface = scene.estimatedSurface(along: ray, alignment) else { continue }
                count += 1
                #expect(alignment == .any || surface.alignment?.rawValue == alignment.rawValue)
                let axes = surface.worldTransform.rotation
                #expect(abs(axes.determinant - 1) < 1e-9)
                #expect(length(axes * axes.transpose * Vector3d(1, 2, 3) - Vector3d(1, 2, 3)) < 1e-9)
                // The normal points to the side of the ray's origin.
                #expect(dot(axes.y, ray.direction) < 0)
            }
        }
        #expect(count > 3)
    }

    @Test(arguments: [true, false]) func surfacesAreEstimatedAlongARay(depth: Bool) throws {
        let (room, scene) = (SyntheticRoom.furnished, depth ? Self.byDepth : Self.byPoints)
        // The view of the last image.
        let pose = try #require(SyntheticRoom.walk(60).last)
        var (hits, near) = (0, 0)
        for x in stride(from: -0.4, through: 0.4, by: 0.08) {
            for y in stride(from: -0.3, through: 0.3, by: 0.06) {
                let direction = normalize(pose.rotation * Vector3d(x, y, 1))
                guard let truth = room.hit(pose.translation, direction) else { continue }
                guard let hit = scene.estimatedSurface(along: Ray(origin: pose.translation, direction: direction), .any) else { continue }
                hits += 1
                let isNear = abs(hit.distance - truth.distance) < (depth ? 0.05 : 0.1) * truth.distance
                if isNear, dot(hit.worldTransform.rotation.y, room.faces[truth.face].normal) > 0.95 { near += 1 }
            }
        }
        #expect(hits > (depth ? 90 : 60))
        // Around an edge, a few points do not determine the surface that a ray hits.
        #expect(Double(near) > (depth ? 0.95 : 0.85) * Double(hits))
    }

    @Test func axesFollowTheDocumentation() throws {
        let eye = Vector3d(-0.6, 1.5, 0.5)
        let down = Ray(origin: eye, direction: Vector3d(-0.2, -0.75, -2.1))
        let level = try #require(Self.byPoints.estimatedSurface(along: down, .horizontal)).worldTransform.rotation
        #expect(level.y == Vector3d(0, 1, 0))
        let back = normalize(Vector3d(0.2, 0, 2.1))
        #expect(length(level.z - back) < 1e-9)
        let ahead = Ray(origin: eye, direction: Vector3d(0, -0.1, -1))
        let upright = try #require(Self.byPoints.estimatedSurface(along: ahead, .vertical)).worldTransform.rotation
        #expect(length(upright.z - Vector3d(0, -1, 0)) < 1e-9)
        #expect(upright.y.z > 0.99 && upright.x.x > 0.99)
    }

    @Test func invalidRaysHitNothing() {
        for (origin, direction) in [
            (Vector3d.zero, Vector3d.zero), (Vector3d(.nan, 0, 0), Vector3d(0, -1, 0)), (Vector3d.zero, Vector3d(0, .infinity, 0)),
            (Vector3d(0, .infinity, 0), Vector3d(0, -1, 0)), (Vector3d.zero, Vector3d(.nan, 1, 0)),
            // A direction without surfaces.
            (Vector3d(0, 1, 1), Vector3d(0, 0.2, 1)),
        ] {
            let ray = Ray(origin: origin, direction: direction)
            for scene in [Self.byDepth, Self.byPoints] {
                #expect(scene.estimatedSurface(along: ray, .any) == nil)
                #expect(scene.points(near: ray).isEmpty)
            }
        }
    }

    @Test func pointsNearARayAreSortedByDistance() throws {
        var detector = PlaneDetector()
        let positions = [Vector3d(0, 0, -2), Vector3d(0.02, 0, -1), Vector3d(1, 0, -1), Vector3d(0, 0, 1)]
        let points = positions.enumerated().map { TrackedPoint(id: $0.offset, position: $0.element, pixel: .zero) }
        _ = detector.update(time: 0, worldFromCamera: .identity, camera: SyntheticRoom.camera, points: points)
        let scene = detector.raycastScene(sessionFromTracker: .identity)
        let hits = scene.points(near: Ray(origin: .zero, direction: Vector3d(0, 0, -5)))
        #expect(hits.map(\.id) == [1, 0])
        #expect(hits.last.map { $0.distance == 2 && $0.angle == 0 } == true)
        #expect(scene.points(near: Ray(origin: .zero, direction: Vector3d(0, 0, -5)), cone: 0.01).map(\.id) == [0])
    }
}
