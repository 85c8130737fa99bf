import VitrineMath

/// A place in a scene: a transform relative to its parent, and what hangs there (mesh, camera, light, children).
///
/// ```swift
/// let node = Node(name: "Card")
/// node.position = [0, 1, 0]
/// scene.rootNode.addChildNode(node)
/// node.eulerAngles.y = .pi / 2
/// ```
///
/// A node that is attached to a scene keeps its values in the scene's arrays (`NodeStore`); a free one keeps them itself. Use it
/// from one thread at a time.
public final class Node {
    /// What a node keeps while it belongs to no scene.
    struct State {
        var local = Transform.identity
        var exactLocal: Matrix4?
        var opacity: Float = 1
        var isHidden = false
        var categoryBitMask: UInt32 = 1
        var renderingOrder: Int32 = 0
    }

    public var name: String
    public private(set) var childNodes: [Node] = []
    /// Not owned: a parent that goes away clears it.
    private unowned(unsafe) var parentReference: Node?
    public var parent: Node? { parentReference }

    private(set) var store: NodeStore?
    private(set) var slot: Int32 = -1
    private(set) var detached = State()

    /// What is drawn here; shared by identity.
    public var mesh: Mesh? {
        didSet {
            guard let store else { return }
            store.meshes[Int(slot)] = mesh
            store.structureVersion &+= 1
        }
    }
    public var camera: Camera?
    public var light: Light? {
        didSet { store?.structureVersion &+= 1 }
    }
    public var skin: Skin? {
        didSet { store?.structureVersion &+= 1 }
    }
    /// Weights of the mesh's morph targets; empty: the mesh's own.
    public var morphWeights: [Float] = []

    public init(name: String = "", mesh: Mesh? = nil) {
        self.name = name
        self.mesh = mesh
    }

    deinit {
        for child in childNodes { child.parentReference = nil }
        store?.remove(slot)
    }

    // MARK: The tree

    /// Appends `child`, taking it away from the parent it had. A node can't become its own descendant: that call changes nothing and returns false.
    @discardableResult
    public func addChildNode(_ child: Node) -> Bool { insertChildNode(child, at: childNodes.count) }

    /// Inserts `child` before the child at `index` (0…count), taking it away from the parent it had.
    @discardableResult
    public func insertChildNode(_ child: Node, at index: Int) -> Bool {
        var ancestor: Node? = self
        while let node = ancestor {
            if node === child { return false }
            ancestor = node.parentReference
        }
        child.removeFromParentNode()
        // A node that outlived its scene still holds a place in that scene's arrays.
        child.detach()
        childNodes.insert(child, at: min(max(index, 0), childNodes.count))
        child.parentReference = self
        if let store { child.attach(to: store, parent: slot) }
        return true
    }

    /// Takes the node, with everything below it, out of its parent. A node without parent is left alone.
    public func removeFromParentNode() {
        guard let parent = parentReference else { return }
        parent.childNodes.removeAll { $0 === self }
        parentReference = nil
        detach()
    }

    func attach(to store: NodeStore, parent: Int32) {
        forSubtree { node in
            let parentSlot = node === self ? parent : (node.parentReference?.slot ?? -1)
            node.slot = store.insert(node, parent: parentSlot)
            node.store = store
        }
    }

    func detach() {
        forSubtree { node in
            guard let store = node.store else { return }
            node.detached = store.state(of: node.slot)
            store.remove(node.slot)
            node.store = nil
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

// MARK: - Transform

extension Node {
    /// Translation, rotation and scale in the parent's frame.
    public var localTransform: Transform {
        get { store.map { $0.locals[Int(slot)] } ?? detached.local }
        set {
            if let store {
                store.locals[Int(slot)] = newValue
                store.exactLocals[slot] = nil
                store.markMoved(slot)
            } else {
                detached.local = newValue
                detached.exactLocal = nil
            }
        }
    }

    /// `parentFromLocal`. An affine matrix is kept exactly, shear too; setting position, orientation or scale afterwards drops the shear.
    public var transform: Matrix4 {
        get {
            let exact = store.map { $0.exactLocals[slot] } ?? detached.exactLocal
            return exact ?? localTransform.matrix
        }
        set {
            let local = Transform(newValue)
            localTransform = local
            guard !local.matrix.isClose(to: newValue) else { return }
            if let store { store.exactLocals[slot] = newValue } else { detached.exactLocal = newValue }
        }
    }

    /// Metres, in the parent's frame.
    public var position: Vector3 {
        get { localTransform.translation }
        set { localTransform.translation = newValue }
    }

    public var orientation: Quaternion {
        get { localTransform.rotation }
        set { localTransform.rotation = newValue }
    }

    /// Radians about x, then y, then z of the parent's axes.
    public var eulerAngles: Vector3 {
        get { orientation.eulerAngles }
        set { orientation = Quaternion(eulerAngles: newValue) }
    }

    public var scale: Vector3 {
        get { localTransform.scale }
        set { localTransform.scale = newValue }
    }

    /// `worldFromLocal`, up to date also before `Scene.update()`.
    public var worldTransform: Matrix4 {
        if let store, !store.anythingMoved { return store.worldTransforms[Int(slot)] }
        var matrix = transform
        var ancestor = parent
        while let node = ancestor {
            matrix = node.transform * matrix
            ancestor = node.parent
        }
        return matrix
    }

    public var worldPosition: Vector3 { worldTransform.translation }

    /// Turns the node so that its −Z points at `target`, a point in the parent's frame, with +Y as near `up` as can be.
    public func look(at target: Vector3, up: Vector3 = .up) {
        orientation = Quaternion(Matrix4.lookAt(eye: position, target: target, up: up).linear)
    }
}

// MARK: - Appearance

extension Node {
    /// 0…1, multiplied down the tree.
    public var opacity: Float {
        get { store.map { $0.opacities[Int(slot)] } ?? detached.opacity }
        set {
            guard let store else {
                detached.opacity = newValue
                return
            }
            store.opacities[Int(slot)] = newValue
            store.markMoved(slot)
        }
    }

    /// Hides the node with everything below it.
    public var isHidden: Bool {
        get { store.map { $0.flags[Int(slot)].contains(.isHidden) } ?? detached.isHidden }
        set {
            guard let store else {
                detached.isHidden = newValue
                return
            }
            if newValue { store.flags[Int(slot)].insert(.isHidden) } else { store.flags[Int(slot)].remove(.isHidden) }
            store.markMoved(slot)
        }
    }

    /// Lights and cameras that share no bit with it pass it by.
    public var categoryBitMask: UInt32 {
        get { store.map { $0.categoryBitMasks[Int(slot)] } ?? detached.categoryBitMask }
        set {
            guard let store else {
                detached.categoryBitMask = newValue
                return
            }
            store.categoryBitMasks[Int(slot)] = newValue
            store.structureVersion &+= 1
        }
    }

    /// Greater values are drawn later; 0 by default.
    public var renderingOrder: Int {
        get { Int(store.map { $0.renderingOrders[Int(slot)] } ?? detached.renderingOrder) }
        set {
            let value = Int32(clamping: newValue)
            guard let store else {
                detached.renderingOrder = value
                return
            }
            store.renderingOrders[Int(slot)] = value
            store.structureVersion &+= 1
        }
    }

    /// The first material of the node's mesh.
    public var material: Material? { mesh?.parts.first?.material }
}
