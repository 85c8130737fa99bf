/// A box with any orientation.
public struct OrientedBox: Equatable, Sendable {
    /// The box frame has its origin at the box's centre and its axes along the edges.
    public var boxFromWorld: RigidTransform
    /// Half the lengths of the edges. World unit.
    public var halfExtents: Vector3d

    public init(boxFromWorld: RigidTransform, halfExtents: Vector3d) {
        (self.boxFromWorld, self.halfExtents) = (boxFromWorld, halfExtents)
    }

    /// Whether a point lies inside or on the surface.
    public func contains(_ pointInWorld: Vector3d) -> Bool {
        let point = boxFromWorld * pointInWorld
        return abs(point.x) <= halfExtents.x && abs(point.y) <= halfExtents.y && abs(point.z) <= halfExtents.z
    }
}

extension OrientedBox {
    /// - Parameter axes: The box's frame in the world: unit columns, right-handed.
    public init(center: Vector3d, axes: Matrix3d, halfExtents: Vector3d) {
        self.init(boxFromWorld: RigidTransform(rotation: axes, translation: center).inverse, halfExtents: halfExtents)
    }

    /// The centre. World frame.
    public var center: Vector3d { boxFromWorld.inverse.translation }
    /// Unit columns along the edges. World frame.
    public var axes: Matrix3d { boxFromWorld.rotation.transpose }
    /// The lengths of the edges. World unit.
    public var size: Vector3d { halfExtents * 2 }
    public var longestSide: Double { max(size.x, max(size.y, size.z)) }

    /// The eight corners, x fastest, then y. World frame.
    public var corners: [Vector3d] {
        let (center, axes) = (center, axes)
        return (0..<8).map { corner in
            let signs = Vector3d(corner & 1 == 0 ? -1 : 1, corner & 2 == 0 ? -1 : 1, corner & 4 == 0 ? -1 : 1)
            return center + axes * (halfExtents * signs)
        }
    }

    /// The box scaled about its centre.
    public func scaled(by factor: Double) -> OrientedBox { OrientedBox(boxFromWorld: boxFromWorld, halfExtents: halfExtents * factor) }

    /// The box extended by a length on every side.
    public func grown(by length: Double) -> OrientedBox {
        OrientedBox(boxFromWorld: boxFromWorld, halfExtents: halfExtents + Vector3d(repeating: length))
    }

    /// The box after the world has moved.
    public func moved(by newWorldFromWorld: SimilarityTransform) -> OrientedBox {
        OrientedBox(
            center: newWorldFromWorld * center, axes: newWorldFromWorld.rotation * axes, halfExtents: halfExtents * newWorldFromWorld.scale)
    }
}
