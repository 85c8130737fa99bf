import VitrineGeometry

extension NodeStore {
    /// The slots, in rising order, that show a mesh, are not hidden, share a bit with `categoryBitMask` and whose world bounds touch
    /// the frustum. As of the last update.
    public func visibleSlots(in frustum: Frustum, categoryBitMask: UInt32 = .max) -> [Int32] {
        var slots: [Int32] = []
        appendVisibleSlots(in: frustum, categoryBitMask: categoryBitMask, to: &slots)
        return slots
    }

    /// As `visibleSlots(in:categoryBitMask:)`, into an array that can be used again for the next frame.
    public func appendVisibleSlots(in frustum: Frustum, categoryBitMask: UInt32 = .max, to slots: inout [Int32]) {
        let culler = BoxCuller(frustum)
        worldBounds.withUnsafeBufferPointer { bounds in
            worldOpacities.withUnsafeBufferPointer { opacities in
                categoryBitMasks.withUnsafeBufferPointer { masks in
                    // The bounds of what shows nothing, and of free slots, are empty (nothing shown, or a free slot) is never inside: see BoxCuller.
                    for i in bounds.indices where opacities[i] > 0 && masks[i] & categoryBitMask != 0 && culler.intersects(bounds[i]) {
                        slots.append(Int32(truncatingIfNeeded: i))
                    }
                }
            }
        }
    }
}

/// A frustum turned sideways: all six planes are tested at once.
struct BoxCuller {
    private let x, y, z, w: SIMD8<Float>
    private let absX, absY, absZ: SIMD8<Float>

    init(_ frustum: Frustum) {
        let p = frustum.planes
        // The two planes that pad to eight have everything inside.
        let inside = Vector4(0, 0, 0, 1)
        let planes = [p.0, p.1, p.2, p.3, p.4, p.5, inside, inside]
        func lanes(_ component: (Vector4) -> Float) -> SIMD8<Float> {
            var lanes = SIMD8<Float>()
            for index in 0..<8 { lanes[index] = component(planes[index]) }
            return lanes
        }
        (x, y, z, w) = (lanes { $0.x }, lanes { $0.y }, lanes { $0.z }, lanes { $0.w })
        (absX, absY, absZ) = (lanes { abs($0.x) }, lanes { abs($0.y) }, lanes { abs($0.z) })
    }

    /// Whether the box's farthest corner along each plane is inside. False for the empty box; a box that holds NaN counts as seen, so
    /// that what is broken does not vanish unnoticed.
    @inline(__always)
    func intersects(_ box: BoundingBox) -> Bool {
        guard !(box.minimum.x > box.maximum.x) else { return false }
        let center = (box.minimum + box.maximum) * 0.5
        let half = (box.maximum - box.minimum) * 0.5
        let a = x * center.x + y * center.y + (z * center.z + w)
        let b = absX * half.x + absY * half.y + absZ * half.z
        return !any((a + b) .< 0)
    }
}
