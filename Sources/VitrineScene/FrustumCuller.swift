import VitrineGeometry

/// Tests bounds against all planes of a frustum at once. All culling uses it: `NodeStore` tests boxes, the renderer tests spheres.
package struct FrustumCuller: Sendable {
    @usableFromInline let x, y, z, w: SIMD8<Float>
    @usableFromInline let absX, absY, absZ: SIMD8<Float>

    package init(_ frustum: Frustum) {
        let p = frustum.planes
        // Two planes that contain every point fill the remaining two of eight lanes.
        let everything = Vector4(0, 0, 0, 1)
        let planes = [p.0, p.1, p.2, p.3, p.4, p.5, everything, everything]
        func lanes(_ component: (Vector4) -> Float) -> SIMD8<Float> {
            var lanes = SIMD8<Float>()
            for index in 0..<8 { lanes[index] = component(planes[index]) }
            return lanes
        }
        (x, y, z, w) = (lanes { $0.x }, lanes { $0.y }, lanes { $0.z }, lanes { $0.w })
        (absX, absY, absZ) = (lanes { abs($0.x) }, lanes { abs($0.y) }, lanes { abs($0.z) })
    }

    /// Returns whether a sphere (centre, radius) intersects the frustum; also true for some spheres just outside an edge.
    @inlinable @inline(__always) package func intersects(sphere: Vector4) -> Bool {
        let distances = x * sphere.x + y * sphere.y + (z * sphere.z + w)
        return all(distances .>= -sphere.w)
    }

    /// Returns whether a box intersects the frustum; also true for some boxes just outside an edge, and for boxes with NaN, so that invalid bounds do
    /// not hide a node. False for the empty box.
    @inlinable @inline(__always) package func intersects(_ box: BoundingBox) -> Bool {
        guard !(box.minimum.x > box.maximum.x) else { return false }
        let center = (box.minimum + box.maximum) * 0.5
        let half = (box.maximum - box.minimum) * 0.5
        let a = x * center.x + y * center.y + (z * center.z + w)
        let b = absX * half.x + absY * half.y + absZ * half.z
        return !any((a + b) .< 0)
    }
}
