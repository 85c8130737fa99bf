import VitrineMath

/// A box at any angle: the part of the world that is wanted.
public struct OrientedBox: Equatable, Sendable {
    /// The box's frame has its origin in the box's middle and its axes along the edges.
    public var boxFromWorld: RigidTransform
    /// Half the edges' lengths. World unit.
    public var halfExtents: Vector3d

    public init(boxFromWorld: RigidTransform, halfExtents: Vector3d) {
        (self.boxFromWorld, self.halfExtents) = (boxFromWorld, halfExtents)
    }

    public func contains(_ pointInWorld: Vector3d) -> Bool {
        let point = boxFromWorld * pointInWorld
        return abs(point.x) <= halfExtents.x && abs(point.y) <= halfExtents.y && abs(point.z) <= halfExtents.z
    }
}

extension OrientedBox {
    /// - Parameter axes: The box's frame in the world: unit columns, right-handed.
    public init(center: Vector3d, axes: Matrix3d, halfSize: Vector3d) {
        self.init(boxFromWorld: RigidTransform(rotation: axes, translation: center).inverse, halfExtents: halfSize)
    }

    /// The middle. World frame.
    public var center: Vector3d { boxFromWorld.inverse.translation }
    /// Unit columns along the edges. World frame.
    public var axes: Matrix3d { boxFromWorld.rotation.transpose }
    public var halfSize: Vector3d { halfExtents }
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

    /// Grown by a factor about its middle.
    public func scaled(by factor: Double) -> OrientedBox { OrientedBox(boxFromWorld: boxFromWorld, halfExtents: halfExtents * factor) }

    /// Larger by a length on every side.
    public func grown(by length: Double) -> OrientedBox {
        OrientedBox(boxFromWorld: boxFromWorld, halfExtents: halfExtents + Vector3d(repeating: length))
    }

    /// The box after the world has moved.
    public func moved(by newWorldFromWorld: SimilarityTransform) -> OrientedBox {
        OrientedBox(
            center: newWorldFromWorld * center, axes: newWorldFromWorld.rotation * axes, halfSize: halfExtents * newWorldFromWorld.scale)
    }
}
