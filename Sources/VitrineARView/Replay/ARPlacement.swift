import VitrineAR
import VitrineMath
import VitrineScene

/// Something that is put into a replayed session.
public struct ARPlacement {
    public enum Place: Equatable, Sendable {
        /// A tap at a point of the view, in its pixels, so many seconds after the first frame.
        case tap(Vector2, time: Double)
        /// In the middle of the first horizontal plane that is found.
        case plane
    }

    /// For messages.
    public let name: String
    public let place: Place
    /// Its origin is put at the place: on the ground, where it stands.
    public let node: Node
    /// What moves it, over and over; its time is the replay's. nil: nothing does.
    public let clip: AnimationClip?

    public init(name: String, place: Place, node: Node, clip: AnimationClip? = nil) {
        (self.name, self.place, self.node, self.clip) = (name, place, node, clip)
    }
}

extension ARPlacement.Place {
    /// Where it is in this frame; nil: not yet.
    ///
    /// - Parameter elapsed: Seconds since the first frame.
    func target(in frame: ARFrame, elapsed: Double, orientation: InterfaceOrientation, viewportSize: Vector2) -> TapTarget? {
        switch self {
        case .tap(let point, let time):
            guard elapsed >= time else { return nil }
            return frame.tapTarget(at: point, orientation: orientation, viewportSize: viewportSize)
        case .plane:
            let planes = frame.anchors.compactMap { $0 as? ARPlaneAnchor }
            guard let plane = planes.first(where: { $0.alignment == .horizontal }) else { return nil }
            return TapTarget(transform: plane.transform * Matrix4(translation: plane.center), isOnSurface: true)
        }
    }
}

extension Node {
    /// A node that holds this one as it stands on a ground: in the middle, its lowest point at the origin, its longest side so long.
    ///
    /// - Parameter size: In metres; nil: as large as it is.
    public func standing(size: Float? = nil) -> Node {
        let bounds = worldBounds
        let holder = Node(name: name)
        holder.addChildNode(self)
        guard !bounds.isEmpty, bounds.minimum.isFinite, bounds.maximum.isFinite else { return holder }
        let scale = size.map { $0 / max(bounds.size.max(), 1e-9) } ?? 1
        let foot = Vector3(bounds.center.x, bounds.minimum.y, bounds.center.z)
        transform = Matrix4(scale: Vector3(repeating: scale)) * Matrix4(translation: -foot) * transform
        return holder
    }
}
