import VitrineMath

/// What makes a local matrix more than translation · rotation · scale.
struct SpecialTransform: Equatable {
    /// The exact `transform` where it has shear.
    var exact: Matrix4?
    var pivot: Matrix4?
    /// Kept beside `pivot`, as it is needed whenever the node moves.
    var inversePivot: Matrix4?

    /// `parentFromLocal` of a node with the transform `local`.
    func parentFromLocal(_ local: Transform) -> Matrix4 {
        let matrix = exact ?? local.matrix
        return inversePivot.map { matrix * $0 } ?? matrix
    }

    /// nil when there is nothing special left.
    var simplified: SpecialTransform? { exact == nil && pivot == nil ? nil : self }
}

extension NodeStore {
    func setSpecial(_ special: SpecialTransform?, at slot: Int32) {
        let i = Int(slot)
        if let special {
            specials[slot] = special
            inputs.pointee.flags[i].insert(.isSpecial)
        } else if inputs.pointee.flags[i].contains(.isSpecial) {
            specials[slot] = nil
            inputs.pointee.flags[i].remove(.isSpecial)
        }
    }

    func special(at slot: Int32) -> SpecialTransform? { inputs.pointee.flags[Int(slot)].contains(.isSpecial) ? specials[slot] : nil }

    /// Called when rotation or scale are set: the shear is lost.
    func forgetShear(at slot: Int32) {
        guard var special = special(at: slot) else { return }
        special.exact = nil
        setSpecial(special.simplified, at: slot)
    }

    /// Moves many nodes at once: calls `body` with each index into `slots` and that slot's transform, to be changed in place.
    ///
    /// For thousands of nodes a frame this is many times as fast as setting `position` and the like on each `Node`. A slot that no
    /// node uses is skipped. `body` must not add or remove nodes.
    public func modifyLocalTransforms(of slots: [Int32], _ body: (_ index: Int, _ transform: inout Transform) -> Void) {
        let (locals, flags, count) = (inputs.pointee.locals, inputs.pointee.flags, inputs.pointee.count)
        for (index, slot) in slots.enumerated() {
            let i = Int(slot)
            guard i >= 0, i < count, flags[i].contains(.isAttached) else { continue }
            body(index, &locals[i])
            flags[i].insert(.hasMoved)
            if flags[i].contains(.isSpecial) { forgetShear(at: slot) }
        }
        inputs.pointee.anythingMoved = true
    }

    /// Sets the transforms of many nodes at once, as many as `slots`.
    public func setLocalTransforms(_ transforms: [Transform], of slots: [Int32]) {
        precondition(transforms.count == slots.count, "as many transforms as slots")
        transforms.withUnsafeBufferPointer { transforms in
            modifyLocalTransforms(of: slots) { index, transform in transform = transforms[index] }
        }
    }
}
