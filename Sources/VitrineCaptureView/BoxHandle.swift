/// A dot on a box in the view that a pointer or a finger drags: the middle of a side moves that side, the middle of the base moves the box on its
/// plane.
enum BoxHandle: Hashable, CaseIterable {
    case left, right, front, back, top, base

    /// The distance from the handle at which a press grabs it, points.
    static let reach: Float = 22
    /// The least length of an edge relative to the box's longest one.
    private static let smallest: Float = 0.04

    /// The axis that the handle moves along, and the end of the box; nil for the base.
    private var side: (axis: Int, isMaximum: Bool)? {
        switch self {
        case .left: (0, false)
        case .right: (0, true)
        case .front: (2, true)
        case .back: (2, false)
        case .top: (1, true)
        case .base: nil
        }
    }

    private static func axis(_ index: Int) -> Vector3 { Vector3(index == 0 ? 1 : 0, index == 1 ? 1 : 0, index == 2 ? 1 : 0) }

    /// The handle's position in the box's frame.
    private func local(_ bounds: BoundingBox) -> Vector3 {
        guard let side else { return Vector3(bounds.center.x, bounds.minimum.y, bounds.center.z) }
        var point = bounds.center
        point[side.axis] = side.isMaximum ? bounds.maximum[side.axis] : bounds.minimum[side.axis]
        return point
    }

    /// The handle's position in the world.
    func position(on box: OrientedBoundingBox) -> Vector3 { box.orientation.rotate(local(box.bounds)) }

    /// The box after a drag.
    ///
    /// - Parameters:
    ///   - box: The box at the start of the drag.
    ///   - start: The ray of the press; the handle keeps its distance from the pointer.
    ///   - ray: The ray of the pointer, in the world.
    /// - Returns: nil if the ray determines no position: it is parallel to the axis, or does not hit the plane.
    func dragging(_ box: OrientedBoundingBox, from start: Ray, to ray: Ray) -> OrientedBoundingBox? {
        let inBox = box.orientation.inverse
        func local(_ ray: Ray) -> Ray { Ray(origin: inBox.rotate(ray.origin), direction: inBox.rotate(ray.direction)) }
        var bounds = box.bounds
        guard let side else {
            let height = bounds.minimum.y
            guard let from = Self.meeting(local(start), height), let to = Self.meeting(local(ray), height) else { return nil }
            let shift = to - from
            bounds = BoundingBox(minimum: bounds.minimum + shift, maximum: bounds.maximum + shift)
            return OrientedBoundingBox(bounds: bounds, orientation: box.orientation)
        }
        let (origin, axis) = (self.local(bounds), Self.axis(side.axis))
        guard let from = Self.nearest(origin, axis, to: local(start)), let to = Self.nearest(origin, axis, to: local(ray)) else {
            return nil
        }
        let smallest = Self.smallest * bounds.size.max()
        var (low, high) = (bounds.minimum, bounds.maximum)
        if side.isMaximum {
            high[side.axis] = max(high[side.axis] + to - from, low[side.axis] + smallest)
        } else {
            low[side.axis] = min(low[side.axis] + to - from, high[side.axis] - smallest)
        }
        return OrientedBoundingBox(bounds: BoundingBox(minimum: low, maximum: high), orientation: box.orientation)
    }

    /// The distance along a line from `origin` to the point nearest to a ray; nil if they are nearly parallel.
    private static func nearest(_ origin: Vector3, _ axis: Vector3, to ray: Ray) -> Float? {
        let along = dot(axis, ray.direction)
        let determinant = 1 - along * along
        guard determinant > 0.01 else { return nil }
        let between = origin - ray.origin
        return (along * dot(between, ray.direction) - dot(between, axis)) / determinant
    }

    /// The intersection of a ray with a level plane.
    private static func meeting(_ ray: Ray, _ height: Float) -> Vector3? {
        guard ray.direction.y < -0.02 else { return nil }
        let distance = (height - ray.origin.y) / ray.direction.y
        return distance > 0 ? ray.origin + ray.direction * distance : nil
    }
}

/// A drag of a handle.
struct BoxDrag {
    let handle: BoxHandle
    /// The box at the start of the drag.
    let box: OrientedBoundingBox
    let start: Ray
    /// The finger; nil for the mouse.
    let finger: Int64?
}

extension CaptureDisplay {
    /// Whether the box can be changed by hand.
    var isBoxAdjustable: Bool { box != nil && (state == .detecting || state == .capturing) && tracking == .normal }
}
