import VitrineAR
import VitrineMath
import VitrineScene

/// The time and the target at which a replay places an object.
package enum ARPlacement: Equatable, Sendable {
    /// A tap at a point of the view in pixels, at a time in seconds after the first frame.
    case tap(Vector2, time: Double)
    /// The centre of the first horizontal plane.
    case plane
    /// The centre of the first detected reference image, with which the object moves.
    case image
}

extension ARPlacement {
    /// The pose in a frame; nil if it is not due or not available yet.
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
        case .image: return image(in: frame).map { TapTarget(transform: $0.transform, isOnSurface: true) }
        }
    }
}

extension ARPlacement {
    /// The anchor of the first detected reference image, for `.image`.
    func image(in frame: ARFrame) -> ARImageAnchor? {
        guard case .image = self else { return nil }
        return frame.anchors.lazy.compactMap { $0 as? ARImageAnchor }.first { $0.isTracked }
    }
}

extension Node {
    /// Wraps the node in one that stands on the ground: centred, with its lowest point at the origin, scaled to a size.
    ///
    /// - Parameter size: The length of the longest side in metres; nil keeps the size.
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
