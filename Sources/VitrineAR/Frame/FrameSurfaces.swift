import VitrineMath
import VitrineVision

/// The points and the depth that a frame's rays are cast into, in the tracker's world.
struct FrameSurfaces: Sendable {
    let finder: PlaneFinder
    let sessionFromTracker: RigidTransform

    /// The surface around the ray of a query, told in the session's world.
    func results(_ query: ARRaycastQuery) -> [ARRaycastResult] {
        guard let guess = finder.guess(ray(query.origin, query.direction), query.targetAlignment) else { return [] }
        let alignment: ARRaycastQuery.TargetAlignment =
            switch guess.alignment {
            case .horizontal: .horizontal
            case .vertical: .vertical
            case nil: .any
            }
        return [
            ARRaycastResult(
                worldTransform: Matrix4(sessionFromTracker * guess.worldTransform), target: .estimatedPlane, targetAlignment: alignment,
                distance: Float(guess.distance))
        ]
    }

    /// The tracked point with the smallest angle to a ray: its place, and metres from the ray's origin.
    func point(near origin: Vector3, _ direction: Vector3) -> (place: Vector3, distance: Float)? {
        let hits = finder.points(near: ray(origin, direction))
        guard let nearest = hits.min(by: { ($0.angle, $0.pointID) < ($1.angle, $1.pointID) }) else { return nil }
        return (Vector3(sessionFromTracker * nearest.position), Float(nearest.distance))
    }

    private func ray(_ origin: Vector3, _ direction: Vector3) -> PlaneFinder.Ray {
        let trackerFromSession = sessionFromTracker.inverse
        return PlaneFinder.Ray(
            origin: trackerFromSession * Vector3d(origin), direction: trackerFromSession.rotation * Vector3d(direction))
    }
}

extension FrameSurfaces: Equatable {
    /// All of it follows from this frame and those before, and isn't seen from outside: it doesn't tell frames apart.
    static func == (a: FrameSurfaces, b: FrameSurfaces) -> Bool { true }
}
