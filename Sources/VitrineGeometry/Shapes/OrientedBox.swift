/// A box with any orientation.
package struct OrientedBox: Equatable, Sendable {
    /// The pose of the box, whose frame has its origin at the centre and its axes along the edges.
    package var boxFromWorld: RigidTransform
    /// The halves of the lengths of the edges, in the world's unit.
    package var halfExtents: Vector3d

    /// Creates a box from its frame.
    package init(boxFromWorld: RigidTransform, halfExtents: Vector3d) {
        (self.boxFromWorld, self.halfExtents) = (boxFromWorld, halfExtents)
    }

    /// Returns whether a point is inside or on the surface.
    package func contains(_ pointInWorld: Vector3d) -> Bool {
        let point = boxFromWorld * pointInWorld
        return abs(point.x) <= halfExtents.x && abs(point.y) <= halfExtents.y && abs(point.z) <= halfExtents.z
    }
}

extension OrientedBox {
    /// Creates a box.
    ///
    /// - Parameter axes: The axes of the box in the world: unit columns, right-handed.
    package init(center: Vector3d, axes: Matrix3d, halfExtents: Vector3d) {
        self.init(boxFromWorld: RigidTransform(rotation: axes, translation: center).inverse, halfExtents: halfExtents)
    }

    /// The centre in the world frame.
    package var center: Vector3d { boxFromWorld.inverse.translation }
    /// The axes of the box: unit columns along the edges, in the world frame.
    package var axes: Matrix3d { boxFromWorld.rotation.transpose }
    /// The lengths of the edges, in the world's unit.
    package var size: Vector3d { halfExtents * 2 }
    /// The length of the longest edge, in the world's unit.
    package var longestSide: Double { max(size.x, max(size.y, size.z)) }

    /// The eight corners in the world frame, x fastest, then y.
    package var corners: [Vector3d] {
        let (center, axes) = (center, axes)
        return (0..<8).map { corner in
            let signs = Vector3d(corner & 1 == 0 ? -1 : 1, corner & 2 == 0 ? -1 : 1, corner & 4 == 0 ? -1 : 1)
            return center + axes * (halfExtents * signs)
        }
    }

    /// Returns the box scaled about its centre.
    package func scaled(by factor: Double) -> OrientedBox { OrientedBox(boxFromWorld: boxFromWorld, halfExtents: halfExtents * factor) }

    /// Returns the box extended by a length on every side.
    package func grown(by length: Double) -> OrientedBox {
        OrientedBox(boxFromWorld: boxFromWorld, halfExtents: halfExtents + Vector3d(repeating: length))
    }

    /// Returns the box after a transform of the world.
    package func moved(by newWorldFromWorld: SimilarityTransform) -> OrientedBox {
        OrientedBox(
            center: newWorldFromWorld * center, axes: newWorldFromWorld.rotation * axes, halfExtents: halfExtents * newWorldFromWorld.scale)
    }
}
