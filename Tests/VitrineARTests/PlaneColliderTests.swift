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
}
