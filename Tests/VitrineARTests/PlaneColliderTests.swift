import Testing
import VitrineMath
import VitrineVision

@testable import VitrineAR

@Suite struct PlaneColliderTests {
    /// A square plane of 2 × 2 m.
    static func plane(at point: Vector3d, normal: Vector3d = Vector3d(0, 1, 0)) -> ARPlaneAnchor {
        let alignment = ARPlaneAnchor.Alignment(normal: normal, within: 0.25) ?? .horizontal
        let frame = PlaneHypothesis.frame(normal: normal, origin: point, alignment: alignment)
        return ARPlaneAnchor(
            transform: Matrix4(frame), alignment: alignment, planeExtent: ARPlaneExtent(width: 2, height: 2),
            geometry: ARPlaneGeometry(boundaryVertices: [Vector3(-1, 0, -1), Vector3(-1, 0, 1), Vector3(1, 0, 1), Vector3(1, 0, -1)]))
    }

    @Test func bodiesFallBounceAndRest() throws {
        var collider = PlaneCollider()
        collider.add(at: Vector3d(0.2, 1, 0.1), radius: 0.05)
        let planes = [Self.plane(at: .zero), Self.plane(at: Vector3d(0, -1, 0))]
        // Free fall: half g t².
        for _ in 0..<6 { collider.advance(by: 1.0 / 30, on: planes) }
        #expect(abs(collider.bodies[0].position.y - (1 - 0.5 * 9.81 * 0.04)) < 0.01)
        var (lowest, bounced) = (1.0, false)
        for _ in 0..<120 {
            collider.advance(by: 1.0 / 30, on: planes)
            lowest = min(lowest, collider.bodies[0].position.y)
            bounced = bounced || collider.bodies[0].velocity.y > 1
        }
        #expect(bounced && lowest > 0.0499)
        #expect(collider.bodies[0].restsOn == planes[0].identifier && collider.bodies[0].velocity == .zero)
        #expect(abs(collider.bodies[0].position.y - 0.05) < 1e-9)
        // Its support is removed: it falls to the next plane.
        for _ in 0..<120 { collider.advance(by: 1.0 / 30, on: [planes[1]]) }
        #expect(collider.bodies[0].restsOn == planes[1].identifier && abs(collider.bodies[0].position.y + 0.95) < 1e-9)
    }

    @Test func bodiesFallOutsideTheOutline() {
        var collider = PlaneCollider()
        collider.add(at: Vector3d(1.5, 1, 0), radius: 0.05)
        for _ in 0..<60 { collider.advance(by: 1.0 / 30, on: [Self.plane(at: .zero)]) }
        #expect(collider.bodies[0].position.y < -1)
    }

    @Test func fastBodiesDoNotPassThrough() {
        var collider = PlaneCollider()
        collider.add(at: Vector3d(0, 1, 0), radius: 0.01, velocity: Vector3d(0, -60, 0))
        for _ in 0..<30 { collider.advance(by: 1.0 / 30, on: [Self.plane(at: .zero)]) }
        #expect(collider.bodies[0].position.y >= 0.0099)
    }

    @Test func wallsReflectAndFrictionStopsBodies() {
        var collider = PlaneCollider()
        collider.add(at: Vector3d(0.5, 0.05, 0), radius: 0.05, velocity: Vector3d(2, 0, 0))
        let planes = [Self.plane(at: .zero), Self.plane(at: Vector3d(0.9, 0.5, 0), normal: Vector3d(-1, 0, 0))]
        for _ in 0..<90 {
            collider.advance(by: 1.0 / 30, on: planes)
            #expect(collider.bodies[0].position.x <= 0.85 + 1e-9)
        }
        #expect(collider.bodies[0].restsOn == planes[0].identifier)
    }

    @Test func theResultDoesNotDependOnTheFrameRate() {
        var (a, b) = (PlaneCollider(), PlaneCollider())
        for i in 0..<3 {
            a.add(at: Vector3d(Double(i) * 0.1, 1, 0), radius: 0.05, velocity: Vector3d(0.3, 0, 0.1))
            b.add(at: Vector3d(Double(i) * 0.1, 1, 0), radius: 0.05, velocity: Vector3d(0.3, 0, 0.1))
        }
        let planes = [Self.plane(at: .zero)]
        for _ in 0..<64 { a.advance(by: 1.0 / 32, on: planes) }
        for _ in 0..<128 { b.advance(by: 1.0 / 64, on: planes) }
        #expect(a.bodies == b.bodies)
        a.advance(by: .nan, on: planes)
        a.advance(by: -1, on: planes)
        #expect(a.bodies == b.bodies)
    }

    /// A floor of squares of 0.1 m with a step of 0.2 m at x = 0.5, as a mesh.
    private static let stairs: ARMeshAnchor = {
        var (vertices, faces): ([Vector3], [SIMD3<UInt32>]) = ([], [])
        func add(_ corners: [Vector3]) {
            let first = UInt32(vertices.count)
            vertices += corners
            faces += [SIMD3(first, first + 1, first + 2), SIMD3(first, first + 2, first + 3)]
        }
        for column in 0..<20 {
            for row in 0..<20 {
                let (x, z) = (Float(column) * 0.1 - 1, Float(row) * 0.1 - 1)
                let y: Float = x > 0.45 ? 0.2 : 0
                add([Vector3(x, y, z), Vector3(x, y, z + 0.1), Vector3(x + 0.1, y, z + 0.1), Vector3(x + 0.1, y, z)])
            }
        }
        add([Vector3(0.5, 0, -1), Vector3(0.5, 0, 1), Vector3(0.5, 0.2, 1), Vector3(0.5, 0.2, -1)])
        return ARMeshAnchor(
            transform: Matrix4(translation: Vector3(0, -0.3, 0)),
            geometry: ARMeshGeometry(vertices: vertices, normals: Array(repeating: .up, count: vertices.count), faces: faces))
    }()

    @Test func bodiesCollideWithMeshes() {
        var collider = PlaneCollider()
        collider.add(at: Vector3d(0, 0.5, 0.03), radius: 0.05)
        collider.add(at: Vector3d(0.75, 0.5, 0.41), radius: 0.05)
        // Through the middle of a square, at 60 m/s.
        collider.add(at: Vector3d(-0.55, 0.6, 0.55), radius: 0.01, velocity: Vector3d(0, -60, 0))
        // Against the step.
        collider.add(at: Vector3d(0.2, -0.25, -0.5), radius: 0.05, velocity: Vector3d(3, 0, 0))
        for _ in 0..<150 {
            collider.advance(by: 1.0 / 30, on: [Self.stairs])
            #expect(collider.bodies[3].position.x < 0.4501)
        }
        let bodies = collider.bodies
        #expect(abs(bodies[0].position.y + 0.25) < 1e-6 && bodies[0].restsOn == Self.stairs.identifier)
        #expect(abs(bodies[1].position.y + 0.05) < 1e-6 && bodies[1].restsOn == Self.stairs.identifier)
        #expect(bodies[2].position.y > -0.2901)
        #expect(bodies[3].restsOn == Self.stairs.identifier && abs(bodies[3].position.y + 0.25) < 1e-6)
        // Without the mesh they fall.
        for _ in 0..<30 { collider.advance(by: 1.0 / 30, on: []) }
        #expect([0, 1, 3].allSatisfy { collider.bodies[$0].position.y < -1 })
    }

    @Test func bodiesBounceOffEachOther() {
        var collider = PlaneCollider()
        (collider.gravity, collider.restitution) = (.zero, 1)
        collider.add(at: Vector3d(-0.5, 0, 0), radius: 0.05, velocity: Vector3d(1, 0, 0))
        collider.add(at: Vector3d(0.5, 0, 0), radius: 0.05)
        for _ in 0..<30 { collider.advance(by: 1.0 / 30, on: []) }
        // Equal masses exchange their velocities.
        #expect(length(collider.bodies[0].velocity) < 1e-9 && length(collider.bodies[1].velocity - Vector3d(1, 0, 0)) < 1e-9)
        // A sphere that falls on a resting one does not sink into it.
        var pile = PlaneCollider()
        pile.add(at: Vector3d(0, 0.05, 0), radius: 0.05)
        pile.add(at: Vector3d(0.001, 0.4, 0), radius: 0.05)
        for _ in 0..<120 {
            pile.advance(by: 1.0 / 30, on: [Self.plane(at: .zero)])
            #expect(length(pile.bodies[1].position - pile.bodies[0].position) > 0.095)
        }
    }
}
