import VitrineGeometry

/// The per-frame data of a scene's nodes in arrays by slot, so that moving, culling and drawing 100,000 nodes are
/// passes over memory instead of walks through a graph of objects.
///
/// A node's slot is stable while it is attached; a freed slot is reused. Results (`worldTransforms`, `worldBounds` …) are
/// those of the last `Scene.update()`.
///
/// ```swift
/// let slots = cubes.map(\.slot)
/// scene.store.modifyLocalTransforms(of: slots) { index, transform in transform.translation.y = heights[index] }
/// scene.update()
/// let visible = scene.store.visibleSlots(in: Frustum(clipFromWorld: clipFromWorld))
/// ```
public final class NodeStore {
    private(set) var nodes: [Unmanaged<Node>?] = []
    /// Local transforms, opacities and flags, by slot.
    let inputs: UnsafeMutablePointer<NodeInputs>
    /// −1 for the root.
    var parents: [Int32] = []
    /// What the few nodes with shear or a pivot add to their transform.
    var specials: [Int32: SpecialTransform] = [:]

    // Results of the last update, by slot.

    public internal(set) var worldTransforms: [Matrix4] = []
    /// The product of the opacities from the root down; 0 if the node or an ancestor is hidden.
    public internal(set) var worldOpacities: [Float] = []
    /// Bounds of the node's own mesh, world frame, metres; empty without a mesh. Follows skins and morph weights: includes all
    /// positions that they can reach, so never too small, sometimes too large.
    public internal(set) var worldBounds: [BoundingBox] = []
    /// The update that changed the slot's world transform last: compare it with an earlier `updateCount`.
    public internal(set) var movedInUpdate: [UInt64] = []

    /// The node's mesh, by slot; nil without a mesh.
    public private(set) var meshes: [Mesh?] = []
    /// The index of the node's mesh (`mesh(at:)`), by slot; −1 without a mesh. Equal indices are equal meshes, for instancing.
    public private(set) var meshIndices: [Int32] = []
    public internal(set) var categoryBitMasks: [UInt32] = []
    public internal(set) var renderingOrders: [Int32] = []

    /// Every mesh in use, once.
    var meshTable = MeshTable()
    /// Attached slots whose bounds depend on joints or morph weights.
    var deformingSlots: [Int32] = []

    /// Attached slots, parents before children, in order of insertion. As of the last update.
    public internal(set) var order: [Int32] = []
    /// The number of updates so far.
    public internal(set) var updateCount: UInt64 = 0
    /// Incremented when nodes are added, removed or change their meshes: earlier draw lists are out of date.
    public internal(set) var structureVersion: UInt64 = 0

    /// Nodes with constraints, each after those that its place depends on.
    var constrainedSlots: [Int32] = []
    var constrainedSlotsAreStale = false
    /// Some node has constraints, or had some at the last update.
    var mayHaveConstraints = false
    var hasBillboards = false
    /// Some constraints depend on what only the program knows.
    var hasFreeConstraints = false
    /// Where the viewer was when the scene was drawn last.
    private(set) var worldFromCamera = Matrix4.identity
    var viewerMoved = false
    var isUpdating = false

    /// Nodes with actions, in the order in which they got some; may list slots that have gone to other nodes.
    var actingSlots: [Int32] = []
    /// Steps of actions so far, and whether one is being taken.
    var stepCount: UInt64 = 0
    var isStepping = false
    /// See `Scene.onActivity`.
    var onActivity: (() -> Void)?

    private var freeSlots: [Int32] = []
    /// Slots of removed nodes that `order` still lists; free once it doesn't.
    private var retiredSlots: [Int32] = []
    var deformersAreStale = true

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
    public func node(at slot: Int32) -> Node? {
        slot >= 0 && Int(slot) < nodes.count ? nodes[Int(slot)]?.takeUnretainedValue() : nil
    }

    /// The mesh of an index in `meshIndices`.
    public func mesh(at index: Int32) -> Mesh? { meshTable.mesh(at: index) }

    /// One more than the greatest index in `meshIndices`.
    public var meshCount: Int { meshTable.count }

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

    /// Sets the viewer's pose.
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
    public func castsShadow(at slot: Int32) -> Bool { !inputs.pointee.flags[Int(slot)].contains(.castsNoShadow) }

    func setCastsShadow(_ casts: Bool, at slot: Int32) {
        if casts { inputs.pointee.flags[Int(slot)].remove(.castsNoShadow) } else { inputs.pointee.flags[Int(slot)].insert(.castsNoShadow) }
        structureVersion &+= 1
    }

    func markMoved(_ slot: Int32) { inputs.pointee.markMoved(slot) }

    func state(of slot: Int32) -> Node.State {
        let i = Int(slot)
        return Node.State(
            local: inputs.pointee.locals[i], special: special(at: slot), opacity: inputs.pointee.opacities[i],
            isHidden: inputs.pointee.flags[i].contains(.isHidden),
            categoryBitMask: categoryBitMasks[i], renderingOrder: renderingOrders[i], castsShadow: castsShadow(at: slot))
    }
}
