/// A box with any orientation.
package struct OrientedBox: Equatable, Sendable {
    /// The box frame has its origin at the box's centre and its axes along the edges.
    package var boxFromWorld: RigidTransform
    /// Half the lengths of the edges. World unit.
    package var halfExtents: Vector3d

    /// Creates a box from its frame.
    package init(boxFromWorld: RigidTransform, halfExtents: Vector3d) {
        (self.boxFromWorld, self.halfExtents) = (boxFromWorld, halfExtents)
    }

    /// Whether a point lies inside or on the surface.
    package func contains(_ pointInWorld: Vector3d) -> Bool {
        let point = boxFromWorld * pointInWorld
        return abs(point.x) <= halfExtents.x && abs(point.y) <= halfExtents.y && abs(point.z) <= halfExtents.z
    }
}

extension OrientedBox {
    /// - Parameter axes: The box's frame in the world: unit columns, right-handed.
    package init(center: Vector3d, axes: Matrix3d, halfExtents: Vector3d) {
        self.init(boxFromWorld: RigidTransform(rotation: axes, translation: center).inverse, halfExtents: halfExtents)
    }

    /// The centre. World frame.
    package var center: Vector3d { boxFromWorld.inverse.translation }
    /// Unit columns along the edges. World frame.
    package var axes: Matrix3d { boxFromWorld.rotation.transpose }
    /// The lengths of the edges. World unit.
    package var size: Vector3d { halfExtents * 2 }
    /// The length of the longest edge. World unit.
    package var longestSide: Double { max(size.x, max(size.y, size.z)) }

    /// The eight corners, x fastest, then y. World frame.
    package var corners: [Vector3d] {
        let (center, axes) = (center, axes)
        return (0..<8).map { corner in
            let signs = Vector3d(corner & 1 == 0 ? -1 : 1, corner & 2 == 0 ? -1 : 1, corner & 4 == 0 ? -1 : 1)
            return center + axes * (halfExtents * signs)
        }
    }

    /// The box scaled about its centre.
    package func scaled(by factor: Double) -> OrientedBox { OrientedBox(boxFromWorld: boxFromWorld, halfExtents: halfExtents * factor) }

    /// The box extended by a length on every side.
    package func grown(by length: Double) -> OrientedBox {
        OrientedBox(boxFromWorld: boxFromWorld, halfExtents: halfExtents + Vector3d(repeating: length))
    }

    /// The box after the world has moved.
    package func moved(by newWorldFromWorld: SimilarityTransform) -> OrientedBox {
        OrientedBox(
            center: newWorldFromWorld * center, axes: newWorldFromWorld.rotation * axes, halfExtents: halfExtents * newWorldFromWorld.scale)
    }
}
