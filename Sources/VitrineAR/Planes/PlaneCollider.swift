import VitrineMath
import VitrineVision

/// Lets round bodies fall on found planes, bounce, slide and come to rest.
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
        /// The plane that it rests on; nil while it moves.
        public internal(set) var restsOn: Int?
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
    public mutating func advance(by seconds: Double, planes: [FoundPlane]) {
        guard seconds > 0 else { return }
        let step = 1.0 / 240
        pending += min(seconds, 0.1)
        while pending >= step {
            pending -= step
            for i in bodies.indices { move(&bodies[i], step, planes) }
        }
    }

    private func move(_ body: inout Body, _ step: Double, _ planes: [FoundPlane]) {
        if let id = body.restsOn {
            // The plane may have been corrected, merged or lost meanwhile.
            if let plane = planes.first(where: { $0.id == id }), abs(plane.distance(to: body.position) - body.radius) < 1e-3,
                plane.isUnder(body.position)
            {
                return
            }
            body.restsOn = nil
        }
        let before = body.position
        body.velocity += gravity * step
        body.position += body.velocity * step
        for plane in planes { collide(&body, plane, from: before, step) }
    }

    private func collide(_ body: inout Body, _ plane: FoundPlane, from before: Vector3d, _ step: Double) {
        let (height, heightBefore) = (plane.distance(to: body.position), plane.distance(to: before))
        guard height < body.radius, heightBefore > -body.radius / 2, plane.isUnder(body.position) else { return }
        let speed = dot(body.velocity, plane.normal)
        body.position += plane.normal * (body.radius - height)
        guard speed < 0 else { return }
        let along = body.velocity - plane.normal * speed
        // What gravity alone adds in two steps isn't a bounce.
        let isBounce = -speed > 2 * length(gravity) * step
        let bounce = isBounce ? -speed * restitution : 0
        let slide = length(along)
        let slowed = max(0, slide - friction * (bounce - speed))
        body.velocity = plane.normal * bounce + (slide > 0 ? along * (slowed / slide) : .zero)
        if !isBounce, slowed < 0.005, -dot(gravity, plane.normal) > 0 { (body.velocity, body.restsOn) = (.zero, plane.id) }
    }
}

extension FoundPlane {
    /// Whether a point of the world lies over or under the outline.
    func isUnder(_ point: Vector3d) -> Bool {
        let offset = point - worldFromPlane.translation
        return Outline.contains(outline, Vector2d(dot(worldFromPlane.rotation.x, offset), dot(worldFromPlane.rotation.z, offset)))
    }
}
