import VitrineMath

/// A node of a scene's tree: a transform relative to its parent, with an optional mesh, camera, light and children.
///
/// ```swift
/// let node = Node(name: "Card")
/// node.position = [0, 1, 0]
/// scene.rootNode.addChildNode(node)
/// node.eulerAngles.y = .pi / 2
/// ```
///
/// A node that is attached to a scene keeps its values in the scene's arrays (`NodeStore`); a free one keeps them itself. A parent owns
/// its children; a child does not own its parent. Use the nodes of one scene from one thread at a time.
public final class Node {
    /// What a node keeps itself while it belongs to no scene.
    final class State {
        var local: Transform
        var special: SpecialTransform?
        var opacity: Float
        var isHidden: Bool
        var categoryBitMask: UInt32
        var renderingOrder: Int32
        var castsShadow: Bool

        init(
            local: Transform = .identity, special: SpecialTransform? = nil, opacity: Float = 1, isHidden: Bool = false,
            categoryBitMask: UInt32 = 1, renderingOrder: Int32 = 0, castsShadow: Bool = true
        ) {
            (self.local, self.special, self.opacity, self.isHidden) = (local, special, opacity, isHidden)
            (self.categoryBitMask, self.renderingOrder, self.castsShadow) = (categoryBitMask, renderingOrder, castsShadow)
        }
    }

    /// Where the node's values are: a node has one home at a time.
    enum Home {
        case free(State)
        case attached(NodeStore)
    }

    public var name: String
    public private(set) var childNodes: [Node] = []
    /// Not owned: a parent that goes away clears it.
    private unowned(unsafe) var parentReference: Node?
    public var parent: Node? { parentReference }

    private(set) var home: Home
    /// The node's place in the arrays of its scene's `store`; −1 while it belongs to no scene.
    public private(set) var slot: Int32 = -1

    /// The mesh to draw; shared by identity.
    public var mesh: Mesh? {
        didSet { store?.setMesh(mesh, at: slot) }
    }
    public var camera: Camera? {
        get { boxedCamera.value }
        set { boxedCamera = Boxed(newValue) }
    }
    public var light: Light? {
        get { boxedLight.value }
        set {
            boxedLight = Boxed(newValue)
            store?.structureVersion &+= 1
        }
    }
    private var boxedCamera = Boxed<Camera>.none
    private var boxedLight = Boxed<Light>.none
    /// Who knows the node without owning it; made when first wanted.
    var reference: NodeReference {
        if let knownReference { return knownReference }
        let reference = NodeReference(self)
        knownReference = reference
        return reference
    }
    private var knownReference: NodeReference?
    /// Actions and constraints; made when first wanted.
    private(set) var behavior: NodeBehavior?
    func makeBehavior() -> NodeBehavior {
        if let behavior { return behavior }
        let made = NodeBehavior()
        behavior = made
        return made
    }
    public var skin: Skin? {
        didSet { store?.setSkinned(skin != nil, at: slot) }
    }
    /// Weights of the mesh's morph targets; empty: the mesh's own.
    public var morphWeights: [Float] = [] {
        didSet { store?.markMoved(slot) }
    }

    public convenience init(name: String = "", mesh: Mesh? = nil) { self.init(name: name, mesh: mesh, state: State()) }

    init(name: String, mesh: Mesh?, state: State) {
        self.name = name
        self.mesh = mesh
        home = .free(state)
    }

    /// The arrays of the scene that the node belongs to.
    var store: NodeStore? {
        if case .attached(let store) = home { return store }
        return nil
    }

    deinit {
        // Before anything below goes: it may ask.
        knownReference?.clear(leaving: store.map { $0.worldTransforms[Int(slot)] } ?? parentFromLocal)
        store?.remove(slot)
        releaseDescendants()
    }

    /// Releases the subtree without recursion: a tree may be deeper than the stack. Nodes with other owners become free.
    private func releaseDescendants() {
        var pending = childNodes
        childNodes = []
        while var node = pending.popLast() {
            node.parentReference = nil
            if isKnownUniquelyReferenced(&node) {
                pending.append(contentsOf: node.childNodes)
                node.childNodes = []
            } else {
                node.detach()
            }
        }
    }

    // MARK: The tree

    /// Appends `child`, taking it away from the parent it had. A node can't become its own descendant: that call changes nothing and returns false.
    @discardableResult
    public func addChildNode(_ child: Node) -> Bool { insertChildNode(child, at: childNodes.count) }

    /// Inserts `child` so that it stands at `index` among the children (held between 0 and their count), taking it away from the parent
    /// it had. A node can't become its own descendant: that call changes nothing and returns false.
    @discardableResult
    public func insertChildNode(_ child: Node, at index: Int) -> Bool {
        guard !isSelfOrAncestor(child) else { return false }
        child.removeFromParentNode()
        // A node that outlived its scene still holds a place in that scene's arrays.
        child.detach()
        childNodes.insert(child, at: min(max(index, 0), childNodes.count))
        child.parentReference = self
        if let store { child.attach(to: store, parent: slot) }
        return true
    }

    private func isSelfOrAncestor(_ node: Node) -> Bool {
        // A node without children is not an ancestor: saves the walk up when a tree is built from the root down.
        if node.childNodes.isEmpty { return node === self }
        var ancestor: Node? = self
        while let current = ancestor {
            if current === node { return true }
            ancestor = current.parentReference
        }
        return false
    }

    /// Takes the node, with everything below it, out of its parent. A node without parent is left alone.
    public func removeFromParentNode() {
        guard let parent = parentReference else { return }
        // The last child is found first: trees are mostly taken down from the end.
        if let index = parent.childNodes.lastIndex(where: { $0 === self }) { parent.childNodes.remove(at: index) }
        parentReference = nil
        detach()
    }

    /// Takes all children out.
    public func removeAllChildNodes() {
        let children = childNodes
        childNodes = []
        for child in children {
            child.parentReference = nil
            child.detach()
        }
    }

    func attach(to store: NodeStore, parent: Int32) {
        forSubtree { node in
            let parentSlot = node === self ? parent : (node.parentReference?.slot ?? -1)
            guard case .free(let state) = node.home else { return }
            node.slot = store.insert(node, state: state, parent: parentSlot)
            node.home = .attached(store)
        }
    }

    func detach() {
        guard store != nil else { return }
        forSubtree { node in
            guard let store = node.store else { return }
            node.home = .free(store.state(of: node.slot))
            store.remove(node.slot)
            node.slot = -1
        }
    }

    /// Calls `body` for this node and everything below it, parents first, without recursion (files may nest deeply).
    public func forSubtree(_ body: (Node) -> Void) {
        var stack: [Node] = [self]
        while let node = stack.popLast() {
            body(node)
            stack.append(contentsOf: node.childNodes.reversed())
        }
    }

    /// The first node with this name below this one; children only, unless `recursively`.
    public func childNode(withName name: String, recursively: Bool = false) -> Node? {
        guard recursively else { return childNodes.first { $0.name == name } }
        var stack = Array(childNodes.reversed())
        while let node = stack.popLast() {
            if node.name == name { return node }
            stack.append(contentsOf: node.childNodes.reversed())
        }
        return nil
    }
}
