import VitrineGeometry

/// The arrays of a store during an update. All are by slot, except `order` (slots) and `meshBounds` (by mesh index).
struct NodeUpdatePass {
    let order: UnsafeBufferPointer<Int32>
    let parents: UnsafeBufferPointer<Int32>
    let inputs: NodeInputs
    let meshIndices: UnsafeBufferPointer<Int32>
    let meshBounds: UnsafeBufferPointer<BoundingBox>
    let worldTransforms: UnsafeMutableBufferPointer<Matrix4>
    let worldOpacities: UnsafeMutableBufferPointer<Float>
    let worldBounds: UnsafeMutableBufferPointer<BoundingBox>
    let movedInUpdate: UnsafeMutableBufferPointer<UInt64>

    /// Computes the world transforms, opacities and bounds of all slots.
    ///
    /// - Parameter special: Returns `parentFromLocal` of a slot that is flagged as special.
    func run(update: UInt64, special: (Int32, Transform) -> Matrix4?) {
        let (locals, opacities, flags) = (inputs.locals, inputs.opacities, inputs.flags)
        for slot in order {
            let i = Int(slot)
            let parent = Int(parents[i])
            let parentMoved = parent >= 0 && movedInUpdate[parent] == update
            let flag = flags[i]
            guard parentMoved || flag.contains(.hasMoved) else { continue }
            flags[i].remove(.hasMoved)
            movedInUpdate[i] = update
            let local = flag.contains(.isSpecial) ? special(slot, locals[i]) ?? locals[i].matrix : locals[i].matrix
            let world = parent >= 0 ? worldTransforms[parent] * local : local
            worldTransforms[i] = world
            let opacity = flag.contains(.isHidden) ? 0 : opacities[i]
            worldOpacities[i] = parent >= 0 ? worldOpacities[parent] * opacity : opacity
            let mesh = Int(meshIndices[i])
            if mesh >= 0 { worldBounds[i] = meshBounds[mesh].transformed(by: world) }
        }
    }
}
