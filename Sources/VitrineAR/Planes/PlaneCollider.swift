import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Simulates spheres that fall on a session's planes and mesh and on each other, bounce, slide and come to rest.
///
/// ```swift
/// var collider = PlaneCollider()
/// collider.add(at: Vector3d(0, 1, -1), radius: 0.05)
/// collider.advance(by: 1.0 / 30, on: frame.anchors)         // once a frame
/// node.position = Vector3(collider.bodies[0].position)
/// ```
///
/// The time step is 1/240 s; collisions with planes and meshes are continuous: a body does not pass through within one step. Planes are limited by their
/// outlines; planes and meshes are solid from the side of their normals.
public struct PlaneCollider: Sendable {
    /// A falling sphere with a position, a velocity and a radius.
    public struct Body: Equatable, Sendable, Identifiable {
        /// The body's identifier, unique in the collider.
        public let id: Int
        /// The centre in the world, in metres.
        public var position: Vector3d
        /// The velocity in m/s.
        public var velocity: Vector3d
        /// The radius in metres.
        public var radius: Double
        /// The identifier of the plane or mesh anchor that the body rests on; nil while it moves.
        public fileprivate(set) var restsOn: UUID?
    }

    /// The gravity in m/s². Default: that of Earth along −Y.
    public var gravity = Vector3d(0, -9.81, 0)
    /// The coefficient of restitution, 0…1. Default 0.4.
    public var restitution = 0.4
    /// The coefficient of Coulomb friction. Default 0.5.
    public var friction = 0.5
    /// All bodies in the order in which they were added.
    public private(set) var bodies: [Body] = []
    private var nextID = 0
    private var pending = 0.0

    /// Creates a simulation without bodies.
    public init() {}

    /// Adds a body; returns its id.
    @discardableResult public mutating func add(at position: Vector3d, radius: Double, velocity: Vector3d = .zero) -> Int {
        bodies.append(Body(id: nextID, position: position, velocity: velocity, radius: radius, restsOn: nil))
        nextID += 1
        return nextID - 1
    }

    /// Removes a body. Ignores an unknown id.
    public mutating func remove(_ id: Int) { bodies.removeAll { $0.id == id } }

    /// Advances the simulation, by at most 0.1 s at once.
    ///
    /// - Parameter anchors: The anchors of a frame; bodies collide with the planes and meshes among them.
    public mutating func advance(by seconds: Double, on anchors: [ARAnchor]) {
        guard seconds > 0 else { return }
        let step = Self.step
        let floors = anchors.compactMap { ($0 as? ARPlaneAnchor).map(Floor.init) }
        let meshes = anchors.compactMap { $0 as? ARMeshAnchor }
        pending += min(seconds, 0.1)
        let faces = meshes.isEmpty ? [] : bodies.map { nearFaces($0, meshes) }
        while pending >= step {
            pending -= step
            for i in bodies.indices { move(&bodies[i], floors, faces.isEmpty ? [] : faces[i]) }
            for i in bodies.indices { for j in 0..<i { separate(j, i) } }
        }
    }

    private static let step = 1.0 / 240

    /// A plane in double precision.
    private struct Floor {
        let id: UUID
        let x, normal, z, origin: Vector3d
        let outline: [Vector2d]

        init(_ anchor: ARPlaneAnchor) {
            id = anchor.identifier
            let frame = anchor.transform
            (x, normal, z) = (Vector3d(frame.x.xyz), normalize(Vector3d(frame.y.xyz)), Vector3d(frame.z.xyz))
            origin = Vector3d(frame.translation)
            outline = anchor.geometry.boundaryVertices.map { Vector2d(Double($0.x), Double($0.z)) }
        }

        func distance(to point: Vector3d) -> Double { dot(normal, point - origin) }

        /// Whether the outline contains the projection of a world point.
        func isUnder(_ point: Vector3d) -> Bool {
            Polygon.contains(outline, Vector2d(dot(x, point - origin), dot(z, point - origin)))
        }
    }

    private func move(_ body: inout Body, _ floors: [Floor], _ faces: [MeshFace]) {
        if let id = body.restsOn {
            // Its support may have been corrected, merged or removed.
            if let floor = floors.first(where: { $0.id == id }), abs(floor.distance(to: body.position) - body.radius) < 1e-3,
                floor.isUnder(body.position)
            {
                return
            }
            if faces.contains(where: { $0.id == id && abs(length(body.position - $0.nearest(to: body.position)) - body.radius) < 1e-3 }) {
                return
            }
            body.restsOn = nil
        }
        let before = body.position
        body.velocity += gravity * Self.step
        body.position += body.velocity * Self.step
        for floor in floors {
            let (height, heightBefore) = (floor.distance(to: body.position), floor.distance(to: before))
            guard height < body.radius, heightBefore > -body.radius / 2, floor.isUnder(body.position) else { continue }
            bounce(&body, floor.normal, depth: body.radius - height, on: floor.id)
        }
        collide(&body, faces, from: before)
    }

    /// Resolves the deepest contacts with a mesh, one after the other: in a corner there are several.
    private func collide(_ body: inout Body, _ faces: [MeshFace], from before: Vector3d) {
        for _ in 0..<3 {
            var deepest: (normal: Vector3d, depth: Double, id: UUID)?
            for face in faces {
                guard let contact = face.contact(body, from: before), contact.depth > deepest?.depth ?? 1e-9 else { continue }
                deepest = (contact.normal, contact.depth, face.id)
            }
            guard let deepest else { return }
            bounce(&body, deepest.normal, depth: deepest.depth, on: deepest.id)
        }
    }

    /// Moves a body out of a surface and reflects its velocity, or lets it rest.
    private func bounce(_ body: inout Body, _ normal: Vector3d, depth: Double, on id: UUID) {
        body.position += normal * depth
        let speed = dot(body.velocity, normal)
        guard speed < 0 else { return }
        let along = body.velocity - normal * speed
        // The speed that gravity adds in two steps is not a bounce.
        let isBounce = -speed > 2 * length(gravity) * Self.step
        let bounce = isBounce ? -speed * restitution : 0
        let slide = length(along)
        let slowed = max(0, slide - friction * (bounce - speed))
        body.velocity = normal * bounce + (slide > 0 ? along * (slowed / slide) : .zero)
        if !isBounce, slowed < 0.005, -dot(gravity, normal) > 0 { (body.velocity, body.restsOn) = (.zero, id) }
    }

    /// Lets two bodies bounce off each other: spheres of one density.
    private mutating func separate(_ first: Int, _ second: Int) {
        let offset = bodies[second].position - bodies[first].position
        let (distance, reach) = (length(offset), bodies[first].radius + bodies[second].radius)
        guard distance < reach, reach > 0 else { return }
        let normal = distance > 1e-9 ? offset / distance : Vector3d(0, 1, 0)
        func mass(_ radius: Double) -> Double { radius * radius * radius }
        let share = mass(bodies[second].radius) / (mass(bodies[first].radius) + mass(bodies[second].radius))
        let speed = dot(bodies[second].velocity - bodies[first].velocity, normal)
        bodies[first].position -= normal * ((reach - distance) * share)
        bodies[second].position += normal * ((reach - distance) * (1 - share))
        (bodies[first].restsOn, bodies[second].restsOn) = (nil, nil)
        guard speed < 0 else { return }
        let isBounce = -speed > 2 * length(gravity) * Self.step
        let change = normal * (speed * (isBounce ? 1 + restitution : 1))
        bodies[first].velocity += change * share
        bodies[second].velocity -= change * (1 - share)
    }
}

extension PlaneCollider {
    /// A triangle of a mesh in the world, in double precision.
    private struct MeshFace {
        let id: UUID
        let a, b, c: Vector3d
        /// The normal, of length 1.
        let normal: Vector3d

        /// The point of the triangle nearest to another (Ericson, "Real-Time Collision Detection", 2004).
        func nearest(to point: Vector3d) -> Vector3d {
            let (ab, ac, ap) = (b - a, c - a, point - a)
            let (d1, d2) = (dot(ab, ap), dot(ac, ap))
            if d1 <= 0, d2 <= 0 { return a }
            let (d3, d4) = (dot(ab, point - b), dot(ac, point - b))
            if d3 >= 0, d4 <= d3 { return b }
            let vc = d1 * d4 - d3 * d2
            if vc <= 0, d1 >= 0, d3 <= 0 { return a + ab * (d1 / (d1 - d3)) }
            let (d5, d6) = (dot(ab, point - c), dot(ac, point - c))
            if d6 >= 0, d5 <= d6 { return c }
            let vb = d5 * d2 - d1 * d6
            if vb <= 0, d2 >= 0, d6 <= 0 { return a + ac * (d2 / (d2 - d6)) }
            let va = d3 * d6 - d5 * d4
            if va <= 0, d4 >= d3, d5 >= d6 { return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))) }
            let scale = 1 / (va + vb + vc)
            return a + ab * (vb * scale) + ac * (vc * scale)
        }

        /// The normal and the depth of a body's contact; nil without one, or from behind.
        func contact(_ body: Body, from before: Vector3d) -> (normal: Vector3d, depth: Double)? {
            let (height, heightBefore) = (dot(normal, body.position - a), dot(normal, before - a))
            guard height < body.radius, heightBefore > -body.radius / 2 else { return nil }
            if height < 0 {
                // The centre passed through the plane: on its way, did it pass through the triangle?
                let share = heightBefore > height ? max(0, heightBefore) / (max(0, heightBefore) - height) : 0
                let crossing = before + (body.position - before) * share
                guard length(nearest(to: crossing) - crossing) < body.radius / 2 else { return nil }
                return (normal, body.radius - height)
            }
            let offset = body.position - nearest(to: body.position)
            let distance = length(offset)
            guard distance < body.radius else { return nil }
            return (distance > 1e-9 ? offset / distance : normal, body.radius - distance)
        }
    }

    /// The triangles that a body may reach within the pending time.
    private func nearFaces(_ body: Body, _ meshes: [ARMeshAnchor]) -> [MeshFace] {
        let reach = body.radius + (length(body.velocity) + length(gravity) * pending) * (pending + Self.step) + 0.01
        guard reach.isFinite else { return [] }
        var faces: [MeshFace] = []
        for mesh in meshes {
            let center = mesh.transform.affineInverse.transform(point: Vector3(body.position))
            let (low, high) = (center - Float(reach), center + Float(reach))
            let bounds = mesh.geometry.bounds
            guard !bounds.isEmpty, all(bounds.minimum .<= high), all(bounds.maximum .>= low) else { continue }
            let vertices = mesh.geometry.vertices
            for face in mesh.geometry.faces {
                let (a, b, c) = (vertices[Int(face.x)], vertices[Int(face.y)], vertices[Int(face.z)])
                guard all(pointwiseMin(a, pointwiseMin(b, c)) .<= high), all(pointwiseMax(a, pointwiseMax(b, c)) .>= low) else { continue }
                func world(_ point: Vector3) -> Vector3d { Vector3d(mesh.transform.transform(point: point)) }
                let (p, q, r) = (world(a), world(b), world(c))
                let normal = cross(q - p, r - p)
                guard length(normal) > 1e-12 else { continue }
                faces.append(MeshFace(id: mesh.identifier, a: p, b: q, c: r, normal: normalize(normal)))
            }
        }
        return faces
    }
}
