import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Simulates spheres that fall on a session's planes, bounce, slide and come to rest.
///
/// ```swift
/// var collider = PlaneCollider()
/// collider.add(at: Vector3d(0, 1, -1), radius: 0.05)
/// collider.advance(by: 1.0 / 30, on: frame.anchors)         // once a frame
/// node.position = Vector3(collider.bodies[0].position)
/// ```
///
/// Bodies do not collide with each other. The time step is 1/240 s; collisions are continuous: a body does not pass through a plane within one
/// step. Planes are limited by their outlines and solid from the side of their normal.
public struct PlaneCollider: Sendable {
    /// A sphere.
    public struct Body: Equatable, Sendable, Identifiable {
        /// Unique for the collider.
        public let id: Int
        /// The centre in the world, in metres.
        public var position: Vector3d
        /// In m/s.
        public var velocity: Vector3d
        /// In metres.
        public var radius: Double
        /// The identifier of the plane anchor that the body rests on; nil while it moves.
        public fileprivate(set) var restsOn: UUID?
    }

    /// In m/s². Default Earth's gravity along −Y.
    public var gravity = Vector3d(0, -9.81, 0)
    /// The coefficient of restitution, 0…1. Default 0.4.
    public var restitution = 0.4
    /// The coefficient of Coulomb friction. Default 0.5.
    public var friction = 0.5
    /// All bodies in the order in which they were added.
    public private(set) var bodies: [Body] = []
    private var nextID = 0
    private var pending = 0.0

    /// Makes a simulation without bodies.
    public init() {}

    /// Adds a body; returns its id.
    @discardableResult public mutating func add(at position: Vector3d, radius: Double, velocity: Vector3d = .zero) -> Int {
        bodies.append(Body(id: nextID, position: position, velocity: velocity, radius: radius, restsOn: nil))
        nextID += 1
        return nextID - 1
    }

    /// Removes a body. An unknown id is no error.
    public mutating func remove(_ id: Int) { bodies.removeAll { $0.id == id } }

    /// Advances the simulation, by at most 0.1 s at once.
    ///
    /// - Parameter anchors: The anchors of a frame; bodies collide with the planes among them.
    public mutating func advance(by seconds: Double, on anchors: [ARAnchor]) {
        guard seconds > 0 else { return }
        let step = 1.0 / 240
        let floors = anchors.compactMap { ($0 as? ARPlaneAnchor).map(Floor.init) }
        pending += min(seconds, 0.1)
        while pending >= step {
            pending -= step
            for i in bodies.indices { move(&bodies[i], step, floors) }
        }
    }

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

    private func move(_ body: inout Body, _ step: Double, _ floors: [Floor]) {
        if let id = body.restsOn {
            // The plane may have been corrected, merged or removed.
            if let floor = floors.first(where: { $0.id == id }), abs(floor.distance(to: body.position) - body.radius) < 1e-3,
                floor.isUnder(body.position)
            {
                return
            }
            body.restsOn = nil
        }
        let before = body.position
        body.velocity += gravity * step
        body.position += body.velocity * step
        for floor in floors { collide(&body, floor, from: before, step) }
    }

    private func collide(_ body: inout Body, _ floor: Floor, from before: Vector3d, _ step: Double) {
        let (height, heightBefore) = (floor.distance(to: body.position), floor.distance(to: before))
        guard height < body.radius, heightBefore > -body.radius / 2, floor.isUnder(body.position) else { return }
        let speed = dot(body.velocity, floor.normal)
        body.position += floor.normal * (body.radius - height)
        guard speed < 0 else { return }
        let along = body.velocity - floor.normal * speed
        // The speed that gravity adds in two steps is not a bounce.
        let isBounce = -speed > 2 * length(gravity) * step
        let bounce = isBounce ? -speed * restitution : 0
        let slide = length(along)
        let slowed = max(0, slide - friction * (bounce - speed))
        body.velocity = floor.normal * bounce + (slide > 0 ? along * (slowed / slide) : .zero)
        if !isBounce, slowed < 0.005, -dot(gravity, floor.normal) > 0 { (body.velocity, body.restsOn) = (.zero, floor.id) }
    }
}
