import Testing
import VitrineMath
import VitrineTracking
import VitrineVision

@testable import VitrineAR

@Suite struct SurfaceRayTests {
    /// A finder that has seen the furnished room; by depth or by points.
    static func finder(depth: Bool) -> PlaneFinder {
        let room = SyntheticRoom.furnished
        return PlaneFinderTests.run(
            room, pictures: 60, points: depth ? [] : room.points(count: 900), noise: 0.01, depth: depth ? 0.002 : nil
        )
        .finder
    }

    static let byDepth = finder(depth: true)
    static let byPoints = finder(depth: false)

    @Test func planesAreHitWhereTheyAre() throws {
        let room = SyntheticRoom.furnished
        let eye = Vector3d(-0.8, 1.5, 0.5)
        let ray = SurfaceRay(origin: eye, direction: Vector3d(-0.8, 0.75, -1.6) - eye, target: .existingPlaneGeometry)
        let hits = Self.byDepth.raycast(ray)
        let first = try #require(hits.first)
        let truth = try #require(room.hit(eye, normalize(ray.direction)))
        #expect(truth.face == 3)
        #expect(abs(first.distance - truth.distance) < 0.02)
        #expect(length(first.position - Vector3d(-0.8, 0.75, -1.6)) < 0.02)
        #expect(first.alignment == .horizontal && first.worldTransform.rotation.y.y > 0.999)
        #expect(Self.byDepth.planes.first { $0.id == first.planeID }?.classification == .table)
        // Behind the table comes the wall; the floor is met beyond its outline.
        #expect(zip(hits, hits.dropFirst()).allSatisfy { $0.distance <= $1.distance })
        let infinite = Self.byDepth.raycast(SurfaceRay(origin: eye, direction: ray.direction, target: .existingPlaneInfinite))
        #expect(infinite.count > hits.count)
        #expect(infinite.map(\.distance) == infinite.map(\.distance).sorted())
    }

    @Test func alignmentsChoose() {
        let eye = Vector3d(0, 1.5, 0.5)
        for alignment in RayAlignment.allCases {
            for target in RayTarget.allCases {
                for x in stride(from: -1.0, through: 1, by: 0.25) {
                    let ray = SurfaceRay(origin: eye, direction: Vector3d(x, -0.4, -1), target: target, alignment: alignment)
                    for hit in Self.byDepth.raycast(ray) {
                        #expect(alignment == .any || hit.alignment?.rawValue == alignment.rawValue)
                        let axes = hit.worldTransform.rotation
                        #expect(abs(axes.determinant - 1) < 1e-9)
                        #expect(length(axes * axes.transpose * Vector3d(1, 2, 3) - Vector3d(1, 2, 3)) < 1e-9)
                        // From the side that the ray came from.
                        #expect(dot(axes.y, ray.direction) < 0)
                    }
                }
            }
        }
    }

    @Test(arguments: [true, false]) func surfacesAreGuessedAroundARay(depth: Bool) throws {
        let (room, finder) = (SyntheticRoom.furnished, depth ? Self.byDepth : Self.byPoints)
        // What the last picture saw.
        let pose = try #require(SyntheticRoom.walk(60).last)
        var (hits, near) = (0, 0)
        for x in stride(from: -0.4, through: 0.4, by: 0.08) {
            for y in stride(from: -0.3, through: 0.3, by: 0.06) {
                let direction = normalize(pose.rotation * Vector3d(x, y, 1))
                guard let truth = room.hit(pose.translation, direction) else { continue }
                guard let hit = finder.raycast(SurfaceRay(origin: pose.translation, direction: direction)).first else { continue }
                hits += 1
                let isNear = abs(hit.distance - truth.distance) < (depth ? 0.05 : 0.1) * truth.distance
                if isNear, dot(hit.worldTransform.rotation.y, room.faces[truth.face].normal) > 0.95 { near += 1 }
            }
        }
        #expect(hits > (depth ? 90 : 60))
        // Few points around an edge can't tell which side a ray meets.
        #expect(Double(near) > (depth ? 0.95 : 0.85) * Double(hits))
    }

    @Test func guessedAxesAreAsPromised() throws {
        let eye = Vector3d(-0.6, 1.5, 0.5)
        let down = SurfaceRay(origin: eye, direction: Vector3d(-0.2, -0.75, -2.1), alignment: .horizontal)
        let level = try #require(Self.byPoints.raycast(down).first).worldTransform.rotation
        #expect(level.y == Vector3d(0, 1, 0))
        let back = normalize(Vector3d(0.2, 0, 2.1))
        #expect(length(level.z - back) < 1e-9)
        let ahead = SurfaceRay(origin: eye, direction: Vector3d(0, -0.1, -1), alignment: .vertical)
        let upright = try #require(Self.byPoints.raycast(ahead).first).worldTransform.rotation
        #expect(length(upright.z - Vector3d(0, -1, 0)) < 1e-9)
        #expect(upright.y.z > 0.99 && upright.x.x > 0.99)
    }

    @Test func strangeRaysHitNothing() throws {
        let plane = try #require(Self.byDepth.planes.first)
        let along = plane.worldFromPlane.rotation.x
        for target in RayTarget.allCases {
            for (origin, direction) in [
                (Vector3d.zero, Vector3d.zero), (Vector3d(.nan, 0, 0), Vector3d(0, -1, 0)), (Vector3d.zero, Vector3d(0, .infinity, 0)),
                (Vector3d(0, .infinity, 0), Vector3d(0, -1, 0)), (Vector3d.zero, Vector3d(.nan, 1, 0)),
            ] {
                let ray = SurfaceRay(origin: origin, direction: direction, target: target)
                #expect(Self.byDepth.raycast(ray).isEmpty)
                #expect(Self.byDepth.points(near: ray).isEmpty)
            }
        }
        let parallel = SurfaceRay(
            origin: plane.worldFromPlane.translation + plane.normal, direction: along, target: .existingPlaneInfinite,
            alignment: .horizontal)
        #expect(!Self.byDepth.raycast(parallel).contains { $0.planeID == plane.id })
        // Away from everything.
        #expect(
            Self.byDepth.raycast(SurfaceRay(origin: Vector3d(0, 1, 1), direction: Vector3d(0, 0.2, 1), target: .existingPlaneGeometry))
                .isEmpty)
    }

    @Test func pointsNearARayComeNearestFirst() throws {
        var finder = PlaneFinder()
        let places = [Vector3d(0, 0, -2), Vector3d(0.02, 0, -1), Vector3d(1, 0, -1), Vector3d(0, 0, 1)]
        let points = places.enumerated().map { TrackedPoint(id: $0.offset, position: $0.element, pixel: .zero) }
        _ = finder.update(time: 0, worldFromCamera: .identity, camera: SyntheticRoom.camera, points: points)
        let hits = finder.points(near: SurfaceRay(origin: .zero, direction: Vector3d(0, 0, -5)))
        #expect(hits.map(\.pointID) == [1, 0])
        #expect(hits.last.map { $0.distance == 2 && $0.angle == 0 } == true)
        #expect(finder.points(near: SurfaceRay(origin: .zero, direction: Vector3d(0, 0, -5)), cone: 0.01).map(\.pointID) == [0])
    }
}
