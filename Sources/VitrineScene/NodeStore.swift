import VitrineGeometry

/// The per-frame data of a scene's nodes in arrays by slot, so that moving, culling and drawing 100,000 nodes are passes over arrays instead of
/// traversals of a graph of objects.
///
/// A node's slot is stable while it is attached; a freed slot is reused. Results (`worldTransforms`, `worldBounds` …) are those of the last
/// `Scene.update()`.
package final class NodeStore {
    private var nodes: [Unmanaged<Node>?] = []
    /// Local transforms, opacities and flags, by slot.
    let inputs: UnsafeMutablePointer<NodeInputs>
    /// The slots of the parents; −1 for the root.
    private var parents: [Int32] = []
    /// Shear and pivot of the few nodes that have them.
    private var specials: [Int32: SpecialTransform] = [:]

    // The results of the last update, by slot.

    /// `worldFromLocal`, constraints applied, by slot.
    package private(set) var worldTransforms: [Matrix4] = []
    /// The product of the opacities from the root down; 0 if the node or an ancestor is hidden.
    package private(set) var worldOpacities: [Float] = []
    /// The bounds of the node's mesh in metres in the world frame; empty without a mesh. Include all positions that skins and morph weights can
    /// reach, so that they are never too small, but sometimes too large.
    package private(set) var worldBounds: [BoundingBox] = []
    /// The update that last changed the slot's world transform; compare it with an earlier `updateCount`.
    package private(set) var movedInUpdate: [UInt64] = []

    /// The node's mesh, by slot; nil without a mesh.
    package private(set) var meshes: [Mesh?] = []
    /// The index of the node's mesh (`mesh(at:)`), by slot; −1 without a mesh. Equal indices are equal meshes, for instancing.
    package private(set) var meshIndices: [Int32] = []
    /// `Node.categoryBitMask` by slot.
    package private(set) var categoryBitMasks: [UInt32] = []
    /// `Node.renderingOrder` by slot.
    package private(set) var renderingOrders: [Int32] = []

    /// The meshes in use, without duplicates.
    private var meshTable = MeshTable()
    /// Attached slots whose bounds depend on joints or morph weights.
    private var deformingSlots: [Int32] = []

    /// Attached slots, parents before children, in order of insertion, as of the last update.
    package private(set) var order: [Int32] = []
    /// The number of updates so far.
    package private(set) var updateCount: UInt64 = 0
    /// The version of the structure, incremented when nodes are added, removed or change their meshes: earlier draw lists are then out of
    /// date.
    package private(set) var structureVersion: UInt64 = 0

    /// Nodes with constraints, each after those that its transform depends on.
    private var constrainedSlots: [Int32] = []
    private var constrainedSlotsAreStale = false
    /// Whether a node has constraints, or had some at the last update.
    private(set) var mayHaveConstraints = false
    private var hasBillboards = false
    /// Whether some constraints depend on state outside the scene.
    private var hasFreeConstraints = false
    /// The camera's pose in the last frame.
    private var worldFromCamera = Matrix4.identity
    private var viewerMoved = false
    private var isUpdating = false

    /// Nodes with actions, in the order in which they got their first action; may contain reused slots.
    private var actingSlots: [Int32] = []
    /// The number of steps of actions, and whether one is running.
    private var stepCount: UInt64 = 0
    private var isStepping = false
    /// The handler of activity, set from `Scene.onActivity`.
    var onActivity: (() -> Void)?

    private var freeSlots: [Int32] = []
    /// Slots of removed nodes that `order` still contains; the next update frees them.
    private var retiredSlots: [Int32] = []
    private var deformersAreStale = true

    init() {
        inputs = .allocate(capacity: 1)
        inputs.initialize(to: NodeInputs())
    }

    deinit {
        inputs.pointee.deallocate()
        inputs.deallocate()
    }

    /// Whether results are out of date.
    var anythingMoved: Bool { inputs.pointee.anythingMoved }

    /// The node in `slot`; nil if the slot is free.
    package func node(at slot: Int32) -> Node? {
        slot >= 0 && Int(slot) < nodes.count ? nodes[Int(slot)]?.takeUnretainedValue() : nil
    }

    /// Returns the mesh with an index in `meshIndices`.
    package func mesh(at index: Int32) -> Mesh? { meshTable.mesh(at: index) }

    /// The greatest index in `meshIndices` plus one.
    package var meshCount: Int { meshTable.count }

    // MARK: Adding and removing nodes

    func insert(_ node: Node, state: Node.State, parent: Int32) -> Int32 {
        let slot: Int32
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = Int32(nodes.count)
            grow()
        }
        let i = Int(slot)
        nodes[i] = .passUnretained(node)
        inputs.pointee.flags[i] = state.isHidden ? [.isAttached, .isHidden, .hasMoved] : [.isAttached, .hasMoved]
        if !state.castsShadow { inputs.pointee.flags[i].insert(.castsNoShadow) }
        inputs.pointee.locals[i] = state.local
        if state.special != nil { setSpecial(state.special, at: slot) }
        inputs.pointee.opacities[i] = state.opacity
        parents[i] = parent
        categoryBitMasks[i] = state.categoryBitMask
        renderingOrders[i] = state.renderingOrder
        setMesh(node.mesh, at: slot)
        setSkinned(node.skin != nil, at: slot)
        order.append(slot)
        structureChanged()
        if node.hasActions { startActing(slot) }
        if !node.constraints.isEmpty { setConstrained(true, at: slot) }
        return slot
    }

    private func grow() {
        nodes.append(nil)
        inputs.pointee.append()
        parents.append(-1)
        worldTransforms.append(.identity)
        worldOpacities.append(1)
        worldBounds.append(.empty)
        meshes.append(nil)
        meshIndices.append(-1)
        categoryBitMasks.append(1)
        renderingOrders.append(0)
        movedInUpdate.append(0)
    }

    func remove(_ slot: Int32) {
        let i = Int(slot)
        nodes[i] = nil
        setMesh(nil, at: slot)
        setSpecial(nil, at: slot)
        inputs.pointee.flags[i] = []
        parents[i] = -1
        retiredSlots.append(slot)
        structureChanged()
        // Adding and removing nodes without updates in between must not grow the arrays.
        if retiredSlots.count > 1024, retiredSlots.count > order.count / 2 { freeRetiredSlots() }
    }

    /// Removes the slots of removed nodes from `order`.
    func freeRetiredSlots() {
        guard !retiredSlots.isEmpty else { return }
        let flags = inputs.pointee.flags
        order.removeAll { !flags[Int($0)].contains(.isAttached) }
        freeSlots.append(contentsOf: retiredSlots)
        retiredSlots.removeAll(keepingCapacity: true)
    }

    /// Sets the camera's pose.
    func setViewer(_ worldFromCamera: Matrix4) {
        guard worldFromCamera != self.worldFromCamera else { return }
        self.worldFromCamera = worldFromCamera
        viewerMoved = true
    }

    func structureChanged() {
        deformersAreStale = true
        constrainedSlotsAreStale = true
        inputs.pointee.anythingMoved = true
        structureVersion &+= 1
    }

    func setMesh(_ mesh: Mesh?, at slot: Int32) {
        let i = Int(slot)
        guard meshes[i] !== mesh else { return }
        if meshIndices[i] >= 0 { meshTable.release(meshIndices[i]) }
        meshes[i] = mesh
        meshIndices[i] = mesh.map { meshTable.retain($0) } ?? -1
        worldBounds[i] = .empty
        structureChanged()
        markMoved(slot)
    }

    func setSkinned(_ isSkinned: Bool, at slot: Int32) {
        if isSkinned { inputs.pointee.flags[Int(slot)].insert(.isSkinned) } else { inputs.pointee.flags[Int(slot)].remove(.isSkinned) }
        structureChanged()
        markMoved(slot)
    }

    /// Whether the node in `slot` casts shadows.
    package func castsShadow(at slot: Int32) -> Bool { !inputs.pointee.flags[Int(slot)].contains(.castsNoShadow) }

    func setCastsShadow(_ casts: Bool, at slot: Int32) {
        if casts { inputs.pointee.flags[Int(slot)].remove(.castsNoShadow) } else { inputs.pointee.flags[Int(slot)].insert(.castsNoShadow) }
        structureVersion &+= 1
    }

    func setCategoryBitMask(_ mask: UInt32, at slot: Int32) {
        categoryBitMasks[Int(slot)] = mask
        drawListChanged()
    }

    func setRenderingOrder(_ order: Int32, at slot: Int32) {
        renderingOrders[Int(slot)] = order
        drawListChanged()
    }

    /// Invalidates earlier draw lists after a change that does not affect the tree.
    func drawListChanged() { structureVersion &+= 1 }

    func markMoved(_ slot: Int32) { inputs.pointee.markMoved(slot) }

    func state(of slot: Int32) -> Node.State {
        let i = Int(slot)
        return Node.State(
            local: inputs.pointee.locals[i], special: special(at: slot), opacity: inputs.pointee.opacities[i],
            isHidden: inputs.pointee.flags[i].contains(.isHidden),
            categoryBitMask: categoryBitMasks[i], renderingOrder: renderingOrders[i], castsShadow: castsShadow(at: slot))
    }
}

// MARK: Local transforms

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

    /// Removes the shear when rotation or scale are set.
    func forgetShear(at slot: Int32) {
        guard var special = special(at: slot) else { return }
        special.exact = nil
        setSpecial(special.simplified, at: slot)
    }

    /// Changes the transforms of many nodes: calls `body` with each index into `slots` and that slot's transform, to change it in place.
    ///
    /// For thousands of nodes per frame, this is many times faster than setting `position` and other properties of each `Node`. Slots without a node
    /// are skipped. `body` must not add or remove nodes.
    package func modifyLocalTransforms(of slots: [Int32], _ body: (_ index: Int, _ transform: inout Transform) -> Void) {
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

    /// Sets the transforms of many nodes at once; the counts of `transforms` and `slots` must be equal.
    package func setLocalTransforms(_ transforms: [Transform], of slots: [Int32]) {
        precondition(transforms.count == slots.count, "as many transforms as slots")
        transforms.withUnsafeBufferPointer { transforms in
            modifyLocalTransforms(of: slots) { index, transform in transform = transforms[index] }
        }
    }
}

// MARK: Updates

extension NodeStore {
    /// Updates world transforms, opacities and bounds. Costs one test per distinct mesh if nothing moved, otherwise one pass over the arrays.
    func update() {
        // A custom constraint may read world transforms.
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

    /// Runs a pass with unchecked access to the arrays.
    private func withPass<Result>(_ body: (NodeUpdatePass) -> Result) -> Result {
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
                                            NodeUpdatePass(
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

// MARK: Culling

extension NodeStore {
    /// Returns the slots, in ascending order, that have a mesh, are not hidden, share a bit with `categoryBitMask` and whose world bounds intersect
    /// the frustum, as of the last update.
    package func visibleSlots(in frustum: Frustum, categoryBitMask: UInt32 = .max) -> [Int32] {
        var slots: [Int32] = []
        appendVisibleSlots(in: frustum, categoryBitMask: categoryBitMask, to: &slots)
        return slots
    }

    /// Appends the slots of `visibleSlots(in:categoryBitMask:)` to an array that can be reused from frame to frame.
    package func appendVisibleSlots(in frustum: Frustum, categoryBitMask: UInt32 = .max, to slots: inout [Int32]) {
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

// MARK: Actions

extension NodeStore {
    /// The current step; 0 between steps.
    var currentStep: UInt64 { isStepping ? stepCount : 0 }

    /// Whether a node has actions.
    var isActing: Bool {
        for slot in actingSlots where node(at: slot)?.hasActions ?? false { return true }
        return false
    }

    /// Adds a node with actions.
    func startActing(_ slot: Int32) {
        let i = Int(slot)
        guard !inputs.pointee.flags[i].contains(.isActing) else { return }
        inputs.pointee.flags[i].insert(.isActing)
        actingSlots.append(slot)
        if !isStepping { onActivity?() }
    }

    /// Advances the actions of all nodes by `seconds`, in the order in which the nodes got actions.
    func advanceActions(by seconds: Double) {
        // Prevents an endless recursion by an action that advances the scene.
        guard !actingSlots.isEmpty, !isStepping else { return }
        isStepping = true
        stepCount &+= 1
        // Nodes that get actions during this step begin with the next step.
        for slot in actingSlots {
            // A slot that was reused in between is in the list twice.
            guard inputs.pointee.flags[Int(slot)].contains(.isActing), let node = node(at: slot) else { continue }
            node.behavior?.advanceActions(of: node, by: seconds, step: stepCount)
        }
        isStepping = false
        forgetIdle()
    }

    private func forgetIdle() {
        var kept: [Int32] = []
        kept.reserveCapacity(actingSlots.count)
        // The flag marks slots in the list: cleared for all, then set once per kept slot.
        for slot in actingSlots { inputs.pointee.flags[Int(slot)].remove(.isActing) }
        for slot in actingSlots {
            let i = Int(slot)
            guard !inputs.pointee.flags[i].contains(.isActing), node(at: slot)?.hasActions ?? false else { continue }
            inputs.pointee.flags[i].insert(.isActing)
            kept.append(slot)
        }
        actingSlots = kept
    }
}

// MARK: Constraints

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

    /// Whether constraints must be applied even if nothing moved.
    var constraintsAreDue: Bool { hasFreeConstraints || (viewerMoved && hasBillboards) }

    /// Applies the constraints to nodes and their descendants. All other world transforms must be up to date.
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
            setWorldTransform(slot, world)
            moveDescendants(of: node)
        }
    }

    private func setWorldTransform(_ slot: Int32, _ world: Matrix4) {
        let i = Int(slot)
        worldTransforms[i] = world
        movedInUpdate[i] = updateCount
        if meshIndices[i] >= 0 { worldBounds[i] = meshTable.entries[Int(meshIndices[i])].bounds.transformed(by: world) }
    }

    private func moveDescendants(of node: Node) {
        var stack = node.childNodes
        while let child = stack.popLast() {
            // Constrained descendants come later in the order.
            guard !inputs.pointee.flags[Int(child.slot)].contains(.isConstrained) else { continue }
            setWorldTransform(child.slot, worldTransforms[Int(parents[Int(child.slot)])] * child.parentFromLocal)
            stack.append(contentsOf: child.childNodes)
        }
    }

    /// Sorts constrained nodes so that each comes after those that its transform depends on: ancestors of itself and of its targets.
    private func findConstrained() {
        constrainedSlotsAreStale = false
        let flags = inputs.pointee.flags
        let found = order.filter { flags[Int($0)].contains(.isConstrained) }
        (hasBillboards, hasFreeConstraints) = (false, false)
        var sorted: [Int32] = []
        var isSeen: Set<Int32> = []
        for first in found {
            // Depth-first without recursion: a slot is added after all slots that it depends on. A slot that occurs again closes a cycle and is skipped.
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
                    hasBillboards = hasBillboards || constraint.isBillboard
                    hasFreeConstraints = hasFreeConstraints || constraint.isFree
                    if let target = constraint.target?.node { push(constrained(from: target)) }
                }
                if let parent = node.parent { push(constrained(from: parent)) }
            }
        }
        constrainedSlots = sorted
        mayHaveConstraints = !sorted.isEmpty
    }

    /// Returns the nearest constrained ancestor of `node`, or the node itself.
    private func constrained(from node: Node) -> Int32? {
        var ancestor: Node? = node
        while let current = ancestor {
            // Targets in other scenes do not depend on this one.
            guard current.store === self else { return nil }
            if inputs.pointee.flags[Int(current.slot)].contains(.isConstrained) { return current.slot }
            ancestor = current.parent
        }
        return nil
    }
}
