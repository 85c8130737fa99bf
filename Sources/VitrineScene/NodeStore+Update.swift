import VitrineGeometry

extension NodeStore {
    /// Brings world transforms, opacities and bounds up to date. When nothing moved it costs one look at each distinct mesh, else one
    /// pass over the arrays.
    func update() {
        // A constraint that the program made may ask for places.
        guard !isUpdating else { return }
        markNodesOfChangedMeshes()
        guard anythingMoved || constraintsAreDue else { return }
        isUpdating = true
        defer { isUpdating = false }
        freeRetiredSlots()
        if deformersAreStale { findDeformers() }
        updateCount &+= 1
        withPass { pass in pass.run(update: updateCount) { specials[$0]?.parentFromLocal($1) } }
        inputs.pointee.anythingMoved = false
        applyConstraints()
        for slot in deformingSlots {
            guard let node = node(at: slot) else { continue }
            worldBounds[Int(slot)] = node.deformedWorldBounds
        }
    }

    private func markNodesOfChangedMeshes() {
        guard let changed = meshTable.refresh() else { return }
        for i in meshIndices.indices where meshIndices[i] >= 0 && changed[Int(meshIndices[i])] { markMoved(Int32(i)) }
        structureChanged()
    }

    private func findDeformers() {
        let flags = inputs.pointee.flags
        let morphs = meshTable.entries.map { $0.hasMorphTargets }
        deformingSlots.removeAll(keepingCapacity: true)
        for slot in order {
            let mesh = Int(meshIndices[Int(slot)])
            if mesh >= 0, morphs[mesh] || flags[Int(slot)].contains(.isSkinned) { deformingSlots.append(slot) }
        }
        deformersAreStale = false
    }

    /// Lends the arrays to one pass, without their checks and counts.
    private func withPass<Result>(_ body: (UpdatePass) -> Result) -> Result {
        let meshBounds = meshTable.entries.map { $0.bounds }
        return order.withUnsafeBufferPointer { order in
            parents.withUnsafeBufferPointer { parents in
                meshIndices.withUnsafeBufferPointer { meshIndices in
                    meshBounds.withUnsafeBufferPointer { meshBounds in
                        worldTransforms.withUnsafeMutableBufferPointer { worldTransforms in
                            worldOpacities.withUnsafeMutableBufferPointer { worldOpacities in
                                worldBounds.withUnsafeMutableBufferPointer { worldBounds in
                                    movedInUpdate.withUnsafeMutableBufferPointer { movedInUpdate in
                                        body(
                                            UpdatePass(
                                                order: order, parents: parents, inputs: inputs.pointee,
                                                meshIndices: meshIndices, meshBounds: meshBounds,
                                                worldTransforms: worldTransforms, worldOpacities: worldOpacities,
                                                worldBounds: worldBounds, movedInUpdate: movedInUpdate))
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The arrays of a store while they are updated. All are by slot, but `order` (slots) and `meshBounds` (by mesh index).
private struct UpdatePass {
    let order: UnsafeBufferPointer<Int32>
    let parents: UnsafeBufferPointer<Int32>
    let inputs: NodeInputs
    let meshIndices: UnsafeBufferPointer<Int32>
    let meshBounds: UnsafeBufferPointer<BoundingBox>
    let worldTransforms: UnsafeMutableBufferPointer<Matrix4>
    let worldOpacities: UnsafeMutableBufferPointer<Float>
    let worldBounds: UnsafeMutableBufferPointer<BoundingBox>
    let movedInUpdate: UnsafeMutableBufferPointer<UInt64>

    /// - Parameter special: `parentFromLocal` of a slot that is flagged as special.
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
