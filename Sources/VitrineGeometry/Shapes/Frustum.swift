/// The six planes of a view volume; points inside satisfy `dot(plane.xyz, point) + plane.w >= 0`.
public struct Frustum: Sendable {
    /// The planes: left, right, bottom, top, depth 0, depth 1.
    public let planes: (Vector4, Vector4, Vector4, Vector4, Vector4, Vector4)

    /// Creates the volume that `clipFromWorld` maps to WebGPU's clip space (Gribb and Hartmann 2001).
    public init(clipFromWorld: Matrix4) {
        let rows = clipFromWorld.transpose
        func normalized(_ plane: Vector4) -> Vector4 {
            let length = length(plane.xyz)
            // A far plane at infinity has no direction: all points are inside.
            return length > 1e-12 ? plane / length : Vector4(0, 0, 0, 1)
        }
        planes = (
            normalized(rows.w + rows.x), normalized(rows.w - rows.x),
            normalized(rows.w + rows.y), normalized(rows.w - rows.y),
            normalized(rows.z), normalized(rows.w - rows.z)
        )
    }

    /// Returns whether a sphere may be visible. Conservative: also true for some spheres just outside an edge.
    @inlinable public func intersects(center: Vector3, radius: Float) -> Bool {
        let c = Vector4(center, 1)
        return dot(planes.0, c) >= -radius && dot(planes.1, c) >= -radius && dot(planes.2, c) >= -radius
            && dot(planes.3, c) >= -radius && dot(planes.4, c) >= -radius && dot(planes.5, c) >= -radius
    }

    /// Returns whether a box may be visible. Conservative: also true for some boxes just outside an edge.
    public func intersects(_ box: BoundingBox) -> Bool {
        guard !box.isEmpty else { return false }
        func inside(_ plane: Vector4) -> Bool {
            let farthest = box.minimum.replacing(with: box.maximum, where: plane.xyz .>= 0)
            return dot(plane.xyz, farthest) + plane.w >= 0
        }
        return inside(planes.0) && inside(planes.1) && inside(planes.2) && inside(planes.3) && inside(planes.4) && inside(planes.5)
    }
}
