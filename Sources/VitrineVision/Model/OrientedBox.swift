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
