import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Lets round bodies fall on a session's planes, bounce, slide and come to rest.
///
/// ```swift
/// var collider = PlaneCollider()
/// collider.add(at: Vector3d(0, 1, -1), radius: 0.05)
/// collider.advance(by: 1.0 / 30, on: frame.anchors)         // once a frame
/// node.position = Vector3(collider.bodies[0].position)
/// ```
///
/// Bodies don't touch each other. Steps of 1/240 s whatever the frames are; a body is stopped at a plane's outline, from the side that the
/// normal points to, even where it would pass a plane within one step.
public struct PlaneCollider: Sendable {
    public struct Body: Equatable, Sendable, Identifiable {
        public let id: Int
        /// The middle, in metres of the world.
        public var position: Vector3d
        /// m/s.
        public var velocity: Vector3d
        /// Metres.
        public var radius: Double
        /// The plane's anchor that it rests on; nil while it moves.
        public internal(set) var restsOn: UUID?
    }

    /// m/s²; default Earth's, along −Y.
    public var gravity = Vector3d(0, -9.81, 0)
    /// The share of speed that is left after a bounce, 0…1; default 0.4.
    public var restitution = 0.4
    /// Coulomb's; default 0.5.
    public var friction = 0.5
    public private(set) var bodies: [Body] = []
    private var nextID = 0
    private var pending = 0.0

    public init() {}

    @discardableResult public mutating func add(at position: Vector3d, radius: Double, velocity: Vector3d = .zero) -> Int {
        bodies.append(Body(id: nextID, position: position, velocity: velocity, radius: radius, restsOn: nil))
        nextID += 1
        return nextID - 1
    }

    public mutating func remove(_ id: Int) { bodies.removeAll { $0.id == id } }

    /// Moves time on. At most a tenth of a second at once is made up for, so that a pause isn't followed by a leap.
    ///
    /// - Parameter anchors: a frame's; the planes among them count.
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

        /// Whether a point of the world lies over or under the outline.
        func isUnder(_ point: Vector3d) -> Bool {
            Outline.contains(outline, Vector2d(dot(x, point - origin), dot(z, point - origin)))
        }
    }

    private func move(_ body: inout Body, _ step: Double, _ floors: [Floor]) {
        if let id = body.restsOn {
            // The plane may have been corrected, merged or lost meanwhile.
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
        // What gravity alone adds in two steps isn't a bounce.
        let isBounce = -speed > 2 * length(gravity) * step
        let bounce = isBounce ? -speed * restitution : 0
        let slide = length(along)
        let slowed = max(0, slide - friction * (bounce - speed))
        body.velocity = floor.normal * bounce + (slide > 0 ? along * (slowed / slide) : .zero)
        if !isBounce, slowed < 0.005, -dot(gravity, floor.normal) > 0 { (body.velocity, body.restsOn) = (.zero, floor.id) }
    }
}
