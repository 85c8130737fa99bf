import VitrineMath

/// Where a scene's nodes keep what is read every frame: arrays by slot, so that moving, culling and drawing 100,000 nodes are
/// passes over memory instead of walks through a graph of objects.
///
/// Slots are stable while a node is attached. `order` lists the attached slots with parents before children.
public final class NodeStore {
    /// What a slot's node is.
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let isAttached = Flags(rawValue: 1)
        static let isHidden = Flags(rawValue: 2)
        /// The local transform changed since the last update.
        static let hasMoved = Flags(rawValue: 4)
    }

    private(set) var nodes: [Unmanaged<Node>?] = []
    var flags: [Flags] = []
    var locals: [Transform] = []
    var opacities: [Float] = []
    /// −1 for the root.
    var parents: [Int32] = []
    /// Exact local matrices of nodes whose matrix is no product of translation, rotation and scale.
    var exactLocals: [Int32: Matrix4] = [:]

    /// Results of the last update, by slot.
    public internal(set) var worldTransforms: [Matrix4] = []
    /// The product of the opacities from the root down; 0 where a node or one above it is hidden.
    public internal(set) var worldOpacities: [Float] = []
    /// What the node shows, by slot; nil where nothing is drawn.
    public internal(set) var meshes: [Mesh?] = []
    public internal(set) var categoryBitMasks: [UInt32] = []
    public internal(set) var renderingOrders: [Int32] = []
    /// The update in which the slot's world transform changed last: compare it with the number of an earlier update.
    public internal(set) var movedInUpdate: [UInt64] = []

    /// Attached slots, parents before children, children in their order.
    public private(set) var order: [Int32] = []
    /// The number of updates so far.
    public private(set) var updateCount: UInt64 = 0
    /// Rises when nodes come, go or change what they show: draw lists made earlier are out of date.
    public internal(set) var structureVersion: UInt64 = 0

    private var freeSlots: [Int32] = []
    private var orderIsStale = true
    var anythingMoved = true

    init() {}

    /// The node in `slot`.
    public func node(at slot: Int32) -> Node? { nodes[Int(slot)]?.takeUnretainedValue() }

    func insert(_ node: Node, parent: Int32) -> Int32 {
        let state = node.detached
        let slot: Int32
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = Int32(nodes.count)
            grow()
        }
        let i = Int(slot)
        nodes[i] = .passUnretained(node)
        flags[i] = state.isHidden ? [.isAttached, .isHidden, .hasMoved] : [.isAttached, .hasMoved]
        locals[i] = state.local
        opacities[i] = state.opacity
        parents[i] = parent
        if let exact = state.exactLocal { exactLocals[slot] = exact }
        meshes[i] = node.mesh
        categoryBitMasks[i] = state.categoryBitMask
        renderingOrders[i] = state.renderingOrder
        structureChanged()
        return slot
    }

    private func grow() {
        nodes.append(nil)
        flags.append([])
        locals.append(.identity)
        opacities.append(1)
        parents.append(-1)
        worldTransforms.append(.identity)
        worldOpacities.append(1)
        meshes.append(nil)
        categoryBitMasks.append(1)
        renderingOrders.append(0)
        movedInUpdate.append(0)
    }

    func remove(_ slot: Int32) {
        let i = Int(slot)
        nodes[i] = nil
        flags[i] = []
        meshes[i] = nil
        parents[i] = -1
        exactLocals[slot] = nil
        freeSlots.append(slot)
        structureChanged()
    }

    func structureChanged() {
        orderIsStale = true
        anythingMoved = true
        structureVersion &+= 1
    }

    func markMoved(_ slot: Int32) {
        flags[Int(slot)].insert(.hasMoved)
        anythingMoved = true
    }

    func state(of slot: Int32) -> Node.State {
        let i = Int(slot)
        return Node.State(
            local: locals[i], exactLocal: exactLocals[slot], opacity: opacities[i], isHidden: flags[i].contains(.isHidden),
            categoryBitMask: categoryBitMasks[i], renderingOrder: renderingOrders[i])
    }

    // MARK: Update

    /// Brings world transforms and opacities up to date. Costs nothing when nothing moved, else one pass over the arrays.
    func update(root: Node) {
        guard anythingMoved else { return }
        if orderIsStale { rebuildOrder(root: root) }
        updateCount &+= 1
        let now = updateCount
        for slot in order {
            let i = Int(slot)
            let parent = Int(parents[i])
            let parentMoved = parent >= 0 && movedInUpdate[parent] == now
            guard parentMoved || flags[i].contains(.hasMoved) else { continue }
            flags[i].remove(.hasMoved)
            movedInUpdate[i] = now
            let local = exactLocals.isEmpty ? locals[i].matrix : (exactLocals[slot] ?? locals[i].matrix)
            let opacity = flags[i].contains(.isHidden) ? 0 : opacities[i]
            worldTransforms[i] = parent >= 0 ? worldTransforms[parent] * local : local
            worldOpacities[i] = parent >= 0 ? worldOpacities[parent] * opacity : opacity
        }
        anythingMoved = false
    }

    private func rebuildOrder(root: Node) {
        order.removeAll(keepingCapacity: true)
        order.append(root.slot)
        var next = 0
        while next < order.count {
            guard let node = node(at: order[next]) else { break }
            for child in node.childNodes { order.append(child.slot) }
            next += 1
        }
        orderIsStale = false
    }
}
