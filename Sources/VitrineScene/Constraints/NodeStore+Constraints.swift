import VitrineMath

extension NodeStore {
    func setConstrained(_ isConstrained: Bool, at slot: Int32) {
        if isConstrained {
            inputs.pointee.flags[Int(slot)].insert(.isConstrained)
            mayHaveConstraints = true
        } else {
            inputs.pointee.flags[Int(slot)].remove(.isConstrained)
        }
        constrainedSlotsAreStale = true
        markMoved(slot)
    }

    /// Whether constraints may have something to do although nothing moved.
    var constraintsAreDue: Bool { hasFreeConstraints || (viewerMoved && hasBillboards) }

    /// Puts constrained nodes, and what hangs below them, where their rules have them. World transforms are up to date but for that.
    func applyConstraints() {
        viewerMoved = false
        guard mayHaveConstraints else { return }
        if constrainedSlotsAreStale { findConstrained() }
        for slot in constrainedSlots {
            guard let node = node(at: slot), let behavior = node.behavior else { continue }
            let parent = parents[Int(slot)]
            let worldFromParent = parent >= 0 ? worldTransforms[Int(parent)] : .identity
            var world = worldFromParent * node.parentFromLocal
            for constraint in behavior.constraints {
                world = constraint.applied(to: world, of: node, worldFromParent: worldFromParent, worldFromCamera: worldFromCamera)
            }
            guard world != worldTransforms[Int(slot)] || movedInUpdate[Int(slot)] == updateCount else { continue }
            place(slot, world)
            placeDescendants(of: node)
        }
    }

    private func place(_ slot: Int32, _ world: Matrix4) {
        let i = Int(slot)
        worldTransforms[i] = world
        movedInUpdate[i] = updateCount
        if meshIndices[i] >= 0 { worldBounds[i] = meshTable.entries[Int(meshIndices[i])].bounds.transformed(by: world) }
    }

    private func placeDescendants(of node: Node) {
        var stack = node.childNodes
        while let child = stack.popLast() {
            // Those with rules of their own come later in the order.
            guard !inputs.pointee.flags[Int(child.slot)].contains(.isConstrained) else { continue }
            place(child.slot, worldTransforms[Int(parents[Int(child.slot)])] * child.parentFromLocal)
            stack.append(contentsOf: child.childNodes)
        }
    }

    /// Sorts constrained nodes so that each comes after those that its place depends on: the ones above it and above its targets.
    private func findConstrained() {
        constrainedSlotsAreStale = false
        let flags = inputs.pointee.flags
        let found = order.filter { flags[Int($0)].contains(.isConstrained) }
        (hasBillboards, hasFreeConstraints) = (false, false)
        var sorted: [Int32] = []
        var isSeen: Set<Int32> = []
        for first in found {
            // The way down, without recursion: a slot is put down when all that it depends on is. Who is met again on the way closes a
            // ring, and is passed by.
            var stack: [(slot: Int32, isReady: Bool)] = [(first, false)]
            func push(_ slot: Int32?) { if let slot { stack.append((slot, false)) } }
            while let (slot, isReady) = stack.popLast() {
                if isReady {
                    sorted.append(slot)
                    continue
                }
                guard isSeen.insert(slot).inserted, let node = node(at: slot) else { continue }
                stack.append((slot, true))
                for constraint in node.constraints {
                    hasBillboards = hasBillboards || constraint.followsViewer
                    hasFreeConstraints = hasFreeConstraints || constraint.isFree
                    if let target = constraint.target?.node { push(constrained(from: target)) }
                }
                if let parent = node.parent { push(constrained(from: parent)) }
            }
        }
        constrainedSlots = sorted
        mayHaveConstraints = !sorted.isEmpty
    }

    /// The nearest constrained node from `node` up; the ones above follow from that one.
    private func constrained(from node: Node) -> Int32? {
        var ancestor: Node? = node
        while let current = ancestor {
            // A target in another scene is where it is.
            guard current.store === self else { return nil }
            if inputs.pointee.flags[Int(current.slot)].contains(.isConstrained) { return current.slot }
            ancestor = current.parent
        }
        return nil
    }
}
