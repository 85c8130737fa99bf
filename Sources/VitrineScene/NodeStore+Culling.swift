import VitrineGeometry

extension NodeStore {
    /// Returns the slots, in rising order, that show a mesh, are not hidden, share a bit with `categoryBitMask` and whose world bounds
    /// intersect the frustum. As of the last update.
    public func visibleSlots(in frustum: Frustum, categoryBitMask: UInt32 = .max) -> [Int32] {
        var slots: [Int32] = []
        appendVisibleSlots(in: frustum, categoryBitMask: categoryBitMask, to: &slots)
        return slots
    }

    /// Appends the slots of `visibleSlots(in:categoryBitMask:)` to an array that can be reused from frame to frame.
    public func appendVisibleSlots(in frustum: Frustum, categoryBitMask: UInt32 = .max, to slots: inout [Int32]) {
        let culler = FrustumCuller(frustum)
        worldBounds.withUnsafeBufferPointer { bounds in
            worldOpacities.withUnsafeBufferPointer { opacities in
                categoryBitMasks.withUnsafeBufferPointer { masks in
                    // The bounds of nodes without a mesh, and of free slots, are empty, which never intersects.
                    for i in bounds.indices where opacities[i] > 0 && masks[i] & categoryBitMask != 0 && culler.intersects(bounds[i]) {
                        slots.append(Int32(truncatingIfNeeded: i))
                    }
                }
            }
        }
    }
}
